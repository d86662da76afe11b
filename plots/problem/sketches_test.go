package problem

import (
	"testing"

	"modebench/envs"
	"modebench/envs/countdown"
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

func TestCountdownSketches(t *testing.T) {
	config := func(change func(*countdown.Config)) *countdown.Config {
		c := countdown.Default()
		change(c)
		return c
	}
	plain := countdown.Default()
	drawSketches(t, "countdown", 80_000, []problemSketch{
		{name: "plain", config: plain, index: 57, want: []string{"countdown train/57: ", "Make", "A tree for each mode"}},
		{name: "many", config: plain, index: 2, answers: 1, want: []string{"Make"}},
		{name: "pool", config: plain, index: 3, answers: 64, want: []string{"Incorrect answers", "other modes of incorrect answers."}},
		{name: "ood", config: plain, split: envs.OOD, index: 1, answers: 10, want: []string{"Make"}},
		{name: "three", config: config(func(c *countdown.Config) { c.Numbers, c.MinModes = 3, 1 }), want: []string{"Make"}},
		{name: "five", config: config(func(c *countdown.Config) {
			c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMax, c.MinModes = 5, 100, 400, 999, 1
		}), answers: 30, want: []string{"Incorrect answers"}},
		{name: "once", config: config(func(c *countdown.Config) { c.AtMostOnce = true }), index: 14, answers: 8, want: []string{"Make"}},
	})
}
