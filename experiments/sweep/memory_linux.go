package sweep

import (
	"os"
)

// Tests replace them.
var (
	peakMemory      = residentPeak
	availableMemory = func() (uint64, bool) { return availableIn(os.DirFS("/")) }
)

// residentPeak is the most memory that the process has had, without programs it started.
// getrusage would count what the program that started it had.
func residentPeak() (uint64, bool) {
	status, err := os.ReadFile("/proc/self/status")
	kib, ok := field(status, "VmHWM:")
	return kib * 1024, err == nil && ok
}
