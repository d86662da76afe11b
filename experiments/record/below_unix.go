//go:build unix

package record

import "syscall"

// unwaiting opens a pipe without waiting for who writes to it.
const unwaiting = syscall.O_NONBLOCK
