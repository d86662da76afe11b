//go:build !amd64

package cpu

import "testing"

// reportPeak reports nothing: there is no level but the reference.
func reportPeak(*testing.B, string, float64) bool { return false }
