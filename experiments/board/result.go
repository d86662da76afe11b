package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"modebench/internal/lined"
)

// A Result holds the results of all methods on one task, as kept in a file.
type Result struct {
	Version   int        `json:"board"`
	Task      string     `json:"task"`
	Policy    string     `json:"policy"`
	Budget    int        `json:"tokens"`
	K         []int      `json:"k"`
	Tuning    []int      `json:"tuning_seeds"` // the first, and how many
	Seeds     []int      `json:"seeds"`
	Standings []Standing `json:"methods"` // by name
	Unfit     []Unfit    `json:"unfit"`
}

// A Standing is one method on a task.
type Standing struct {
	Method string      `json:"method"`
	Tried  []Tried     `json:"tried"` // its settings, on tuning seeds
	Rows   []Evaluated `json:"rows"`  // those that were evaluated
}

// A Tried is a setting on the tuning seeds, in the mean.
type Tried struct {
	Setting  string       `json:"setting"`
	Score    lined.Number `json:"area"` // for the profile, a capability's score
	Accuracy lined.Number `json:"accuracy"`
}

// The roles of a row. A setting may have several.
const (
	Tuned    = "tuned"    // the best area on tuning seeds; it ranks
	Accurate = "accurate" // the best accuracy on tuning seeds
	Paper    = "paper"    // not tuned: its fields as the method has them, and the middle rate
)

// Roles lists the roles of rows.
var Roles = []string{Tuned, Accurate, Paper}

// An Evaluated is a setting on the evaluation seeds.
type Evaluated struct {
	Setting string   `json:"setting"`
	As      []string `json:"as"` // of Roles
	// Same is the hash of its evaluations: methods that have the same one are one method here.
	Same  string `json:"evaluations"`
	Cells string `json:"cells"` // hash of the names of the cells and of their DONE
	// Means has the columns in the mean over seeds, but those that Seeds has.
	Means map[string]lined.Number `json:"means"`
	// The tuned row alone keeps the following. Seeds has the columns that ranks and intervals
	// are made of, by seed.
	Seeds map[string][]lined.Number `json:"seeds,omitempty"`
	// Trace is the mean over seeds of [share of the budget, accuracy, diversity, entropy] at
	// some of the evaluations. Solved and Found are the mean curves over K after training.
	Trace  [][4]lined.Number `json:"trace,omitempty"`
	Solved []lined.Number    `json:"solved,omitempty"`
	Found  []lined.Number    `json:"found,omitempty"`
}

// bySeed are the columns that results keep of every seed of a tuned row.
var bySeed = Names(ofSeeds)

// traced is how many evaluations a kept trace has at most.
const traced = 11

// row puts the results of a setting's seeds into the form that is kept.
func (t Task) row(setting string, as []string, s *Seeds) Evaluated {
	r := Evaluated{Setting: setting, As: as, Same: s.Same, Cells: s.Cells, Means: map[string]lined.Number{}}
	for _, c := range Columns {
		r.Means[c.Name] = Four(Mean(s.Values[c.Name]))
	}
	if !slices.Contains(as, Tuned) {
		return r
	}
	r.Seeds = map[string][]lined.Number{}
	for _, c := range bySeed {
		delete(r.Means, c)
		for _, x := range s.Values[c] {
			r.Seeds[c] = append(r.Seeds[c], Four(x))
		}
	}
	r.Trace = meanTrace(s.Traces, float64(t.Budget))
	for i := range t.K {
		r.Solved = append(r.Solved, Four(meanOf(s.Solved, i)))
		r.Found = append(r.Found, Four(meanOf(s.Found, i)))
	}
	return r
}

// Four rounds to four significant digits.
func Four(x float64) lined.Number {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return lined.Number(rounded)
}

// Mean is the mean of the numbers that are not NaN; NaN if all are.
func Mean(xs []float64) float64 {
	sum, n := 0.0, 0
	for _, x := range xs {
		if !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	return sum / float64(n)
}

// meanOf is the mean of the i-th entries.
func meanOf(lists [][]float64, i int) float64 {
	var xs []float64
	for _, list := range lists {
		xs = append(xs, list[i])
	}
	return Mean(xs)
}

// meanTrace is the mean of the seeds' traces, at some of the evaluations that all have.
func meanTrace(all []Trace, budget float64) (out [][4]lined.Number) {
	n := math.MaxInt
	for _, t := range all {
		n = min(n, len(t))
	}
	kept := min(n, traced)
	for j := range kept {
		i := 0
		if kept > 1 {
			i = j * (n - 1) / (kept - 1)
		}
		var columns [4][]float64
		for _, t := range all {
			for c, x := range []float64{t[i].Drawn / budget, t[i].Accuracy, t[i].Diversity, t[i].Entropy} {
				columns[c] = append(columns[c], x)
			}
		}
		var point [4]lined.Number
		for c := range columns {
			point[c] = Four(Mean(columns[c]))
		}
		out = append(out, point)
	}
	return out
}

// Text is the result as its file holds it.
func (r *Result) Text() []byte { return lined.Text(*r) }

// ReadResult reads a file that Text wrote.
func ReadResult(path string) (*Result, error) { return ReadFile(path, ParseResult) }

// ParseResult reads a result from its text. Errors name path as its file.
func ParseResult(path string, data []byte) (*Result, error) {
	r := &Result{}
	if err := ParseDocument(path, data, r, "board", &r.Version, nullable...); err != nil {
		return nil, err
	}
	return r, nil
}

// nullable are the members that may hold null: numbers that a seed never reached, and metrics
// that a task does not have.
var nullable = append([]string{"area", "accuracy", "trace", "solved", "found"}, Names(0)...)

// Check returns the first fault of the result, and its place.
func (r *Result) Check() (place string, err error) {
	var names []string
	for _, s := range r.Standings {
		names = append(names, s.Method)
	}
	if place, err := CheckMethods(r.Tuning, r.Seeds, names, r.Unfit); err != nil {
		return place, err
	}
	for i, s := range r.Standings {
		if place, err := s.check(r); err != nil {
			return fmt.Sprintf("methods[%d]", i) + place, err
		}
	}
	return "", nil
}

// check returns the first fault of the standing, and its place.
func (s *Standing) check(r *Result) (place string, err error) {
	for i, row := range s.Rows {
		for _, role := range row.As {
			if !slices.Contains(Roles, role) {
				return fmt.Sprintf(".rows[%d].as", i), fmt.Errorf("got %q, want one of %q", role, Roles)
			}
		}
		if slices.Contains(row.As, Tuned) {
			if place, err := row.check(r); err != nil {
				return fmt.Sprintf(".rows[%d]", i) + place, err
			}
		}
	}
	for _, role := range Roles {
		if s.Row(role) == nil {
			return ".rows", fmt.Errorf("no row is there as %q", role)
		}
	}
	return "", nil
}

// check returns the first fault of the tuned row, and its place.
func (e *Evaluated) check(r *Result) (place string, err error) {
	for _, c := range bySeed {
		if len(e.Seeds[c]) != r.Seeds[1] {
			return ".seeds." + c, fmt.Errorf("%d values, want one for each of %d seeds", len(e.Seeds[c]), r.Seeds[1])
		}
	}
	if slices.ContainsFunc(e.BySeed("area"), math.IsNaN) {
		return ".seeds.area", fmt.Errorf("got null, want a number of every seed: it ranks")
	}
	if len(e.Solved) != len(r.K) || len(e.Found) != len(r.K) {
		return "", fmt.Errorf("curves of %d and %d numbers, want one for each of %d in k", len(e.Solved), len(e.Found), len(r.K))
	}
	return "", nil
}

// Row is the row of a role, or nil.
func (s *Standing) Row(role string) *Evaluated {
	return First(s.Rows, func(r *Evaluated) bool { return slices.Contains(r.As, role) })
}

// BySeed are the values of a column that a tuned row keeps by seed; NaN if a seed lacks it.
func (e *Evaluated) BySeed(column string) []float64 {
	return lined.Floats(e.Seeds[column])
}

// Mean is a column in the mean over the seeds that have it; NaN without one.
func (e *Evaluated) Mean(column string) float64 {
	if xs := e.BySeed(column); xs != nil {
		return Mean(xs)
	}
	if x, ok := e.Means[column]; ok {
		return float64(x)
	}
	return math.NaN()
}

// Tuned is the row of a method that ranks; nil if the method was not run on the task.
func (r *Result) Tuned(method string) *Evaluated {
	if s := r.Standing(method); s != nil {
		return s.Row(Tuned)
	}
	return nil
}

// Standing is the standing of a method, or nil.
func (r *Result) Standing(method string) *Standing {
	return First(r.Standings, func(s *Standing) bool { return s.Method == method })
}

// Add puts the methods of another result of the same task into this one, in place of those
// of the same names. Results of other settings are an error.
func (r *Result) Add(more *Result) error {
	err := cmp.Or(
		Alike("task", r.Task, more.Task), Alike("policy", r.Policy, more.Policy), Alike("tokens", r.Budget, more.Budget), Alike("k", r.K, more.K),
		Alike("tuning_seeds", r.Tuning, more.Tuning), Alike("seeds", r.Seeds, more.Seeds),
	)
	if err == nil {
		r.Standings, r.Unfit = Merged(r.Standings, more.Standings, r.Unfit, more.Unfit, methodOf)
	}
	return err
}

func methodOf(s Standing) string { return s.Method }
