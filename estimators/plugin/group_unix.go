//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a process group of its own: Ctrl-C in the terminal
// does not reach it, so that a step under way can be finished, and killGroup reaches
// whatever it started in turn.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and what it started. It is no error where nothing of
// it is left.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
