package train

import (
	"slices"
	"time"

	"modebench/experiments/record"
)

// The phases of a training step.
const (
	phaseSample = iota
	phaseJudge
	phaseEstimate
	phaseUpdate
	phases
)

// A cell times one step in sixteen or more, and a thousand steps at most: reading
// the time at every step would be a tenth of the bandit's. In a run of few steps it times more of
// them.
const (
	timedApart = 16
	timedMost  = 1000
)

// A clock measures the phases of some of a cell's training steps.
type clock struct {
	every   int
	running bool
	last    time.Time
	current [phases]time.Duration // of the step under way
	spent   [phases][]float64     // seconds, by step
}

func newClock(steps int) clock {
	return clock{every: max(1, min(timedApart, steps/timedApart), steps/timedMost)}
}

// begin starts on a timed step: the last of each interval, so that the first step, which makes a
// policy's tables, is left out unless all are timed.
func (c *clock) begin(step int) {
	if c.running = step%c.every == c.every-1; c.running {
		c.current = [phases]time.Duration{}
		c.last = time.Now()
	}
}

// lap ends a phase, or a part of it.
func (c *clock) lap(phase int) {
	if c.running {
		t := time.Now()
		c.current[phase] += t.Sub(c.last)
		c.last = t
	}
}

// end ends the last phase of a step.
func (c *clock) end(phase int) {
	if !c.running {
		return
	}
	c.lap(phase)
	c.running = false
	for p, d := range c.current {
		c.spent[p] = append(c.spent[p], d.Seconds())
	}
}

// timings are the medians for the provenance file, since other work on a machine takes its time in
// lumps; ok is false if no step was timed.
func (c *clock) timings() (t record.Timings, ok bool) {
	steps := len(c.spent[0])
	if steps == 0 {
		return t, false
	}
	median := func(phase int) float64 {
		times := slices.Sorted(slices.Values(c.spent[phase]))
		return times[steps/2]
	}
	return record.Timings{
		Steps: steps, Sample: median(phaseSample), Judge: median(phaseJudge),
		Estimate: median(phaseEstimate), Update: median(phaseUpdate),
	}, true
}
