//go:build !linux

package memory

// Available is the memory that the process may take beside its own. It is known on Linux alone.
func Available() (bytes uint64, known bool) { return 0, false }

// Total is the memory that the process may have in all. It is known on Linux alone.
func Total() (bytes uint64, known bool) { return 0, false }

// Peak is the most memory that the process has had. It is known on Linux alone.
func Peak() (bytes uint64, known bool) { return 0, false }
