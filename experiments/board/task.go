package board

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
)

// A Task is an environment, the training on it and the numbers measured there. Every method
// runs on every task that it fits.
type Task struct {
	Name   string
	Policy string // kind of policy
	Board  string // the name of its stages, rates and folders of specs; "": the policy
	// Accuracy and Diversity are the metrics of the frontier. The first is put on a scale
	// from the base policy to the exact optimum; the second is a share of all there is.
	Accuracy, Diversity string
	// Solved and Found are the metrics at k, without "@k", of the curves over answers.
	Solved, Found string
	// Score chooses settings, in place of Columns: 0 if nothing was learned and 1 at the exact
	// optimum, unless the task's file defines it otherwise. A seed may be below 0 or above 1:
	// it is not clipped, since a mean of clipped numbers would be too large near 0. nil: the
	// task has Columns.
	Score func(f *Final) float64
	// LabelFree: methods that read correctness or rewards cannot enter.
	LabelFree bool
	Range     Range  // of rates
	Text      string // the spec, without seeds and methods
	// Training and evaluation, read from the text.
	Steps, Every int    // of a plain method
	Budget       int    // tokens that training draws
	K            []int  // answers
	Group        int    // rollouts
	dir          string // where commands of plug-ins are started; "": the working folder
}

// A Range has the ends at which the range of rates of a task was made wider.
type Range struct {
	Lower  bool `json:"lower"`
	Higher bool `json:"higher"`
}

//go:embed tabular/*.toml transformer/*.toml
var texts embed.FS

// tasks lists the tasks in the order of the tables.
var tasks = []Task{
	{Name: "bandit-held-out", Policy: "tabular"},
	{Name: "coins", Policy: "tabular"},
	{Name: "countdown", Policy: "tabular"},
	{Name: "countdown-stale", Policy: "tabular"},
	{Name: "derivation", Policy: "tabular"},
	{Name: "maze", Policy: "tabular", Accuracy: "best@1", Diversity: "front_coverage@64", Solved: "best", Found: "front_coverage"},
	{Name: "multiplication", Policy: "tabular"},
	{Name: "polynomial", Policy: "tabular"},

	{Name: "coins", Policy: "transformer"},
	{Name: "coins-stale", Policy: "transformer"},
	{Name: "countdown", Policy: "transformer"},
	{Name: "derivation", Policy: "transformer"},
	{Name: "maze", Policy: "transformer", Accuracy: "best@1", Diversity: "coverage@64", Solved: "best", Found: "coverage"},
	{Name: "polynomial", Policy: "transformer"},
}

// Tasks lists the tasks of a kind of policy, in the order of the tables.
func Tasks(policy string) ([]Task, error) {
	list := slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return t.Policy != policy })
	if len(list) == 0 {
		return nil, input.Errorf("there is no board under policy %q: want tabular or transformer", policy)
	}
	files, err := fs.Sub(texts, policy)
	if err != nil {
		return nil, err
	}
	return ReadTasks(list, files)
}

// ReadTasks reads the files of tasks, NAME.toml for each.
func ReadTasks(tasks []Task, files fs.FS) (out []Task, err error) {
	for _, t := range tasks {
		text, err := fs.ReadFile(files, t.Name+".toml")
		if err != nil {
			return nil, err
		}
		if err := t.read(string(text)); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		if t.Accuracy == "" {
			t.Accuracy, t.Diversity, t.Solved, t.Found = "pass@1", "coverage@64", "pass", "coverage"
		}
		out = append(out, t)
	}
	return out, nil
}

// board names the task's stages, rates and folders.
func (t Task) board() string { return cmp.Or(t.Board, t.Policy) }

// read takes the task's text, and reads its training and evaluation.
func (t *Task) read(text string) error {
	var spec struct {
		Train struct{ Steps, Tokens, Group int }
		Eval  struct {
			Every int
			K     []int
		}
	}
	if err := toml.Unmarshal([]byte(text), &spec); err != nil {
		return err
	}
	t.Text, t.Steps, t.Every, t.Budget, t.K = text, spec.Train.Steps, spec.Eval.Every, spec.Train.Tokens, spec.Eval.K
	t.Group = spec.Train.Group
	return nil
}

// Keep keeps the tasks of these names, in the order of the tables; no name keeps all. Errors
// use kind for one task and kinds for several.
func Keep(all []Task, kind, kinds string, names []string) ([]Task, error) {
	known := each.Map(all, func(t Task) string { return t.Name })
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, input.Errorf("unknown %s %q; %sthe %s are %s", kind, name, nearest.Hint(name, known), kinds, strings.Join(known, ", "))
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(t Task) bool { return !slices.Contains(names, t.Name) }), nil
}

// Final is the state of a seed at the end of training.
type Final struct {
	Last map[string]float64 // the metrics after training
	Scale
	trace     Trace
	reference Trace   // of the Reference on the same seed; nil: not known
	solved    string  // Task.Solved
	budget    float64 // tokens
}

// Metric is a metric of an evaluation; NaN if the evaluation lacks it.
func Metric(metrics map[string]float64, name string) float64 {
	if x, ok := metrics[name]; ok {
		return x
	}
	return math.NaN()
}

// A Scale fixes 0 and 1 for a seed: the metrics of the base policy and of the exact optimum on
// its problems.
type Scale struct{ Base, Optimum map[string]float64 }

// Scaled is a value of a metric on the scale of that metric.
func (s Scale) Scaled(name string, x float64) float64 {
	from, to := s.Base[name], s.Optimum[name]
	return (x - from) / (to - from)
}
