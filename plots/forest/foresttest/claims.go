// Package foresttest has claims with every answer, for tests of figures of claims.
package foresttest

import (
	"fmt"
	"math"
	"slices"

	"modebench/metrics/stats"
	"modebench/plots/forest"
	"modebench/plots/numbers"
)

// Claims are claims with every answer: of one setting and of many, beyond the axis on
// both sides, without an interval and without an effect.
func Claims() []forest.Row {
	at := func(mean, half float64) stats.Interval {
		return stats.Interval{N: 10, Mean: mean, Low: mean - half, High: mean + half}
	}
	row := func(paper, spec, name, text, outcome string, answer stats.Answer, settings []forest.Setting, deltas ...stats.Interval) forest.Row {
		r := forest.Row{Paper: paper, Spec: spec, Name: name, Text: text, Outcome: outcome, Answer: answer, Form: forest.FormDifference, Metrics: []string{"pass@16"}, Settings: settings}
		effects := slices.Clone(deltas)
		for i := range effects {
			effects[i].Mean, effects[i].Low, effects[i].High = 0.02*effects[i].Mean, 0.02*effects[i].Low, 0.02*effects[i].High
		}
		r.Intervals, r.Effects = numbers.NewIntervals(deltas, forest.AnySeeds), numbers.NewIntervals(effects, forest.AnySeeds)
		return r
	}
	one := func(answer stats.Answer) []forest.Setting {
		return []forest.Setting{{Label: "pass@16", Answer: answer}}
	}
	long := "a claim that goes on and on, so that it takes several lines of the figure, each as wide as the page, since its words are those of a paper, and a reader wants all of them"
	alive := row("SetPO", "bandit-collapse", "collapse", "GRPO ends on one rewarded mode", "supported", stats.Supported, one(stats.Supported), at(4.4, 0.4))
	alive.Form, alive.Bound, alive.Metrics = forest.FormValue, true, []string{"correct_modes_alive"}
	times := row("SetPO", "countdown", "times", "more than five times as many modes", "supported", stats.Supported, one(stats.Supported), at(6.5, 1.2))
	times.Form, times.Times, times.Bound = forest.FormRatio, 5, true
	times.Effects = numbers.NewIntervals([]stats.Interval{at(6.5, 1.2)}, forest.AnySeeds)
	same := row("VPO", "maze-bestk", "same", "the two are as good", "no difference", stats.NoDifference, one(stats.NoDifference), at(0.2, 0.5))
	same.Same = true
	var many []forest.Setting
	var spread []stats.Interval
	for i := range 20 {
		answer := []stats.Answer{stats.Supported, stats.Opposed, stats.Undecided, stats.NoDifference}[i%4]
		many = append(many, forest.Setting{Label: fmt.Sprintf("lr=%d", i), Answer: answer})
		spread = append(spread, at(float64(i-4), 0.5+float64(i)/8))
	}
	none := row("our own", "quick", "none", "never measured", "untestable here: vendi is not defined", stats.Untestable,
		[]forest.Setting{{Label: "vendi", Answer: stats.Untestable, Reason: "vendi is not defined"}}, stats.Interval{})
	few := row("our own", "quick", "few", "too few seeds", "undecided: 2 seeds, need 5 at least", stats.Undecided,
		[]forest.Setting{{Label: "pass@16", Answer: stats.Undecided, Reason: "2 seeds, need 5 at least"}}, stats.Interval{N: 2, Mean: 20, Low: math.Inf(-1), High: math.Inf(1)})
	return []forest.Row{
		alive,
		row("SetPO", "bandit-collapse", "alive", "SetPO keeps several modes", "supported (2 supported, 1 untestable of 3)", stats.Supported,
			[]forest.Setting{{Label: "lr=0.1", Answer: stats.Supported}, {Label: "lr=0.3", Answer: stats.Untestable, Reason: "both sides are at the optimum, 4"}, {Label: "lr=1 and what else a label of a setting may have, in two lines", Answer: stats.Supported}},
			at(2.2, 0.3), stats.Interval{}, at(12, 3)),
		times,
		row("VPO", "maze-bestk", "vpo", long, "opposed (2 opposed, 1 undecided of 3)", stats.Opposed,
			[]forest.Setting{{Label: "best@5", Answer: stats.Opposed}, {Label: "ew_best@5", Answer: stats.Opposed}, {Label: "best@30", Answer: stats.Undecided}}, at(-72, 3), at(-42, 11), at(0.6, 2)),
		same,
		row("VPO", "maze-bestk", "many", "so at most settings", "undecided, needs 34 seeds (5 supported, 5 opposed, 5 no difference, 5 undecided of 20)", stats.Undecided, many, spread...),
		row("VPO", "maze-bestk", "small", "a small share, and its sign", "supported", stats.Supported, one(stats.Supported), stats.Interval{N: 10, Mean: 0.57, Low: 0.535, High: 0.571}),
		few, none,
	}
}
