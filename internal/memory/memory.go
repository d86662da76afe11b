// Package memory measures the memory that a process has had, and the memory it may take, and paces the
// garbage collector by it.
package memory

import "fmt"

// Text is a number of bytes in words: "12 MB", "3.4 GB".
func Text(bytes uint64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}
