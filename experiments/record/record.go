// Package record holds the files an experiment writes, as types, and their reader. It knows nothing
// of how they came about, so that figures and comparisons can be made from files alone.
//
// Layout below an output folder:
//
//	cells/<id>/cell.json        the resolved cell: what was run (Cell)
//	cells/<id>/train.jsonl      one Train record a line
//	cells/<id>/eval.jsonl       one Eval record a line
//	cells/<id>/pools.jsonl      one Pool record a line, where answers are recorded
//	cells/<id>/policy.ckpt      the trained policy, or its SHA-256 (keep_policy in [train]);
//	                            empty where answers were imported
//	cells/<id>/DONE             hashes of the files above, written last
//	cells/<id>/provenance.json  when, where and with what it was run, and timings
//	<spec>/run.json             which cells make up an experiment (Manifest)
//
// Everything but provenance.json is a pure function of the resolved cell: no
// time, host, device, commit or thread count is in it.
package record

import "slices"

// Names of the files, as listed in the package comment.
const (
	ManifestFile   = "run.json"
	PlanFile       = "plan.json" // until there is a manifest
	CellFile       = "cell.json"
	TrainFile      = "train.jsonl"
	EvalFile       = "eval.jsonl"
	CheckpointFile = "policy.ckpt"
	DoneFile       = "DONE"
	ProvenanceFile = "provenance.json"
)

// PoolsFile holds the recorded answers of evaluations, one Pool a line; a cell whose keep in
// [eval] is 0 has no such file.
const PoolsFile = "pools.jsonl"

// Version is the results version. It is part of every cell's identity and is
// raised by hand whenever the same cell would give other records.
const Version = 2

// A Cell is one method with one seed on one setting, with every field resolved:
// nothing that can change a record is left to a default.
type Cell struct {
	Version   int            `json:"version"`
	Env       Component      `json:"env"`
	Policy    Component      `json:"policy"`
	Method    string         `json:"method"`
	Estimator map[string]any `json:"estimator"`
	Objective map[string]any `json:"objective"`
	Protocol  map[string]any `json:"protocol,omitempty"` // differences from the plain protocol
	Rewards   map[string]any `json:"rewards,omitempty"`  // likewise
	Train     map[string]any `json:"train"`
	Eval      map[string]any `json:"eval"`
	Seed      int            `json:"seed"`
}

// A Component is a named part of a cell with its resolved parameters.
type Component struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params"`
}

// Train is one training step, averaged over the batch it was made from. All
// values describe the policy before the step's update.
type Train struct {
	Step      int     `json:"step"`      // 0-based index of the update
	Reward    float64 `json:"reward"`    // mean scalar reward of the answers, under the weights their prompt asks for or w*
	Correct   float64 `json:"correct"`   // share of correct answers
	Solved    float64 `json:"solved"`    // share of groups with at least one correct answer
	Clusters  float64 `json:"clusters"`  // mean number of distinct modes among a group's correct answers
	Entropy   float64 `json:"entropy"`   // mean token entropy, nats
	Advantage float64 `json:"advantage"` // mean |A| over rollouts; A is the mean over tokens, if tokens have advantages
	Loss      float64 `json:"loss"`
	GradNorm  float64 `json:"grad_norm"` // Euclidean norm of the loss's gradient
	KL        float64 `json:"kl"`        // mean token k3 estimate to the frozen reference; 0 when the objective does not ask for it
	Clipped   float64 `json:"clipped"`   // share of tokens that the ratio clip cut off
}

// Eval is one evaluation of the policy after Step updates.
type Eval struct {
	Step int `json:"step"`
	// Exact reports whether the metrics are exact, by enumeration, and not estimated from pools of
	// sampled answers. It does not cover kl, which has a temperature of its own and may be
	// estimated all the same.
	Exact bool `json:"exact"`
	// Metrics by the names of package metrics, averaged over problems.
	Metrics map[string]float64 `json:"metrics"`
	// Modes is the probability mass of each mode, averaged over problems, in
	// descending order of correctness, then by name; nil unless asked for.
	Modes []Share `json:"modes,omitempty"`
	// Solved is, for each problem, the probability of a correct answer among the largest k of
	// the evaluation, 0 or 1 of a pool of that size; nil unless asked for.
	Solved []float64 `json:"solved,omitempty"`
}

// Timings has the seconds that the parts of a training step take, as medians over the steps
// that were timed. A cell's provenance.json holds it, which is no record.
type Timings struct {
	Steps    int     `json:"steps"`    // that were timed
	Sample   float64 `json:"sample"`   // drawing rollouts, greedy ones included
	Judge    float64 `json:"judge"`    // judging them, what divergence takes from rewards, and dynamic sampling's choice
	Estimate float64 `json:"estimate"` // the estimator
	Update   float64 `json:"update"`   // objective, gradient and optimiser, over all epochs
}

// Total is the seconds of a step.
func (t Timings) Total() float64 { return t.Sample + t.Judge + t.Estimate + t.Update }

// A Share is the probability mass on one mode.
type Share struct {
	Mode    string  `json:"mode"` // "" is the degenerate mode
	Correct bool    `json:"correct"`
	Mass    float64 `json:"mass"` // in [0, 1]
}

// A Manifest lists the cells of an experiment, and its figures and claims.
type Manifest struct {
	Version  int       `json:"version"`
	Spec     string    `json:"spec"`
	Title    string    `json:"title"`
	Source   string    `json:"source"`
	Cells    string    `json:"cells"`   // folder of the cells, relative to the manifest
	Columns  []string  `json:"columns"` // metrics of the summary table
	Variants []Variant `json:"variants"`
	Nested   Nested    `json:"nested,omitempty"`  // which seeds share a draw of problems and a base policy; none: all do
	Timings  bool      `json:"timings,omitempty"` // show what the parts of a step take
	Figures  []Figure  `json:"figures"`
	Claims   []Claim   `json:"claims"`
}

// A Variant is a method at one point of the spec's grid; its cells differ by seed alone.
type Variant struct {
	Label  string `json:"label"` // name plus the axes in which it differs from others
	Name   string `json:"name"`  // the method's name in the spec: its label, if it has one
	Method string `json:"method"`
	// Trains is false for methods that are measured once, since no step changes them: the base
	// policy, the exact optimum.
	Trains bool   `json:"trains"`
	Tokens int    `json:"tokens,omitempty"` // the budget that ends its training; 0: none
	Axes   []Axis `json:"axes"`             // the fields of the spec that are lists, at this variant's values
	Cells  []Ref  `json:"cells"`
}

// An Axis is one grid field at one value, as text: {"train.lr", "0.1"}.
type Axis struct {
	Field string `json:"field"`
	Value string `json:"value"`
}

// A Ref points at a cell.
type Ref struct {
	Seed int    `json:"seed"`
	ID   string `json:"id"` // name of the cell's folder
}

// A Figure asks for one picture of the experiment.
type Figure struct {
	Name    string   `json:"name" param:"name" doc:"name of its files, without extension"`
	Kind    string   `json:"kind" param:"kind"` // the name of a FigureKind
	Title   string   `json:"title" param:"title" doc:"above the figure"`
	Metrics []string `json:"metrics" param:"metrics" doc:"one panel each; a k-curve names families (best), others metrics (best@4); empty for recorded answers"`
	// Where selects the variants whose axes (or "method") take one of the listed values;
	// fields that a variant does not have do not exclude it.
	Where []Filter `json:"where"`
	Rows  []string `json:"rows" param:"rows" doc:"grid: the fields that distinguish its rows (method, train.lr)"`
	Cols  []string `json:"cols" param:"cols" doc:"grid, agreement: the fields that distinguish its columns"`
	Panel []string `json:"panel" param:"panel" doc:"modes, front, answers, map, tree: labels of the variants to draw, in order; empty: all"`

	Problem    int      `json:"problem,omitempty" param:"problem" doc:"front, answers, map, tree: number of the problem, from 0, of those whose answers are recorded" min:"0"`
	Steps      []int    `json:"steps,omitempty" param:"steps" doc:"front, answers, map, tree: the evaluations shown, by training step; empty: the last, and of a map four from the first to the last" min:"0"`
	Components []string `json:"components,omitempty" param:"components" doc:"front: the two or three components of the reward that are its axes, by name; empty: all of them"`

	Width   float64   `json:"width,omitempty" param:"width" doc:"inches; without it a column of a paper (3.25) for one panel, and mostly a page (6.75) for several" min:"1" max:"20"`
	X       []float64 `json:"x,omitempty" param:"x" doc:"limits of the horizontal axis of every panel, x = [0, 100]; empty: all values"`
	Y       []float64 `json:"y,omitempty" param:"y" doc:"limits of the vertical axis of every panel; empty: all values"`
	Log     string    `json:"log,omitempty" param:"log" doc:"the axes that are logarithmic, where values at or below 0 lie beyond the lower end; without it none" choices:"none,x,y,xy"`
	FreeY   bool      `json:"free_y,omitempty" param:"free_y" doc:"beside figures of other experiments (bench plot DIR DIR2) the panels have vertical axes of their own"`
	Without []string  `json:"without,omitempty" param:"without" doc:"parts to leave out: the title, the legend, the sentences of the footer" choices:"title,legend,footer"`
}

// A Filter selects the variants whose Field takes one of Values.
type Filter struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// Named returns the variants with that label; without any, those with that name, or else
// those of that method.
func Named(variants []Variant, name string) []Variant {
	var called, methods []Variant
	for _, v := range variants {
		if v.Label == name {
			return []Variant{v}
		}
		if v.Name == name {
			called = append(called, v)
		}
		if v.Method == name {
			methods = append(methods, v)
		}
	}
	if called != nil {
		return called
	}
	return methods
}

// Value returns the variant's value of an axis; "method" is one too, by the name
// that the spec gives it.
func (v Variant) Value(field string) (string, bool) {
	if field == "method" {
		return v.Name, true
	}
	for _, a := range v.Axes {
		if a.Field == field {
			return a.Value, true
		}
	}
	return "", false
}

// Agree lists the axes of two variants, those of b first, and reports whether they
// have the same values of those that both have. If not, the list is nil.
func Agree(a, b Variant) (axes []Axis, ok bool) {
	axes = slices.Clone(b.Axes)
	for _, axis := range a.Axes {
		value, shared := b.Value(axis.Field)
		if !shared {
			axes = append(axes, axis)
		} else if value != axis.Value {
			return nil, false
		}
	}
	return axes, true
}

// A Pair is two variants that a claim compares.
type Pair struct {
	A, B Variant
	Axes []Axis // of both, less those in which they differ
}

// Pairs lists the variants named a beside those of each b that agree on every axis which both
// have. Two that are named by their whole labels are compared whatever their settings: who
// writes "base temperature=0.6" beside "grpo temperature=1" means these two.
func Pairs(variants []Variant, a string, b ...string) []Pair {
	var out []Pair
	for _, va := range Named(variants, a) {
		for _, name := range b {
			for _, vb := range Named(variants, name) {
				axes, agree := Agree(va, vb)
				if !agree && va.Label == a && vb.Label == name {
					axes, agree = slices.DeleteFunc(slices.Clone(vb.Axes), func(x Axis) bool {
						value, shared := va.Value(x.Field)
						return shared && value != x.Value
					}), true
				}
				if agree {
					out = append(out, Pair{va, vb, axes})
				}
			}
		}
	}
	return out
}

// Shows reports whether the figure shows the variant.
func (f Figure) Shows(v Variant) bool {
	for _, w := range f.Where {
		value, ok := v.Value(w.Field)
		if !ok {
			continue
		}
		if !slices.Contains(w.Values, value) {
			return false
		}
	}
	return true
}
