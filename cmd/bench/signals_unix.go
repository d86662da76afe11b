//go:build unix

package main

import (
	"os"
	"syscall"
)

// stopSignals end a run at the next safe point: a person's, and those that schedulers
// send before they take a machine.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}
