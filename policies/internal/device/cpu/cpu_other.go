//go:build !amd64 && !arm64

package cpu

import "modebench/policies/internal/device"

var levels = []device.Kernels{reference{}}
