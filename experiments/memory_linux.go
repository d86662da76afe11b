package experiments

import (
	"os"
	"syscall"
)

// Tests put others in their place.
var (
	peakMemory      = residentPeak
	availableMemory = func() (uint64, bool) { return availableIn(os.DirFS("/")) }
)

// residentPeak is the most memory that the process has had, without programs it started.
func residentPeak() (uint64, bool) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return uint64(usage.Maxrss) * 1024, err == nil
}
