//go:build !linux

package sweep

// What memory is available is known on Linux alone. Tests replace them.
var (
	peakMemory      = func() (uint64, bool) { return 0, false }
	availableMemory = func() (uint64, bool) { return 0, false }
)
