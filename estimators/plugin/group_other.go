//go:build !unix

package plugin

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program. It is no error where it has ended already.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
