package plots

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/strictjson"
	"modebench/plots/draw"
)

// IsData says whether the text of a file looks like that of a figure's data.
func IsData(text []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"modebench_figure"`))
}

// OpenData reads the file of a figure's data. A file of another version or kind, and one
// whose parts do not fit together, is an error that names the file and the place.
func OpenData(path string) (*Data, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := ParseData(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// ParseData is OpenData for the text of a file.
func ParseData(text []byte) (*Data, error) {
	var f dataFile
	if err := strictjson.CheckSyntax(text); err != nil {
		return nil, err
	}
	if !IsData(text) {
		return nil, errors.New(`not the data of a figure: it does not begin with {"modebench_figure": (bench plot --format json writes them)`)
	}
	if err := strictjson.CheckMembers(text, "mean", "low", "high"); err != nil {
		return nil, err
	}
	if err := strictjson.Decode(text, "", &f); err != nil {
		return nil, err
	}
	return f.data()
}

// fileName is what may become the name of a figure's files.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// IsFigureName says whether a figure of that name can be read from a file again.
func IsFigureName(name string) bool { return fileName.MatchString(name) }

func (f *dataFile) data() (*Data, error) {
	d := &Data{Version: f.Version, Spec: f.Spec, Policy: f.Policy, Figure: record.Figure(f.Figure)}
	_, plain := kinds[f.Figure.Kind]
	_, pools := poolKinds[f.Figure.Kind]
	claims := f.Figure.Kind == claimsKind
	switch {
	case f.Version != DataVersion:
		return nil, fmt.Errorf("modebench_figure: got version %d, want %d: draw the figure from its records again", f.Version, DataVersion)
	case !IsFigureName(f.Figure.Name):
		return nil, fmt.Errorf("figure.name: got %q, want a name for files: letters, digits, '.', '_' and '-', not beginning with a dot", f.Figure.Name)
	case !plain && !pools && !claims:
		return nil, fmt.Errorf("figure.kind: got %q, want one of %s", f.Figure.Kind, strings.Join(Kinds(), ", "))
	case claims != (len(f.Variants) == 0) || claims != (len(f.Claims) > 0):
		return nil, fmt.Errorf("%d variants and %d claims in a figure of kind %s, want variants alone, or claims of kind %s", len(f.Variants), len(f.Claims), f.Figure.Kind, claimsKind)
	}
	if i := slices.IndexFunc(f.Figure.Steps, func(step int) bool { return step < 0 }); i >= 0 || f.Figure.Problem < 0 {
		return nil, fmt.Errorf("figure: a step or problem below 0")
	}
	for i := range f.Variants {
		v, err := f.Variants[i].variant(f.Figure.Kind)
		if err != nil {
			return nil, fmt.Errorf("variants[%d]: %w", i, err)
		}
		d.Variants = append(d.Variants, v)
	}
	for i, c := range f.Claims {
		row := ClaimRow{Spec: c.Spec, Name: c.Name, Text: c.Text, Metrics: c.Metrics, Verdict: c.Verdict, Compares: c.Compares, Holds: c.Holds, Judged: c.Judged}
		var err error
		if row.Effects, err = c.intervals(len(c.Mean), math.MaxInt); err != nil {
			return nil, fmt.Errorf("claims[%d]: %w", i, err)
		}
		if c.Holds < 0 || c.Holds > c.Judged || c.Judged > len(c.Mean) {
			return nil, fmt.Errorf("claims[%d]: holds at %d of %d judged of %d settings", i, c.Holds, c.Judged, len(c.Mean))
		}
		d.Claims = append(d.Claims, row)
	}
	return d, nil
}

func (f *variantFile) variant(kind string) (Variant, error) {
	v := Variant{
		Label: f.Label, Name: f.Name, Method: f.Method, Trains: f.Trains, Axes: f.Axes,
		Seeds: f.Seeds, Steps: f.Steps, Short: f.Short, Rivers: f.Rivers,
	}
	if len(f.Seeds) == 0 || len(f.Steps) == 0 {
		return v, errors.New("no seeds or no steps, want one or more of each")
	}
	for i, step := range f.Steps {
		if step < 0 || step > 1<<50 || i > 0 && step <= f.Steps[i-1] {
			return v, fmt.Errorf("steps[%d]: got %d, want ascending steps from 0", i, step)
		}
	}
	for i, s := range f.Series {
		at, err := s.intervals(len(f.Steps), len(f.Seeds))
		if err != nil {
			return v, fmt.Errorf("series[%d]: %w", i, err)
		}
		if slices.ContainsFunc(v.Series, func(o Series) bool { return o.Metric == s.Metric }) {
			return v, fmt.Errorf("series[%d]: a second series of %q", i, s.Metric)
		}
		v.Series = append(v.Series, Series{s.Metric, at})
	}
	for i, s := range f.Scores {
		values, err := numbers(s.Values, fmt.Sprintf("scores[%d].values", i))
		if err != nil {
			return v, err
		}
		if slices.ContainsFunc(v.Scores, func(o Scores) bool { return o.Metric == s.Metric }) {
			return v, fmt.Errorf("scores[%d]: a second list of %q", i, s.Metric)
		}
		if len(values) != len(f.Seeds) {
			return v, fmt.Errorf("scores[%d]: %d values for %d seeds", i, len(values), len(f.Seeds))
		}
		v.Scores = append(v.Scores, Scores{s.Metric, values})
	}
	if f.Rivers != nil {
		if err := f.Rivers.check(len(f.Steps)); err != nil {
			return v, fmt.Errorf("rivers: %w", err)
		}
	}
	_, pools := poolKinds[kind]
	if pools != (f.Pools != nil) {
		return v, fmt.Errorf("pools of answers belong to the kinds that draw them, and this figure is of kind %s", kind)
	}
	if !pools {
		return v, nil
	}
	var err error
	if v.Pools, err = f.Pools.pools(f.Steps); err != nil {
		return v, fmt.Errorf("pools: %w", err)
	}
	return v, nil
}

// numbers are those of a list without nulls or numbers beyond what a figure can draw.
func numbers(list []*float64, path string) ([]float64, error) {
	out, err := strictjson.Numbers(list, path)
	if err == nil && tooLarge(out...) {
		err = fmt.Errorf("%s: a number beyond %.0e", path, most)
	}
	return out, err
}

// check holds the lists of rivers against each other.
func (r *Rivers) check(steps int) error {
	lists := slices.Concat(r.Ranks, r.Masses)
	for _, list := range [][]float64{r.Plain, r.Degenerate} {
		if list != nil {
			lists = append(lists, list)
		}
	}
	if len(r.Modes) == 0 || len(r.Masses) != len(r.Modes) || len(r.Ranks) > draw.MaxRewarded+1 {
		return fmt.Errorf("%d modes, masses of %d and %d ranks, want masses of as many modes, one or more, and at most %d ranks", len(r.Modes), len(r.Masses), len(r.Ranks), draw.MaxRewarded+1)
	}
	rewarded := 0
	for _, m := range r.Modes {
		if keyOf(m).Correct {
			rewarded++
		}
		if !(m.Mass >= 0 && m.Mass <= 1+draw.Rounding) {
			return fmt.Errorf("mode %q has a mass of %v, want 0 to 1", m.Mode, m.Mass)
		}
	}
	if len(r.Ranks) > rewarded {
		return fmt.Errorf("%d ranks of %d rewarded modes", len(r.Ranks), rewarded)
	}
	for _, list := range lists {
		if len(list) != steps {
			return fmt.Errorf("a list of %d masses for %d steps", len(list), steps)
		}
		if slices.ContainsFunc(list, func(x float64) bool { return !(x >= 0 && x <= 1+draw.Rounding) }) {
			return errors.New("a mass outside 0 to 1")
		}
	}
	return nil
}

func (f *poolsFile) pools(steps []int) (*Pools, error) {
	p := &Pools{Env: f.Env, Split: f.Split}
	components := 0
	vector := func(list []*float64, path string) ([]float64, error) {
		r, err := numbers(list, path)
		if err == nil && components == 0 {
			components = len(r)
		}
		if err == nil && r != nil && len(r) != components {
			err = fmt.Errorf("%s: a reward of %d components, want %d as before", path, len(r), components)
		}
		return r, err
	}
	for i, list := range f.Front {
		r, err := vector(list, fmt.Sprintf("front[%d]", i))
		if err != nil {
			return nil, err
		}
		p.Front = append(p.Front, r)
	}
	if len(f.At) != len(steps) {
		return nil, fmt.Errorf("%d pools for %d steps", len(f.At), len(steps))
	}
	embedded := 0
	for i, from := range f.At {
		pool := record.Pool{Step: from.Step, ID: from.ID}
		if from.Step != steps[i] || len(from.Answers) == 0 {
			return nil, fmt.Errorf("at[%d]: %d answers at step %d, want one or more at step %d", i, len(from.Answers), from.Step, steps[i])
		}
		for j, a := range from.Answers {
			r, err := vector(a.Reward, fmt.Sprintf("at[%d].answers[%d].reward", i, j))
			if err != nil {
				return nil, err
			}
			if embedded == 0 {
				embedded = len(a.Embedding)
			}
			if len(a.Embedding) != 0 && len(a.Embedding) != embedded {
				return nil, fmt.Errorf("at[%d].answers[%d]: an embedding of %d numbers, want %d as before", i, j, len(a.Embedding), embedded)
			}
			if len(a.Embedding) == 0 {
				a.Embedding = nil
			}
			pool.Answers = append(pool.Answers, record.PoolAnswer{
				Rollout: j, Mode: a.Mode, Correct: a.Correct, Reward: r, Tokens: strings.Fields(a.Tokens), Embedding: a.Embedding,
			})
		}
		p.At = append(p.At, pool)
	}
	return p, nil
}
