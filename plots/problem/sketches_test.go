package problem

import (
	"testing"

	"modebench/envs"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/envs/multiplication"
	"modebench/envs/polynomial"
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

// TestMazeSketches draws mazes as they are generated. The demonstrator often goes round by the
// corners.
func TestMazeSketches(t *testing.T) {
	config := func(change func(*maze.Config)) *maze.Config {
		c := maze.Default()
		c.Detour, c.Tau = 0.5, 0.8
		change(c)
		return c
	}
	plain := config(func(*maze.Config) {})
	drawSketches(t, "maze", 600_000, []problemSketch{
		{name: "front", config: plain, want: []string{"Exact Pareto front"}},
		{name: "front-slack", config: config(func(c *maze.Config) { c.Slack = 11 }), index: 1, want: []string{"Exact Pareto front"}},
		{name: "some", config: plain, index: 3, answers: 8, want: []string{"correct modes among the answers", "one for each different route"}},
		{name: "pool", config: plain, index: 4, answers: 64, want: []string{"share a lane", "more modes", "incorrect modes"}},
		{name: "ood", config: plain, split: envs.OOD, index: 5, answers: 16, want: []string{"maze ood/5: 11 × 11"}},
		{name: "small", config: config(func(c *maze.Config) { c.Size, c.LavaMin, c.LavaMax, c.OpeningsMin, c.OpeningsMax = 5, 0, 0, 4, 6 }), answers: 20, want: []string{"5 × 5"}},
		{name: "large", config: config(func(c *maze.Config) { c.Size, c.OpeningsMin, c.OpeningsMax = 21, 100, 150 }), answers: 64, want: []string{"21 × 21"}},
	})
}

func TestPolynomialSketches(t *testing.T) {
	plain := polynomial.Default()
	few, wide := polynomial.Default(), polynomial.Default()
	few.Digits, few.Decimals, few.MinModes = 1, 0, 1
	wide.Digits, wide.Decimals, wide.Implicit, wide.Coefficients = 4, 1, 1, 20
	drawSketches(t, "polynomial", 80_000, []problemSketch{
		{name: "plain", config: plain, want: []string{"polynomial train/0: ", "correct pairs"}},
		{name: "many", config: plain, index: 2, answers: 40, want: []string{"given, incorrect: "}},
		{name: "whole", config: plain, index: 4, want: []string{"whole numbers: "}},
		{name: "some", config: plain, index: 6, answers: 3, want: []string{"whole numbers: "}},
		{name: "pool", config: plain, index: 8, answers: 40, want: []string{"given, incorrect: "}},
		{name: "ood", config: plain, split: envs.OOD, index: 8, answers: 40, want: []string{"polynomial ood/8: "}},
		{name: "few", config: few, index: 3, answers: 5, want: []string{"correct pair"}},
		{name: "wide", config: wide, index: 1, answers: 5, want: []string{"correct pair"}},
	})
}
