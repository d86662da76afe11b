package testkit

import (
	"os"
	"syscall"
)

// init puts temporary folders into memory if there is room. Tests of the runner write thousands of
// small files, and wait for the disk for two thirds of their time otherwise. TMPDIR overrides it.
func init() {
	const folder, noExec, room = "/dev/shm", 8, 4 << 30
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(folder, &fs) == nil && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) >= room {
		os.Setenv("TMPDIR", folder)
	}
}
