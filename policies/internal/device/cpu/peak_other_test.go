//go:build !amd64

package cpu

import "testing"

// reportPeak reports nothing: there is no loop that reaches the peak.
func reportPeak(*testing.B, string, float64) bool { return false }
