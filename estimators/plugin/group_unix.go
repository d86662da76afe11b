//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a process group of its own: Ctrl-C in the terminal does not reach
// it, so that a step under way can be finished, and killGroup reaches its children too.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and its children. It is no error if all have ended.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
