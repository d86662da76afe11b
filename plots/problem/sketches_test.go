package problem

import (
	"testing"

	"modebench/envs"
	"modebench/envs/multiplication"
)

func TestMultiplicationSketches(t *testing.T) {
	config := func(a, b int) *multiplication.Config {
		c := multiplication.Default()
		c.DigitsA, c.DigitsB = a, b
		return c
	}
	drawSketches(t, "multiplication", 80_000, []problemSketch{
		{name: "plain", config: config(2, 2), want: []string{"families", "split", "Not to scale."}},
		{name: "pool", config: config(2, 2), index: 2, answers: 64, want: []string{"times given", "with a wrong product"}},
		{name: "ood", config: config(2, 2), split: envs.OOD, want: []string{"families"}},
		{name: "three", config: config(3, 3), index: 1, answers: 20, want: []string{"families"}},
		{name: "large", config: config(4, 4), split: envs.OOD, index: 1, answers: 20, want: []string{">9e18"}},
	})
}
