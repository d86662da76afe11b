package memory

import (
	"math"
	"os"
	"syscall"
)

// Available is the memory that the process may take without swapping, beside its own: of the
// system, of its control groups, and below the limit of its address space (ulimit -v).
func Available() (bytes uint64, known bool) {
	available, known := availableIn(os.DirFS("/"))
	if limit, limited := addressSpace(); limited {
		taken, _ := ownField("VmSize:")
		left := limit - min(limit, taken)
		if known {
			left = min(left, available)
		}
		return left, true
	}
	return available, known
}

// Total is the memory that the process may have in all: its own, and the available. Address
// space that it has only reserved is neither.
func Total() (bytes uint64, known bool) {
	available, known := Available()
	resident, _ := ownField("VmRSS:")
	return available + resident, known
}

// Peak is the most memory that the process has had, without programs it started.
// getrusage would count what the program that started it had.
func Peak() (bytes uint64, known bool) { return ownField("VmHWM:") }

// ownField is a field of the system's record of the process, in bytes.
func ownField(name string) (bytes uint64, known bool) {
	status, err := os.ReadFile("/proc/self/status")
	kib, ok := field(status, name)
	return kib * 1024, err == nil && ok
}

func addressSpace() (bytes uint64, limited bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return 0, false
	}
	return limit.Cur, limit.Cur != math.MaxUint64
}
