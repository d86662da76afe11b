package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

const compared = `seeds = SEEDS
columns = ["reward", "pass@4", "entropy_mode"]
[env]
name = "bandit"
components = 2
[train]
steps = 20
lr = LR
[eval]
every = 20
k = [1, 4]
samples = 8
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "vpo"
[[method]]
name = "optimum"
`

// ran runs the spec above with replacements, pairs of old and new text.
func ran(t *testing.T, seeds, lr string, replacements ...string) *record.Run {
	t.Helper()
	text := strings.NewReplacer(append([]string{"SEEDS", seeds, "LR", lr}, replacements...)...).Replace(compared)
	spec := exptest.Load(t, "my.toml", text)
	return runIn(t, spec, t.TempDir(), 2)
}

func compareSides(t *testing.T, old, new Side, metrics ...string) *Comparison {
	t.Helper()
	c, err := Compare(old, new, CompareOptions{Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lastValues reads a metric after training from the files themselves, by seed.
func lastValues(t *testing.T, run *record.Run, label, metric string) []float64 {
	t.Helper()
	var out []float64
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			if v.Label != label {
				continue
			}
			data, err := os.ReadFile(filepath.Join(run.Dir, run.Cells, ref.ID, "eval.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
			var last struct{ Metrics map[string]float64 }
			if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
				t.Fatal(err)
			}
			out = append(out, last.Metrics[metric])
		}
	}
	return out
}

func TestCompareRuns(t *testing.T) {
	old, new := ran(t, "10", "0.1"), ran(t, "10", "1")
	c := compareSides(t, Side{Run: old}, Side{Run: new})
	var labels []string
	for i := range c.Variants {
		v := &c.Variants[i]
		labels = append(labels, v.Label())
		for _, m := range v.Metrics {
			if v.Label() == "optimum" && m.Metric == "entropy_mode" {
				if m.Verdict != VerdictUndefined {
					t.Errorf("the entropy of the optimum, which is no policy: %+v", m)
				}
				continue
			}
			was, is := lastValues(t, old, v.Label(), m.Metric), lastValues(t, new, v.Label(), m.Metric)
			var differences []float64
			for i := range was {
				differences = append(differences, is[i]-was[i])
			}
			for what, pair := range map[string][2]float64{
				"old": {m.Old.Mean, mean(was)}, "new": {m.New.Mean, mean(is)}, "delta": {m.Delta.Mean, mean(differences)},
			} {
				if !(math.Abs(pair[0]-pair[1]) < 1e-9) {
					t.Errorf("%s, %s: %s is %v, the records say %v", v.Label(), m.Metric, what, pair[0], pair[1])
				}
			}
			want := VerdictSame
			if trained := v.New.Trains; trained && m.Metric != "pass@4" {
				want = VerdictMoved // ten times the rate
				if p := signFlips(differences); m.P < p || m.P > 3*p {
					t.Errorf("%s, %s: p = %v, and %v before correction for three metrics", v.Label(), m.Metric, m.P, p)
				}
			} else if trained {
				continue // near its ceiling either way
			}
			if m.Verdict != want {
				t.Errorf("%s, %s: %s, want %s", v.Label(), m.Metric, m.Verdict, want)
			}
		}
		if v.New.Trains && (len(v.Chosen) != 1 || v.Chosen[0] != FieldDifference{"train.lr", "0.1", "1"}) {
			t.Errorf("%s differs in %v, want the rate", v.Label(), v.Chosen)
		}
	}
	if d := cmp.Diff([]string{"base", "grpo", "vpo", "optimum"}, labels); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	if w := c.Warnings(); w != nil {
		t.Errorf("warnings %q; the rate is what is compared", w)
	}
	text := CompareText(c, true)
	for _, want := range []string{
		"old: " + old.Dir + "\nnew: " + new.Dir + "\n", "mean over seeds after training", "a verdict takes 7 seeds\n",
		"grpo: 10 seeds, paired; differs in train.lr 0.1 -> 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "old: ") && !strings.HasPrefix(line, "new: ") && len(line) > textWidth {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestCompareWithFewSeeds(t *testing.T) {
	c := compareSides(t, Side{Run: ran(t, "3", "0.1")}, Side{Run: ran(t, "3", "1")})
	text := CompareText(c, true)
	if strings.Contains(text, "p=") || strings.Contains(text, "p<") {
		t.Errorf("a p value of three seeds:\n%s", text)
	}
	for _, want := range []string{"underpowered, need 7 (n=3)", "--metric reward --detect 0.05 counts", "same (n=3)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	// A single seed: the difference without an interval.
	c = compareSides(t, Side{Run: ran(t, "1", "0.1")}, Side{Run: ran(t, "1", "1")}, "reward")
	row := c.Variants[1].Metrics[0].cells()
	if !strings.HasPrefix(row[2], "+0.") || strings.Contains(row[2], "[") || row[3] != "underpowered, need 6 (n=1)" {
		t.Errorf("the row of one seed is %q", row)
	}
	if text := CompareText(c, true); strings.Contains(text, "fewer metrics") {
		t.Errorf("the text proposes fewer metrics than one:\n%s", text)
	}
}

func TestCompareWithItself(t *testing.T) {
	run := ran(t, "2", "0.1")
	c := compareSides(t, Side{Run: run}, Side{Run: run}, AllMetrics)
	rows := 0
	for _, v := range c.Variants {
		for _, m := range v.Metrics {
			rows++
			if m.Verdict != VerdictSame {
				t.Errorf("%s, %s: %s", v.Label(), m.Metric, m.Verdict)
			}
		}
		if got := len(v.Metrics); v.Label() == "optimum" && got != len(lastNames(t, run, "optimum")) {
			t.Errorf("%d rows for the optimum, which has %v", got, lastNames(t, run, "optimum"))
		}
	}
	if text := CompareText(c, true); strings.Count(text, "same (n=2)") != rows || strings.Count(text, "the same cells on both sides") != 4 {
		t.Errorf("%d rows:\n%s", rows, text)
	}
	// The optimum has fewer metrics than the others, and so fewer tests.
	most := stats.SeedsForVerdict(len(c.Variants[1].Metrics), true)
	fewest := stats.SeedsForVerdict(len(c.Variants[3].Metrics), true)
	if text := CompareText(c, true); fewest == most || !strings.Contains(text, fmt.Sprintf("a verdict takes %d to %d seeds", fewest, most)) {
		t.Errorf("a verdict takes %d to %d seeds; the text says\n%s", fewest, most, text)
	}
	grpo := c.Variants[1].Metrics
	if i := slices.IndexFunc(grpo, func(m MetricComparison) bool { return m.Metric == "collapse_step" }); i < 0 || grpo[i].New.Mean != 20 {
		t.Errorf("the metric of a whole run is missing, or not 20, where the entropy still falls: %v", c.Metrics)
	}
	if !slices.Contains(c.Metrics, "reward_l1") || c.Metrics[0] != "pass@1" || c.Metrics[1] != "pass@4" {
		t.Errorf("all metrics are %v, want those of a family side by side", c.Metrics)
	}
}

func lastNames(t *testing.T, run *record.Run, label string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, v := range run.Variants {
		if v.Label == label {
			evals, err := run.Evals(v.Cells[0])
			if err != nil {
				t.Fatal(err)
			}
			for name := range evals[len(evals)-1].Metrics {
				out[name] = true
			}
		}
	}
	return out
}

// TestCompareUndefined: the new side has the optimum where the old one has GRPO, and
// no answers that could be apart from each other.
func TestCompareUndefined(t *testing.T) {
	old := ran(t, "6", "0.1", "name = \"grpo\"", "name = \"grpo\"\nlabel = \"x\"")
	new := ran(t, "6", "0.1", "name = \"grpo\"", "name = \"optimum\"\nlabel = \"x\"", "[[method]]\nname = \"optimum\"\n", "")
	c := compareSides(t, Side{Run: old}, Side{Run: new}, "reward_l1", "best@4")
	undefined, best := c.Variants[1].Metrics[0], c.Variants[1].Metrics[1]
	if undefined.Verdict != VerdictUndefined || undefined.N() != 0 || undefined.Old.N != 6 || !math.IsNaN(undefined.P) {
		t.Errorf("reward_l1: %+v", undefined)
	}
	if want := []string{"n/a", "n/a", "n/a", "n/a"}; !slices.Equal(undefined.cells()[1:], want) || undefined.cells()[0] == "n/a" {
		t.Errorf("the row of reward_l1 is %q, want the old value and %q", undefined.cells(), want)
	}
	if best.Need != 6 || best.Verdict != VerdictMoved {
		t.Errorf("best@4: need %d, %s: reward_l1 is no test, and nothing is above the optimum", best.Need, best.Verdict)
	}
	// Of all metrics, a variant lists those that either side has there.
	all := compareSides(t, Side{Run: old}, Side{Run: new}, AllMetrics)
	if n := len(all.Variants[1].Metrics); n != len(all.Metrics) {
		t.Errorf("%d metrics of %d where old has them all", n, len(all.Metrics))
	}
	self := compareSides(t, Side{Run: old}, Side{Run: old}, AllMetrics)
	optimum := self.Variants[3]
	if slices.ContainsFunc(optimum.Metrics, func(m MetricComparison) bool { return m.Metric == "reward_l1" }) {
		t.Error("the optimum has a row for reward_l1 on neither side")
	}
}

// TestCompareWarns where the two sides are not measured alike, and only there.
func TestCompareWarns(t *testing.T) {
	run := ran(t, "1", "0.1")
	for _, c := range []struct {
		reason, old, new string
		metrics          []string
		want             string // "": none
		chosen           string // of grpo
	}{
		{"another environment's parameter", "components = 2", "components = 2\nrewarded = 3", nil, "all 4 variants: not measured alike, so a difference may not be the method's: env.rewarded 4 -> 3", ""},
		{"another evaluation", "samples = 8", "samples = 8\ntemperature = 0.5", nil, "all 4 variants: not measured alike, so a difference may not be the method's: eval.temperature 1 -> 0.5", ""},
		{"k is read by headroom alone", "k = [1, 4]", "k = [1, 4, 8]", nil, "", "eval.k [1,4] -> [1,4,8]"},
		{"and is compared with it", "k = [1, 4]", "k = [1, 4, 8]", []string{"reward", "headroom"}, "all 4 variants: not measured alike, so a difference may not be the method's: eval.k [1,4] -> [1,4,8]", ""},
		{"more evaluations", "every = 20", "every = 10", nil, "", "eval.every 20 -> 10"},
		{"training", "steps = 20", "steps = 20\noptimizer = \"sgd\"", nil, "", "train.optimizer adam -> sgd"},
		{"a field of the method", "name = \"grpo\"", "name = \"grpo\"\nkl_coef = 0.25", nil, "", "kl_coef 0 -> 0.25"},
	} {
		got := compareSides(t, Side{Run: run}, Side{Run: ran(t, "1", "0.1", c.old, c.new)}, c.metrics...)
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if d := cmp.Diff(want, got.Warnings()); d != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", c.reason, d)
		}
		if text := differencesText(got.Variants[1].Chosen, 200); text != c.chosen {
			t.Errorf("%s: differs in %q, want %q", c.reason, text, c.chosen)
		}
	}
}

// TestCompareDocument reads the document back and holds it against the comparison.
func TestCompareDocument(t *testing.T) {
	old, new := ran(t, "1", "0.1"), ran(t, "7", "1", "name = \"vpo\"", "name = \"rloo\"")
	few := compareSides(t, Side{Run: old}, Side{Run: new}, "reward", "reward_l1")
	many := compareSides(t, Side{new, "grpo"}, Side{new, "rloo"}, "reward")
	for _, c := range []*Comparison{few, many} {
		data, err := CompareJSON(c, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Old, New struct{ Dir, Spec, Label string }
			Rows     []struct {
				Variant, Metric string
				N, Need         int
				Paired          bool
				Old, New        struct {
					Variant         string
					N               int
					Mean, Low, High *float64
				}
				Delta, Improvement struct{ Mean, Low, High *float64 }
				P                  *float64
				Verdict            string
				Detect             struct {
					Difference            float64
					Deviation, Detectable *float64
					Seeds                 *int
				}
			}
			Only_old, Only_new, Left_out, Warnings []string
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		if err := decoder.Decode(&doc); err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		same := func(row, field string, got *float64, want float64) {
			t.Helper()
			if finite := !math.IsNaN(want) && !math.IsInf(want, 0); (got != nil) != finite || finite && *got != want {
				t.Errorf("%s: %s is %v, want %v", row, field, got, want)
			}
		}
		i := 0
		for _, v := range c.Variants {
			for _, m := range v.Metrics {
				r := doc.Rows[i]
				i++
				name := r.Variant + ", " + r.Metric
				if r.Variant != v.Label() || r.Metric != m.Metric || r.N != m.N() || r.Need != m.Need || r.Paired != m.Paired || r.Verdict != string(m.Verdict) || r.Old.Variant != v.Old.Label || r.New.Variant != v.New.Label || r.Old.N != m.Old.N || r.New.N != m.New.N {
					t.Errorf("row %+v of %+v", r, m)
				}
				for _, side := range []struct {
					name            string
					mean, low, high *float64
					want            stats.Interval
				}{
					{"old", r.Old.Mean, r.Old.Low, r.Old.High, m.Old}, {"new", r.New.Mean, r.New.Low, r.New.High, m.New},
					{"delta", r.Delta.Mean, r.Delta.Low, r.Delta.High, m.Delta}, {"improvement", r.Improvement.Mean, r.Improvement.Low, r.Improvement.High, m.Improvement},
				} {
					same(name, side.name+".mean", side.mean, side.want.Mean)
					same(name, side.name+".low", side.low, side.want.Low)
					same(name, side.name+".high", side.high, side.want.High)
				}
				same(name, "p", r.P, m.P)
				plan := m.plan(0.5)
				same(name, "detect.deviation", r.Detect.Deviation, plan.Deviation)
				same(name, "detect.detectable", r.Detect.Detectable, plan.Detectable)
				if (r.Detect.Seeds != nil) != (plan.Seeds > 0) || r.Detect.Seeds != nil && *r.Detect.Seeds != plan.Seeds || r.Detect.Difference != 0.5 {
					t.Errorf("%s: detect %+v, want %+v", name, r.Detect, plan)
				}
			}
		}
		if i != len(doc.Rows) || doc.Old.Dir != c.Old.Run.Dir || doc.New.Label != c.New.Label || doc.New.Spec != "my" || !slices.Equal(doc.Only_new, c.OnlyNew) {
			t.Errorf("%d rows of %d in %s", i, len(doc.Rows), data)
		}
	}
	if few.Variants[1].Metrics[0].Verdict != VerdictUnderpowered || !slices.Equal(few.OnlyOld, []string{"vpo"}) || !slices.Equal(few.OnlyNew, []string{"rloo"}) {
		t.Errorf("the first comparison is %+v: it was to have infinities and sides alone", few)
	}
	data, err := CompareJSON(many, 0)
	if err != nil || bytes.Contains(data, []byte("detect")) {
		t.Errorf("a plan that was not asked for, or %v:\n%s", err, data)
	}
}
