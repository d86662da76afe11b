package cpu

import (
	"fmt"
	"strings"

	"modebench/policies/internal/device"
)

// level is one implementation of the kernels.
type level struct {
	name    string
	kernels device.Kernels
}

// Levels names the implementations that this machine can run, slowest first:
// "reference", then "avx2" and "avx512" where the processor and the operating
// system have them. All give the same bits.
func Levels() []string {
	var names []string
	for _, l := range levels {
		names = append(names, l.name)
	}
	return names
}

// New gives the kernels of a level, or of the fastest one there is for "" and
// "auto". A level that does not exist, or that this machine cannot run, is an error.
func New(name string) (device.Kernels, error) {
	if name == "" || name == "auto" {
		return levels[len(levels)-1].kernels, nil
	}
	for _, l := range levels {
		if l.name == name {
			return l.kernels, nil
		}
	}
	return nil, fmt.Errorf("cpu kernels %q: this machine has auto, %s", name, strings.Join(Levels(), ", "))
}
