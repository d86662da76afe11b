package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// nestedText is a run of six draws of a bandit whose problems share strategies.
const nestedText = `
columns = ["pass@1", "entropy_mode"]
[env]
name = "bandit"
form = "shared"
[train]
steps = 10
problems = 4
batch = 2
[eval]
every = 10
k = [1]
enumerate = 0
samples = 8
[[method]]
name = "base"
[[method]]
name = "grpo"
`

// recorded reads what the seeds of a variant have after training, without what this package
// makes of them.
func recorded(t *testing.T, run *record.Run, v record.Variant, metric string) []float64 {
	t.Helper()
	var out []float64
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, evals[len(evals)-1].Metrics[metric])
	}
	return out
}

// pairMeans are the means of neighbours.
func pairMeans(xs []float64) (out []float64) {
	for i := 0; i < len(xs); i += 2 {
		out = append(out, (xs[i]+xs[i+1])/2)
	}
	return out
}

// TestNestedUnits: if two seeds share a draw, everything is over the means of pairs, and the
// summary states it and separates variances.
func TestNestedUnits(t *testing.T) {
	run := runIn(t, exptest.Load(t, "my.toml", "seeds = 12\nnested = 2"+nestedText), t.TempDir(), 2)
	near := cmpopts.EquateApprox(0, 1e-12)
	rows, err := SummaryRows(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Summary(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if want := "after training, mean over 6 draws of problems with 2 seeds each [95% interval: bootstrap-t, or Student's where draws tie; not clipped]\n\n"; !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
	if want := "how much of the variance between seeds is of the draw of problems / the seed itself, in percent; sd: of one seed on a draw of its own\n"; !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
	ends := NewEnds(run)
	for i, v := range run.Variants {
		for j, metric := range run.Columns {
			xs := recorded(t, run, v, metric)
			want := stats.MeanInterval(pairMeans(xs))
			if got := rows[i].Cells[j].Interval; got.N != 6 || !cmp.Equal(got, want, near) {
				t.Errorf("%s of %s: %+v, want %+v", metric, v.Label, got, want)
			}
			got, err := ends.Values(v, metric)
			if err != nil || !cmp.Equal(got, pairMeans(xs), near) {
				t.Errorf("%s of %s: values %v, want %v (%v)", metric, v.Label, got, pairMeans(xs), err)
			}
			// One-way analysis of variance of pairs, in closed form: the variance within is half
			// the mean square of differences, and that of means has half of it.
			within, sd := 0.0, stats.Deviation(pairMeans(xs))
			for k := 0; k < len(xs); k += 2 {
				within += (xs[k] - xs[k+1]) * (xs[k] - xs[k+1]) / 2 / 6
			}
			between := max(0, sd*sd-within/2)
			word := fmt.Sprintf("%.0f", 100*between/(between+within))
			if sd*sd < within/2 {
				word += "*"
			}
			word += fmt.Sprintf("/%.0f, sd %.2g", 100*within/(between+within), math.Sqrt(between+within))
			table := text[strings.Index(text, "how much of the variance"):]
			line := table[strings.Index(table, "\n"+v.Label):]
			if !strings.Contains(strings.SplitN(line, "\n", 3)[1], word) {
				t.Errorf("%s of %s: want shares %q in\n%s", metric, v.Label, word, table)
			}
		}
	}
}

// TestNestedComparison: draws are compared with themselves, and those of one side are not
// taken for seeds of the other.
func TestNestedComparison(t *testing.T) {
	out := t.TempDir()
	load := func(name, top string) *record.Run {
		return runIn(t, exptest.Load(t, name+".toml", top+nestedText), out, 2)
	}
	two, plain := load("two", "seeds = 12\nnested = 2"), load("plain", "seeds = 12")
	own := load("own", "seeds = 6\nnested = 1")
	later := load("later", "first_seed = 20\nseeds = 6\nnested = 1")
	for _, c := range []struct {
		reason   string
		old, new Side
		n        int
		paired   bool
		note     string
	}{
		{"of one run", Side{two, "base"}, Side{two, "grpo"}, 6, true, "6 draws of problems with 2 seeds each, paired"},
		{"draws 1 to 6 of both", Side{two, "grpo"}, Side{own, "grpo"}, 6, true, "paired by the 6 draws of problems that both have, of 6 draws of problems with 2 seeds each and 6 draws of problems with 1 seed each"},
		{"other draws", Side{own, "grpo"}, Side{later, "grpo"}, 6, false, "unpaired, 6 draws of problems with 1 seed each and 6 draws of problems with 1 seed each"},
		{"draw 3 is not seed 3", Side{plain, "grpo"}, Side{own, "grpo"}, 6, false, "unpaired, 12 seeds and 6 draws of problems with 1 seed each"},
		{"as ever", Side{plain, "base"}, Side{plain, "grpo"}, 12, true, "12 seeds, paired"},
	} {
		got, err := Compare(c.old, c.new, CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		v := &got.Variants[0]
		m := &v.Metrics[0]
		if m.N() != c.n || m.Paired != c.paired || !strings.HasPrefix(v.note(), c.note) {
			t.Errorf("%s: n = %d, paired %v, %q; want %d, %v, %q", c.reason, m.N(), m.Paired, v.note(), c.n, c.paired, c.note)
		}
		nested := c.old.Run.Nested != nil || c.new.Run.Nested != nil
		if says := strings.Contains(CompareText(got, true), "a seed below is a draw of problems"); says != nested {
			t.Errorf("%s: it is said that seeds are draws: %v", c.reason, says)
		}
		// Settings that belong to single seeds are no difference of measurement between nested
		// runs.
		alone := c.old.Run.Nested != nil != (c.new.Run.Nested != nil)
		if warned := len(got.Warnings()) > 0; warned != alone {
			t.Errorf("%s: warnings %q", c.reason, got.Warnings())
		}
	}
	// The difference of pairs of seeds is that of their means.
	got, err := Compare(Side{two, "base"}, Side{two, "grpo"}, CompareOptions{Metrics: []string{"pass@1"}})
	if err != nil {
		t.Fatal(err)
	}
	base, grpo := record.Named(two.Variants, "base")[0], record.Named(two.Variants, "grpo")[0]
	a, b := pairMeans(recorded(t, two, base, "pass@1")), pairMeans(recorded(t, two, grpo, "pass@1"))
	var differences []float64
	for i := range a {
		differences = append(differences, b[i]-a[i])
	}
	if want, p := stats.Mean(differences), stats.PairedTest(differences); math.Abs(got.Variants[0].Metrics[0].Delta.Mean-want) > 1e-12 || got.Variants[0].Metrics[0].P != p {
		t.Errorf("got %+v, want a difference of %v and p = %v", got.Variants[0].Metrics[0], want, p)
	}
}

// TestPerDraw: metrics that some seeds lack are means over those that have them.
func TestPerDraw(t *testing.T) {
	nan := math.NaN()
	finals := []final{
		{2, map[string]float64{"a": 1, "b": 5}}, {3, map[string]float64{"a": 3}},
		{4, map[string]float64{"a": 7, "c": nan}}, {5, map[string]float64{"a": 8, "b": nan}},
	}
	want := []final{{2, map[string]float64{"a": 2, "b": 5}}, {3, map[string]float64{"a": 7.5}}}
	if d := cmp.Diff(want, perDraw(record.Nested{2, 1}, finals), cmp.AllowUnexported(final{})); d != "" {
		t.Error(d)
	}
	if got := perDraw(nil, finals); len(got) != 4 {
		t.Errorf("not nested: %v", got)
	}
}

// TestSharesOfBasePolicies: the three sources are separated if the design allows it, and
// otherwise named together.
func TestSharesOfBasePolicies(t *testing.T) {
	var refs []record.Ref
	var values []float64
	for seed, x := range []float64{1, 2, 4, 8, 3, 3, 9, 1, 5, 5, 5, 7} {
		refs, values = append(refs, record.Ref{Seed: seed}), append(values, x)
	}
	for _, c := range []struct {
		nested record.Nested
		bases  bool
		want   [][][]float64
		says   string
	}{
		{record.Nested{4, 2}, true, [][][]float64{{{1, 2}, {4, 8}}, {{3, 3}, {9, 1}}, {{5, 5}, {5, 7}}}, "the draw of problems / the base policy / the seed itself"},
		{record.Nested{4, 4}, true, [][][]float64{{{1, 2, 4, 8}}, {{3, 3, 9, 1}}, {{5, 5, 5, 7}}}, "the draw of problems and its base policy / the seed itself"},
		{record.Nested{4, 1}, true, [][][]float64{{{1}, {2}, {4}, {8}}, {{3}, {3}, {9}, {1}}, {{5}, {5}, {5}, {7}}}, "the draw of problems / the base policy and the seed itself"},
		{record.Nested{4, 2}, false, [][][]float64{{{1, 2, 4, 8}}, {{3, 3, 9, 1}}, {{5, 5, 5, 7}}}, "the draw of problems / the seed itself"},
	} {
		got, want := shares(c.nested, refs, values, c.bases), stats.Components(c.want)
		if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%v: %s", c.nested, d)
		}
		if says := sourcesText(&got, c.bases); says != c.says {
			t.Errorf("%v: %q, want %q", c.nested, says, c.says)
		}
	}
	if tellsShares(record.Nested{1, 1}, refs) || tellsShares(nil, refs) || tellsShares(record.Nested{100, 1}, refs) || !tellsShares(record.Nested{2, 1}, refs) {
		t.Error("two draws with two seeds each are what it takes to tell variances apart")
	}
}
