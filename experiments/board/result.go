package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"modebench/internal/each"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// A Result holds the results of all methods on one task, as kept in a file.
type Result struct {
	Version   int        `json:"board"`
	Task      string     `json:"task"`
	Policy    string     `json:"policy"`
	Budget    int        `json:"tokens"`
	K         []int      `json:"k"`
	Tuning    []int      `json:"tuning_seeds"` // the first, and how many
	Seeds     []int      `json:"seeds"`        // the first, and how many a method has at most
	Range     Range      `json:"wider"`        // of rates
	Base      BasePolicy `json:"base"`
	Standings []Standing `json:"methods"` // by name
	Unfit     []Unfit    `json:"unfit"`
}

// A BasePolicy is the policy before training, in the mean over the evaluation seeds that were run.
type BasePolicy struct {
	Seeds     int            `json:"seeds"`
	Diversity lined.Number   `json:"diversity"`
	Entropy   lined.Number   `json:"entropy"`
	Solved    []lined.Number `json:"solved"` // over K
	Found     []lined.Number `json:"found"`
}

// A Standing is one method on a task.
type Standing struct {
	Method string      `json:"method"`
	Tried  []Tried     `json:"tried"` // its settings, on tuning seeds
	Paper  string      `json:"paper"` // the setting of its source; "": none
	Rows   []Evaluated `json:"rows"`  // those that were evaluated; none yet after tuning alone
}

// A Tried is a setting on the tuning seeds.
type Tried struct {
	Setting string `json:"setting"`
	// Scores are the areas in the mean over the seeds of each round; for the profile, a capability's
	// scores. NaN: it was not in the round.
	Scores []lined.Number `json:"areas"`
}

// scoreIn is the score in a round; NaN without one.
func (s Tried) scoreIn(round int) float64 {
	if round < len(s.Scores) {
		return float64(s.Scores[round])
	}
	return math.NaN()
}

// The roles of a row. A setting may have both.
const (
	Tuned   = "tuned"   // chosen on the task
	Carried = "carried" // one setting for all tasks
)

// Roles lists the roles of rows.
var Roles = []string{Tuned, Carried}

// An Evaluated is a setting on the evaluation seeds, on the first of them.
type Evaluated struct {
	Setting string   `json:"setting"`
	As      []string `json:"as"` // of Roles
	// Same is the hash of its evaluations on the seeds of the first look. Methods with the same hash are
	// one method here.
	Same  string   `json:"evaluations"`
	Cells []string `json:"cells"` // by look, hash of the names of the cells and of their DONE
	// Means has the columns in the mean over seeds, but those that Seeds has.
	Means map[string]lined.Number `json:"means"`
	// Seeds has the columns that the table is made of, by seed.
	Seeds map[string][]lined.Number `json:"seeds"`
	// Trace is the mean over seeds of [share of the budget, accuracy, diversity, entropy] at
	// some of the evaluations. Solved and Found are the mean curves over K after training.
	Trace  [][4]lined.Number `json:"trace"`
	Solved []lined.Number    `json:"solved"`
	Found  []lined.Number    `json:"found"`
	// Paths are the reference's [accuracy, diversity, solved] at each evaluation, by seed. Gains of other
	// methods are measured from them.
	Paths [][][3]lined.Number `json:"paths,omitempty"`
}

// bySeed are the columns that results keep of every seed of a tuned row.
var bySeed = Names(ofSeeds)

// traced is how many evaluations a kept trace has at most.
const traced = 11

// Reached are the reference's traces by seed, from its Paths: without tokens and entropies.
func (r *Result) Reached() map[int]Trace {
	row := r.Tuned(Reference)
	if row == nil {
		return nil
	}
	out := map[int]Trace{}
	for i, path := range row.Paths {
		var trace Trace
		for _, p := range path {
			trace = append(trace, Point{Accuracy: float64(p[0]), Diversity: float64(p[1]), Solved: float64(p[2])})
		}
		out[r.Seeds[0]+i] = trace
	}
	return out
}

// N is how many seeds the row has.
func (e *Evaluated) N() int { return len(e.Seeds["area"]) }

// Tried are the settings of a method so far.
func (r *Result) Tried(method string) []Tried {
	if s := r.Standing(method); s != nil {
		return s.Tried
	}
	return nil
}

// Runs is how many runs of the whole budget the numbers of a method took (Protocol.Runs).
func (r *Result) Runs(p Protocol, method string) (runs float64) {
	s := r.Standing(method)
	if s == nil {
		return 0
	}
	for _, tried := range s.Tried {
		for round, stage := range p.Rounds {
			if !math.IsNaN(tried.scoreIn(round)) {
				runs += float64(float64(stage.Seeds) * cmp.Or(stage.Part, 1))
			}
		}
	}
	for _, row := range s.Rows {
		runs += float64(row.N())
	}
	return runs
}

// Text is the result as its file holds it.
func (r *Result) Text() []byte { return lined.Text(*r) }

// ParseResult reads a result from its text. Errors name path as its file.
func ParseResult(path string, data []byte) (*Result, error) {
	r := &Result{}
	if err := ParseDocument(path, data, r, "board", &r.Version, Version, nullable...); err != nil {
		return nil, err
	}
	return r, nil
}

// nullable are the members that may hold null: numbers that a seed never reached, and metrics
// that a task does not have.
var nullable = append([]string{"areas", "trace", "solved", "found", "paths"}, Names(0)...)

// Check returns the first fault of the result, and its place.
func (r *Result) Check() (place string, err error) {
	names := each.Map(r.Standings, func(s Standing) string { return s.Method })
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
		place := fmt.Sprintf(".rows[%d]", i)
		for _, role := range row.As {
			if !slices.Contains(Roles, role) {
				return place + ".as", fmt.Errorf("got %q, want one of %q", role, Roles)
			}
		}
		if inner, err := row.check(r); err != nil {
			return place + inner, err
		}
		if s.Method == Reference && slices.Contains(row.As, Tuned) && len(row.Paths) != row.N() {
			return place + ".paths", fmt.Errorf("%d paths, want one for each of %d seeds", len(row.Paths), row.N())
		}
	}
	if len(s.Rows) > 0 && s.Row(Tuned) == nil {
		return ".rows", fmt.Errorf("no row is there as %q", Tuned)
	}
	return "", nil
}

// check returns the first fault of the row, and its place.
func (e *Evaluated) check(r *Result) (place string, err error) {
	for _, c := range bySeed {
		if n := len(e.Seeds[c]); n != e.N() || n < 1 || n > r.Seeds[1] {
			return ".seeds." + c, fmt.Errorf("%d values, want one for each seed, at most %d, as of area", n, r.Seeds[1])
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

// BySeed are the values of a column that rows keep by seed; NaN if a seed lacks it.
func (e *Evaluated) BySeed(column string) []float64 {
	return lined.Floats(e.Seeds[column])
}

// First are the values on the seeds of the first look, which all methods have: means of methods are
// of the same problems.
func (e *Evaluated) First(column string) []float64 {
	xs := e.BySeed(column)
	return xs[:min(len(xs), stats.Looks[0].Seeds)]
}

// Mean is a column in the mean over the seeds of First that have it, or over all seeds if results do not
// keep it by seed; NaN without one.
func (e *Evaluated) Mean(column string) float64 {
	if xs := e.First(column); len(xs) > 0 {
		return Mean(xs)
	}
	if x, ok := e.Means[column]; ok {
		return float64(x)
	}
	return math.NaN()
}

// OfTask is the result of a task, or nil.
func OfTask(results []*Result, task string) *Result {
	if r := First(results, func(r **Result) bool { return (*r).Task == task }); r != nil {
		return *r
	}
	return nil
}

// Row is the row of a method in a role, or nil.
func (r *Result) Row(method, role string) *Evaluated {
	if s := r.Standing(method); s != nil {
		return s.Row(role)
	}
	return nil
}

// Tuned is the row by which a method is ranked; nil if it was not evaluated on the task.
func (r *Result) Tuned(method string) *Evaluated { return r.Row(method, Tuned) }

// Standing is the standing of a method, or nil.
func (r *Result) Standing(method string) *Standing {
	return First(r.Standings, func(s *Standing) bool { return s.Method == method })
}

// Add puts the methods of another result of the same task into this one, in place of those
// of the same names. Results of other settings are an error.
func (r *Result) Add(more *Result) error {
	err := cmp.Or(
		Alike("task", r.Task, more.Task), Alike("policy", r.Policy, more.Policy), Alike("tokens", r.Budget, more.Budget), Alike("k", r.K, more.K),
		Alike("tuning_seeds", r.Tuning, more.Tuning), Alike("seeds", r.Seeds, more.Seeds), Alike("wider", r.Range, more.Range),
	)
	if err == nil {
		r.Standings, r.Unfit = Merged(r.Standings, more.Standings, r.Unfit, more.Unfit, methodOf)
	}
	return err
}

func methodOf(s Standing) string { return s.Method }
