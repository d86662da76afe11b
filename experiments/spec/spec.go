package spec

import (
	"context"
	"slices"
	"strings"
	"time"

	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/internal/each"
)

// A Spec is an experiment: every variant of its grid, the figures and columns of their records,
// and its claims.
type Spec struct {
	Title     string        `param:"title" doc:"above tables and figures"`
	Source    string        `param:"source" doc:"paper and figure it re-makes"`
	Seeds     int           `param:"seeds" doc:"number of seeds, each a run of its own; a verdict takes 6" min:"1" max:"100000"`
	FirstSeed int           `param:"first_seed" doc:"the first seed; the others follow it" min:"0" max:"1000000000"`
	Nested    record.Nested `param:"nested" doc:"[p, b]: p seeds in turn share a draw of problems (env_seed), and b of them, which divides p, a base policy (pretrain_seed); p alone: they share both; none: all seeds share one of each" min:"1" max:"100000"`
	Quick     []string      `param:"quick" doc:"what --quick changes, as --set has it, and seeds=N: a form of the spec that shows the direction of its effects within minutes"`
	Timings   bool          `param:"timings" doc:"show what the parts of a training step take, from the cells' provenance"`
	Columns   []string      `param:"columns" doc:"metrics of the summary table; none: a few that suit the environment"`

	Name     string
	Policy   string   // kind of policy of its methods
	Overlays []string // other kinds of policies that have an overlay
	Variants []*Variant
	Figures  []record.Figure
	Claims   []record.Claim
	LeftOut  []LeftOut
	// Notes are lines about the parts of the spec that do not apply under a kind of policy that
	// it was not written for, and the settings that make no difference.
	Notes []string
	// TextSum is the SHA-256 of the text that the spec was read from, in hexadecimal.
	TextSum string

	recordsSoFar []record.Variant // the list that records returned last
}

// LeftOut is a method, by its name in the spec, that is left out on an environment, and why: it is
// of "*", or a row of a policy that the environment does not have.
type LeftOut struct{ Method, Env, Why string }

// LoadOptions control how a spec is read.
type LoadOptions struct {
	// Policy is the kind of policy to read it under; "": the kind that it is written for. The table
	// of that kind's name, [transformer], applies then, and fields that suit one kind and not another
	// fall back to the kind's defaults. Spec.Notes name the fields that do not apply.
	Policy string
	// Set changes fields of the spec, PATH=VALUE each (train.lr=0.1; see set.go). Figures
	// and claims about variants that are gone are left out, and noted.
	Set []string
	// Quick takes the quick form of the spec, before Set (see set.go). A spec without one is
	// an error.
	Quick bool
	// Name is the spec's name, and that of its folder; "": its own name with the settings added.
	Name string
	// Design has the seeds on which the claims of the spec are studied; nil: the spec's own.
	Design *Design
	// StartPlugin is called whenever a plug-in is about to start, with the command and the working
	// folder on one line, by several runs at once. If it returns an error the plug-in is not
	// started, and the error is one of the spec. nil: no plug-in is started. The cells of the spec
	// are then known from the files of the plug-ins, but those of plug-ins cannot be run.
	StartPlugin func(line string) error
	// PluginTimeout is how long plug-ins may take for an answer, now and when the spec
	// is run; 0: plugin.DefaultTimeout.
	PluginTimeout time.Duration
	// Context ends the plug-ins that are asked for their needs, and with them the reading; nil:
	// they are not ended early.
	Context context.Context
}

// A Design has the seeds on which the claims of a spec are studied, in place of the spec's own.
// It adds the exact optimum (method optimum) to a spec that does not measure it, at every
// setting of environment, policy and evaluation that allows it: if two methods both reach the
// optimum, a claim cannot be tested. Variants that no claim is about, and figures, are left
// out. Labels and cells of the others stay the same.
type Design struct {
	Suffix    string // of the name that the spec has then
	FirstSeed int
	Seeds     int           // 1 or more
	Nested    record.Nested // as Spec.Nested
}

func (s *Spec) labels() []string {
	return each.Map(s.Variants, func(v *Variant) string { return v.Label })
}

// known lists, for an error about a label, the labels that begin with the same word. Without any it lists all names.
func (s *Spec) known(label string) string {
	word, _, _ := strings.Cut(label, " ")
	alike := each.Where(s.labels(), func(l string) bool { return l == word || strings.HasPrefix(l, word+" ") })
	if alike == nil {
		alike = slices.Compact(slices.Sorted(slices.Values(each.Map(s.records(), func(v record.Variant) string { return v.Name }))))
	}
	return strings.Join(alike, "; ")
}

// records lists the variants as the manifest writes them, without cells, once for all claims.
func (s *Spec) records() []record.Variant {
	for _, v := range s.Variants[len(s.recordsSoFar):] {
		s.recordsSoFar = append(s.recordsSoFar, v.Record())
	}
	return s.recordsSoFar
}

func (s *Spec) axisNames() []string {
	names := []string{"method"}
	for _, v := range s.Variants {
		for _, a := range v.Axes {
			names = append(names, a.Field)
		}
	}
	return each.Distinct(names)
}

// axisValues lists the values of a field among the variants; nil: no variant has it.
func (s *Spec) axisValues(field string) []string {
	var values []string
	for _, v := range s.Variants {
		if value, ok := v.Record().Value(field); ok {
			values = append(values, value)
		}
	}
	return each.Distinct(values)
}

// Plugins reports whether a method of the spec is a program of the user's.
func (s *Spec) Plugins() bool {
	return slices.ContainsFunc(s.Variants, func(v *Variant) bool { return v.Method == plugin.Name })
}
