//go:build !amd64

package cpu

// levels are the implementations that this machine can run, slowest first.
var levels = []level{{"reference", reference{}}}
