//go:build !linux

package memory

// Available is what the process may take beside what it has. It is known on Linux alone.
func Available() (bytes uint64, known bool) { return 0, false }

// Total is what the process may have in all. It is known on Linux alone.
func Total() (bytes uint64, known bool) { return 0, false }

// Peak is the most memory that the process has had. It is known on Linux alone.
func Peak() (bytes uint64, known bool) { return 0, false }
