package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"modebench/experiments/spec"
)

// A Stage is one half of the protocol. What a method's settings are is decided on seeds that
// its evaluation never sees. Every seed has problems of its own.
type Stage struct {
	Name             string
	FirstSeed, Seeds int
}

// The stages of the board. Their seeds are disjoint, and no published result has them.
var (
	Tuning     = Stage{"tuning", 2000, 2}
	Evaluation = Stage{"evaluation", 3000, 10}
)

// An Entry is a method at one setting.
type Entry struct {
	Method string         // its name on the board
	Label  string         // its name and setting; no two entries have the same
	Fields map[string]any // what its [[method]] table has besides its label
	// Pace is how many times as many tokens a step of it draws as one of a plain method:
	// answers a rollout, and rollouts that only vote. It is evaluated as many times as often.
	Pace int
}

// Specs are the specs that run entries on a task, one for each pace. A slow pace has fewer
// steps between evaluations, so that every method is looked at after as many tokens.
func (t Task) Specs(stage Stage, entries []Entry, opt spec.LoadOptions) ([]*spec.Spec, error) {
	var paces []int
	for _, e := range entries {
		if !slices.Contains(paces, e.Pace) {
			paces = append(paces, e.Pace)
		}
	}
	slices.Sort(paces)
	var out []*spec.Spec
	for _, pace := range paces {
		var text strings.Builder
		fmt.Fprintf(&text, "seeds = %d\nfirst_seed = %d\nnested = [1]\n%s", stage.Seeds, stage.FirstSeed, t.Text)
		for _, e := range append(references(), entries...) {
			if e.Pace != pace && e.Pace != 0 {
				continue
			}
			table, err := methodTable(e)
			if err != nil {
				return nil, err
			}
			text.WriteString(table)
		}
		own := opt
		own.Name = t.specName(stage, pace)
		if pace > 1 {
			base, err := t.schedule()
			if err != nil {
				return nil, err
			}
			own.Set = append(slices.Clone(opt.Set), fmt.Sprintf("train.steps=%d", max(1, base.steps/pace)), fmt.Sprintf("eval.every=%d", max(1, base.every/pace)))
		}
		s, err := spec.Parse(own.Name+".toml", []byte(text.String()), own)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// References are what scores are measured by: the policy before training, and the exact
// optimum.
const (
	Base    = "base"
	Optimum = "optimum"
)

func references() []Entry {
	return []Entry{
		{Method: Base, Label: Base, Fields: map[string]any{"name": Base}},
		{Method: Optimum, Label: Optimum, Fields: map[string]any{"name": Optimum}},
	}
}

// methodTable is the [[method]] table of an entry.
func methodTable(e Entry) (string, error) {
	fields := map[string]any{}
	if e.Label != "" {
		fields["label"] = e.Label
	}
	for name, value := range e.Fields {
		fields[name] = value
	}
	text, err := toml.Marshal(map[string]any{"method": []any{fields}})
	if err != nil {
		return "", fmt.Errorf("method %s: %w", e.Label, err)
	}
	return "\n" + string(text), nil
}

// schedule is how long a task trains a plain method, and how often it evaluates it.
type schedule struct{ steps, every int }

func (t Task) schedule() (schedule, error) {
	var text struct {
		Train struct{ Steps int }
		Eval  struct{ Every int }
	}
	err := toml.Unmarshal([]byte(t.Text), &text)
	return schedule{text.Train.Steps, text.Eval.Every}, err
}
