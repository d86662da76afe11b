package board

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/record"
)

// Drawn is the metric of the tokens drawn in training before an evaluation.
const Drawn = "drawn_tokens"

// scoreColumn is the column of a task with a Score of its own.
const scoreColumn = "score"

// columns are the task's numbers of each seed. The first is the score that chooses settings.
func (t Task) columns() []Column {
	if t.Score != nil {
		return []Column{{Name: scoreColumn, measure: t.Score}, {Name: "accuracy", measure: func(f *Final) float64 { return f.trace.last().Accuracy }}}
	}
	return Columns
}

// Mean is the score that chooses settings, in the mean over seeds.
func (t Task) Mean(s *Seeds) float64 { return Mean(s.Values[t.columns()[0].Name]) }

// scales reads the scale of every seed of a run. A seed that lacks one, or on which the
// base policy is as good as the optimum, is an error: no score of it would mean anything.
func (t Task) scales(run *record.Run) (map[int]Scale, error) {
	out := map[int]Scale{}
	for _, v := range run.Variants {
		if v.Name != Base && v.Name != Optimum {
			continue
		}
		for _, ref := range v.Cells {
			evals, err := run.Evals(ref)
			if err != nil {
				return nil, err
			}
			s := out[ref.Seed]
			if v.Name == Base {
				s.Base = evals[len(evals)-1].Metrics
			} else {
				s.Optimum = evals[len(evals)-1].Metrics
			}
			out[ref.Seed] = s
		}
	}
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			if err := t.checkScale(out[ref.Seed]); err != nil {
				return nil, fmt.Errorf("task %s: seed %d: %w", t.Name, ref.Seed, err)
			}
		}
	}
	return out, nil
}

func (t Task) checkScale(s Scale) error {
	from, err := need(s.Base, t.Accuracy)
	if err != nil {
		return fmt.Errorf("%s: %w", Base, err)
	}
	to, err := need(s.Optimum, t.Accuracy)
	if err != nil {
		return fmt.Errorf("%s: %w", Optimum, err)
	}
	if !(to > from) {
		return fmt.Errorf("%s is %v of the base policy and %v of the optimum: there is nothing to learn", t.Accuracy, from, to)
	}
	return nil
}

// BaseScores are the task's Score of the base policy, by seed of the evaluation.
func (t Task) BaseScores(run *record.Run) ([]float64, error) {
	scales, err := t.scales(run)
	if err != nil {
		return nil, err
	}
	var out []float64
	stage := t.Evaluation()
	for seed := stage.FirstSeed; seed < stage.FirstSeed+stage.Seeds; seed++ {
		scale, ok := scales[seed]
		if !ok {
			return nil, fmt.Errorf("task %s: seed %d: the runs lack %s", t.Name, seed, Base)
		}
		out = append(out, t.Score(&Final{Last: scale.Base, Scale: scale}))
	}
	return out, nil
}

// need is a metric that an evaluation has to have.
func need(metrics map[string]float64, name string) (float64, error) {
	x, ok := metrics[name]
	if !ok {
		return 0, fmt.Errorf("no evaluation has the metric %s", name)
	}
	return x, nil
}

// Seeds are the columns of the seeds of one variant, with the curves for figures.
type Seeds struct {
	Numbers []int                // the seeds
	Values  map[string][]float64 // by column, in the order of seeds
	Traces  []Trace
	Solved  [][]float64 // the task's curves over k after training, [seed][k]
	Found   [][]float64
	Cells   string // hash of the cells' names and records
	Same    string // hash of evaluations alone: methods with the same hash are one method here
}

// Scored scores the entries of one stage by its runs, in the order of entries. An entry that
// the runs lack is an error. reference holds the traces of the Reference by seed, or nothing.
func (t Task) Scored(runs []*record.Run, entries []Entry, reference map[int]Trace) ([]*Seeds, error) {
	out := make([]*Seeds, len(entries))
	for _, run := range runs {
		scales, err := t.scales(run)
		if err != nil {
			return nil, err
		}
		for _, v := range run.Variants {
			i := slices.IndexFunc(entries, func(e Entry) bool { return e.label() == v.Name })
			if i < 0 {
				continue // a reference of the scores
			}
			if out[i], err = t.score(run, v, scales, reference); err != nil {
				return nil, fmt.Errorf("task %s: %s: %w", t.Name, v.Name, err)
			}
		}
	}
	for i, e := range entries {
		if out[i] == nil {
			return nil, fmt.Errorf("task %s: the runs lack %q", t.Name, e.label())
		}
	}
	return out, nil
}

// solvedAt is the number of answers of Point.Solved.
const solvedAt = 16

// score scores the seeds of a variant. reference holds the traces of the Reference by seed.
func (t Task) score(run *record.Run, v record.Variant, scales map[int]Scale, reference map[int]Trace) (*Seeds, error) {
	out := &Seeds{Values: map[string][]float64{}}
	cells, same := sha256.New(), sha256.New()
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			return nil, err
		}
		done, err := run.File(ref, record.DoneFile)
		if err != nil {
			return nil, err
		}
		text, err := run.File(ref, record.EvalFile)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(cells, "%s %x\n", ref.ID, sha256.Sum256(done))
		same.Write(text)
		f := &Final{Last: evals[len(evals)-1].Metrics, Scale: scales[ref.Seed], budget: float64(t.Budget), reference: reference[ref.Seed], solved: t.Solved}
		for _, e := range evals {
			var needed [3]float64
			for i, name := range []string{Drawn, t.Accuracy, t.Diversity} {
				if needed[i], err = need(e.Metrics, name); err != nil {
					return nil, fmt.Errorf("seed %d: %w", ref.Seed, err)
				}
			}
			f.trace = append(f.trace, Point{
				Drawn:     needed[0],
				Accuracy:  f.Scaled(t.Accuracy, needed[1]),
				Diversity: needed[2],
				Solved:    Metric(e.Metrics, fmt.Sprintf("%s@%d", t.Solved, solvedAt)),
				Entropy:   Metric(e.Metrics, "entropy_mode"),
			})
		}
		f.trace = f.trace.trained()
		for _, c := range t.columns() {
			out.Values[c.Name] = append(out.Values[c.Name], c.measure(f))
		}
		out.Numbers, out.Traces = append(out.Numbers, ref.Seed), append(out.Traces, f.trace)
		out.Solved = append(out.Solved, curve(f.Last, t.Solved, t.K))
		out.Found = append(out.Found, curve(f.Last, t.Found, t.K))
	}
	out.Cells, out.Same = short(cells.Sum(nil)), short(same.Sum(nil))
	return out, nil
}

// trained leaves out evaluations after the budget was spent, in which nothing has moved.
func (t Trace) trained() Trace {
	end := len(t)
	for end > 1 && t[end-1].Drawn == t[end-2].Drawn {
		end--
	}
	return slices.Clip(t[:end])
}

// curve is a metric at each k.
func curve(metrics map[string]float64, name string, k []int) []float64 {
	out := make([]float64, len(k))
	for i, n := range k {
		out[i] = Metric(metrics, fmt.Sprintf("%s@%d", name, n))
	}
	return out
}

// short is a hash in the form of result files.
func short(sum []byte) string { return fmt.Sprintf("%x", sum[:8]) }

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
