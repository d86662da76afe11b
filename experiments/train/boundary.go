package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/rng"
	"modebench/metrics"
)

// This file measures what training made of each problem that its base policy solved, or did
// not: the first evaluation of a cell is of the base policy, on the same problems and draws.

// A boundary holds the evaluation before training, and the problems of the present one.
type boundary struct {
	before     *record.Eval // nil until it is made
	solved     []float64    // by problem: a correct answer among the largest k
	accuracies []float64    // by problem
	distinct   []float64    // distinct answers, by problem that no answer solves
	null       *nullPools   // nil: not asked for
}

// nullPools are second pools of answers of the policy before training. Training has no part in
// what they gain and lose against the first ones: the draws alone make it.
type nullPools struct {
	key    rng.Key        // of their draws, which no other draw of the cell shares
	table  *metrics.Table // while the policy before training is evaluated; else nil
	solved []float64      // by problem, as of boundary
}

// begin makes room for the second pools where the policy before training is to be evaluated.
func (b *boundary) begin(options metrics.Options) (err error) {
	if b == nil || b.null == nil || b.before != nil {
		return nil
	}
	options.Draws, options.Groups = nil, 0 // pass@k is all that is read
	b.null.table, err = metrics.NewTable(options)
	b.null.solved = nil
	return err
}

// nullTable is where the second pools are added; nil: none are drawn.
func (b *boundary) nullTable() *metrics.Table {
	if b == nil || b.null == nil {
		return nil
	}
	return b.null.table
}

// add takes up the problem that was added to the table last.
func (b *boundary) add(table *metrics.Table, k []int) {
	if b == nil {
		return
	}
	most := fmt.Sprintf("pass@%d", slices.Max(k))
	pass, _ := table.Latest(most)
	accuracy, _ := table.Latest("accuracy")
	b.solved, b.accuracies = append(b.solved, pass), append(b.accuracies, accuracy)
	if accuracy == 0 {
		distinct, _ := table.Latest("distinct_incorrect")
		b.distinct = append(b.distinct, distinct)
	}
	if second := b.nullTable(); second != nil {
		pass, _ := second.Latest(most)
		b.null.solved = append(b.null.solved, pass)
	}
}

// finish puts the metrics of the evaluation into its record, and forgets its problems.
func (b *boundary) finish(rec *record.Eval, k []int) {
	if b == nil {
		return
	}
	ks := slices.Sorted(slices.Values(k))
	rec.Solved = b.solved
	if b.before == nil {
		b.before = rec
	}
	to := rec.Metrics
	put := func(name string, value float64, defined bool) {
		if defined {
			to[name] = value
		}
	}
	before := metrics.Comparison{Solved: b.before.Solved, Pass: passCurve(ks, b.before.Metrics)}
	curve := passCurve(ks, rec.Metrics)
	maps.Copy(to, metrics.Compare(ks, before, metrics.Comparison{Solved: rec.Solved, Pass: curve}))
	b.putNull(to, ks, before)
	put(metrics.PassAreaMetric, metrics.PassArea(ks, curve), true)
	for _, c := range metrics.Covers {
		put(c.Name, metrics.Cover(b.accuracies, c.Tau), true)
	}
	put(metrics.UnsolvedMetric, mean(b.distinct), len(b.distinct) > 0)
	b.solved, b.accuracies, b.distinct = nil, nil, nil
}

// putNull adds the null of each comparison. It is measured once, before training, and later
// evaluations repeat it, so that it stands beside what it is the null of.
func (b *boundary) putNull(to map[string]float64, ks []int, before metrics.Comparison) {
	if b.null == nil {
		return
	}
	if table := b.null.table; table != nil {
		means := map[string]float64{}
		for _, v := range table.Values() {
			means[v.Name] = v.Mean
		}
		for name, value := range metrics.Compare(ks, before, metrics.Comparison{Solved: b.null.solved, Pass: passCurve(ks, means)}) {
			to[name+metrics.NullSuffix] = value
		}
		b.null.table, b.null.solved = nil, nil
		return
	}
	for name, value := range b.before.Metrics {
		if strings.HasSuffix(name, metrics.NullSuffix) {
			to[name] = value
		}
	}
}

// restore takes the evaluation before training from the lines of an earlier run.
func (b *boundary) restore(lines []byte) error {
	first, _, found := bytes.Cut(lines, []byte("\n"))
	if b == nil || !found {
		return nil
	}
	b.before = &record.Eval{}
	return json.Unmarshal(first, b.before)
}

// passCurve is pass@k at each k.
func passCurve(ks []int, of map[string]float64) []float64 {
	var out []float64
	for _, k := range ks {
		out = append(out, of[fmt.Sprintf("pass@%d", k)])
	}
	return out
}

// mean is the average, summed in order.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
