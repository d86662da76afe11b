package board

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/spec"
)

// A Stage is one half of the protocol. The settings of a method are decided on seeds that its
// evaluation never sees. Every seed has problems of its own.
type Stage struct {
	Name             string
	FirstSeed, Seeds int
}

// Profile names the stages and rates of package profile.
const Profile = "profile"

// stages has the tuning and the evaluation of each board (Task.Board). Their seeds are disjoint, and
// no other published result has them.
var stages = map[string][2]Stage{
	"tabular":     {{"tuning", 4000, 2}, {"evaluation", 5000, 10}},
	"transformer": {{"tuning", 6000, 2}, {"evaluation", 7000, 5}},
	Profile:       {{"tuning", 8000, 2}, {"evaluation", 9000, 10}},
}

// Tuning is the stage that settings are chosen in.
func (t Task) Tuning() Stage { return stages[t.board()][0] }

// Evaluation is the stage that ranks.
func (t Task) Evaluation() Stage { return stages[t.board()][1] }

// Numbers are the stage's seeds in the form of results.
func (s Stage) Numbers() []int { return []int{s.FirstSeed, s.Seeds} }

// An Entry is a method at one setting.
type Entry struct {
	Method  string // its name on the board
	Setting string // the tuned fields, as in "lr=0.1 lambda=3"
	TOML    string // the lines of its [[method]] table, besides its label
	// Pace is how many times as many tokens a step of it draws as one of a plain method:
	// answers a rollout, and rollouts that only vote. It is evaluated as many times as often.
	Pace int
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
		load.Name = t.specName(stage, pace)
		if pace > 1 {
			load.Set = append(slices.Clone(opt.Set), fmt.Sprintf("train.steps=%d", max(1, t.Steps/pace)), fmt.Sprintf("eval.every=%d", max(1, t.Every/pace)))
		}
		s, err := spec.Parse(t.file(load.Name), []byte(text.String()), load)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// specName is the name of the spec of a stage of a task, which its folder of results has. Those of
// the tabular board do not name it, and stay as they are.
func (t Task) specName(stage Stage, pace int) string {
	name := fmt.Sprintf("board-%s-%s", t.Name, stage.Name)
	if t.board() != "tabular" {
		name = fmt.Sprintf("board-%s-%s-%s", t.board(), t.Name, stage.Name)
	}
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

// entry is a built-in method at a setting.
func entry(method string, s Setting, pace int) Entry {
	return Entry{Method: method, Setting: s.Label, TOML: "name = " + text(method) + "\n" + s.TOML(), Pace: pace}
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
