//go:build !unix

package plugin

import "os/exec"

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program. It is no error if it has ended already.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
