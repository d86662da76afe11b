//go:build !unix

package main

import (
	"os"
	"syscall"
)

// stopSignals end a run at the next safe point.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}
