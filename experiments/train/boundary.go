package train

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	before *record.Eval // nil until it is made
	metrics.Solving
	null *nullPools // nil: not measured
}

// nullPools are second pools of answers of the policy before training. Training has no part in
// the problems that they gain and lose against the first pools: the draws alone make the difference.
type nullPools struct {
	key     rng.Key        // of their draws, which no other draw of the cell shares
	table   *metrics.Table // while the policy before training is evaluated; else nil
	solving metrics.Solving
}

// begin makes room for the second pools where the policy before training is to be evaluated.
func (b *boundary) begin(options metrics.Options) (err error) {
	if b == nil || b.null == nil || b.before != nil {
		return nil
	}
	options.Draws, options.Measure = nil, nil // pass@k is all that is read
	b.null.table, err = metrics.NewTable(options)
	b.null.solving = metrics.Solving{}
	return err
}

// nullTable is the table of the second pools; nil: no second pools are drawn.
func (b *boundary) nullTable() *metrics.Table {
	if b == nil || b.null == nil {
		return nil
	}
	return b.null.table
}

func (b *boundary) add(table *metrics.Table) {
	if b == nil {
		return
	}
	b.Solving.Add(table)
	if second := b.nullTable(); second != nil {
		b.null.solving.Add(second)
	}
}

// finish puts the metrics of the evaluation into its record, and forgets its problems.
func (b *boundary) finish(rec *record.Eval, k []int) {
	if b == nil {
		return
	}
	ks := slices.Sorted(slices.Values(k))
	rec.Solved, b.Pass = b.Solved, metrics.PassCurve(ks, rec.Metrics)
	b.before = cmp.Or(b.before, rec)
	before := metrics.Solving{Solved: b.before.Solved, Pass: metrics.PassCurve(ks, b.before.Metrics)}
	maps.Copy(rec.Metrics, metrics.Compare(ks, before, b.Solving))
	b.putNull(rec.Metrics, ks, before)
	b.Put(ks, rec.Metrics)
	b.Solving = metrics.Solving{}
}

// putNull adds the null of each comparison, which is measured once, before training.
func (b *boundary) putNull(to map[string]float64, ks []int, before metrics.Solving) {
	if b.null == nil {
		return
	}
	if table := b.null.table; table != nil {
		b.null.solving.Pass = metrics.PassCurve(ks, table.Means())
		for name, value := range metrics.Compare(ks, before, b.null.solving) {
			to[name+metrics.NullSuffix] = value
		}
		b.null.table, b.null.solving = nil, metrics.Solving{}
		return
	}
	for name, value := range b.before.Metrics {
		if strings.HasSuffix(name, metrics.NullSuffix) {
			to[name] = value
		}
	}
}

func (b *boundary) restore(lines []byte) error {
	first, _, found := bytes.Cut(lines, []byte("\n"))
	if b == nil || !found {
		return nil
	}
	b.before = &record.Eval{}
	return json.Unmarshal(first, b.before)
}
