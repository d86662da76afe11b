//go:build !amd64

package cpu

import "modebench/policies/internal/device"

// levels are the implementations that this machine can run, slowest first.
var levels = []device.Kernels{reference{}}
