package board

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/spec"
	"modebench/metrics/stats"
)

// A Stage is a part of the protocol: a run of entries on seeds. Every seed has problems and, with
// the transformer, a base policy of its own.
type Stage struct {
	Name             string
	FirstSeed, Seeds int
	Part             float64 // of the budget; 0: all of it
}

// Profile names the protocol and the rates of package profile.
const Profile = "profile"

// A Protocol is how settings are chosen and how many seeds the chosen ones have.
type Protocol struct {
	// Rounds choose a setting (NewRounds). The last one decides.
	Rounds []Stage
	// Evaluation has the seeds of results, which no round has. A method has the seeds of the first of
	// Looks, and those of the next as long as it is undecided beside the reference.
	Evaluation Stage
	Looks      []stats.Look
}

// familyError is the chance of any error in intervals and ranks that hold all at once.
const familyError = .05

// protocols has the protocol of each board (Task.Board). Their seeds are disjoint, and no other published
// result has them.
var protocols = map[string]Protocol{
	"tabular": {
		Rounds:     []Stage{{"tuning-1", 50000, 1, .5}, {"tuning-2", 50001, 2, 0}},
		Evaluation: Stage{"evaluation", 51000, 40, 0}, Looks: stats.Looks,
	},
	"transformer": {
		Rounds:     []Stage{{"tuning-1", 60000, 1, .5}, {"tuning-2", 60001, 2, 0}},
		Evaluation: Stage{"evaluation", 61000, 40, 0}, Looks: stats.Looks,
	},
	Profile: {
		Rounds:     []Stage{{"tuning", 8000, 2, 0}},
		Evaluation: Stage{"evaluation", 9000, 10, 0}, Looks: []stats.Look{{Seeds: 10, Alpha: familyError}},
	},
}

// Protocol is that of the task's board.
func (t Task) Protocol() Protocol { return protocols[t.board()] }

// Evaluation has the seeds of results.
func (t Task) Evaluation() Stage { return t.Protocol().Evaluation }

// Look has the seeds of the evaluation that a look adds to the looks before it.
func (t Task) Look(look int) Stage {
	p, from := t.Protocol(), 0
	if look > 0 {
		from = p.Looks[look-1].Seeds
	}
	s := p.Evaluation
	if len(p.Looks) > 1 {
		s.Name = fmt.Sprintf("%s-%d", s.Name, look+1)
	}
	s.FirstSeed, s.Seeds = s.FirstSeed+from, p.Looks[look].Seeds-from
	return s
}

// Numbers are the stage's seeds in the form of results.
func (s Stage) Numbers() []int { return []int{s.FirstSeed, s.Seeds} }

// numbers are the seeds of all rounds in the form of results.
func (p Protocol) numbers() []int {
	n := 0
	for _, r := range p.Rounds {
		n += r.Seeds
	}
	return []int{p.Rounds[0].FirstSeed, n}
}

// Runs is how many runs of the whole budget a method with a number of settings takes. The minimum is for a
// method that the first look decides. The maximum is for a method that needs the last look, and whose setting
// for all tasks is not the tuned setting.
func (p Protocol) Runs(settings int) (minimum, maximum float64) {
	for _, r := range p.Rounds {
		minimum += float64(float64(settings*r.Seeds) * cmp.Or(r.Part, 1))
		settings = kept(settings)
	}
	first, last := p.Looks[0].Seeds, p.Looks[len(p.Looks)-1].Seeds
	return minimum + float64(first), minimum + float64(first+last)
}

// kept is how many of n settings enter the next round: a third, rounded up.
func kept(n int) int { return (n + 2) / 3 }

// An Entry is a method at one setting.
type Entry struct {
	Method  string // its name on the board
	Setting string // the tuned fields, as in "lr=0.1 lambda=3"
	TOML    string // the lines of its [[method]] table, besides its label
	// Pace is how many times as many tokens a step of it draws as one of a plain method:
	// answers a rollout, and rollouts that only vote. It is evaluated as many times as often.
	Pace int
	// Shared: all methods of the task have this rate, with a knob or without.
	Shared bool
}

// Specs are the specs that run entries on a task, one for each pace. A slow pace has fewer
// steps between evaluations, so that every method is looked at after as many tokens.
func (t Task) Specs(stage Stage, entries []Entry, opt spec.LoadOptions) ([]*spec.Spec, error) {
	paces := map[int]bool{}
	for _, e := range entries {
		paces[e.Pace] = true
	}
	var out []*spec.Spec
	for _, pace := range slices.Sorted(maps.Keys(paces)) {
		var text strings.Builder
		fmt.Fprintf(&text, "seeds = %d\nfirst_seed = %d\nnested = [1]\n%s", stage.Seeds, stage.FirstSeed, t.Text)
		for _, e := range append(references(), entries...) {
			if e.Pace == pace || e.Pace == 0 {
				text.WriteString(e.table())
			}
		}
		load := opt
		load.Name, load.Set = t.specName(stage, pace), slices.Concat(opt.Set, t.paced(stage, pace))
		s, err := spec.Parse(t.file(load.Name), []byte(text.String()), load)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// paced are the fields of training and evaluation that a part of the budget or a slow pace changes.
func (t Task) paced(stage Stage, pace int) (set []string) {
	part := cmp.Or(stage.Part, 1)
	if part < 1 {
		set = append(set, fmt.Sprintf("train.tokens=%d", int(part*float64(t.Budget))))
	}
	if part < 1 || pace > 1 {
		set = append(set, fmt.Sprintf("train.steps=%d", max(1, int(part*float64(t.Steps))/pace)))
	}
	if pace > 1 {
		set = append(set, fmt.Sprintf("eval.every=%d", max(1, t.Every/pace)))
	}
	return set
}

// specName is the name of the spec of a stage of a task, which its folder of results has.
func (t Task) specName(stage Stage, pace int) string {
	name := fmt.Sprintf("board-%s-%s-%s", t.board(), t.Name, stage.Name)
	if pace > 1 {
		name += fmt.Sprintf("-pace-%d", pace)
	}
	return name
}

// file is the name of the task's file in errors, relative to the folder of the command.
func (t Task) file(name string) string { return filepath.Join(t.dir, name+".toml") }

// References of the scores: the policy before training, and the exact optimum.
const (
	Base    = "base"
	Optimum = "optimum"
)

func references() []Entry {
	return []Entry{{Method: Base, TOML: `name = "base"`}, {Method: Optimum, TOML: `name = "optimum"`}}
}

// Reference is the method with which all others are compared.
const Reference = "grpo"

// entry is the row's method at a setting.
func (r *Row) entry(s Setting, pace int) Entry {
	return Entry{Method: r.Name, Setting: s.Label, TOML: "name = " + text(r.estimator()) + "\n" + s.TOML(), Pace: pace}
}

// label is the name of the entry in the spec.
func (e Entry) label() string { return e.Method + ": " + e.Setting }

// table is the [[method]] table of an entry.
func (e Entry) table() string {
	label := ""
	if e.Setting != "" {
		label = fmt.Sprintf("label = %q\n", e.label())
	}
	return "\n[[method]]\n" + label + strings.TrimSpace(e.TOML) + "\n"
}
