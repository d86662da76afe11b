package analysis

import (
	"math"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

const judged = `
source = "a paper"
[env]
name = "bandit"
[train]
steps = 200
lr = [0.1, 1]
[eval]
every = 200
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
lambda = [0.5, 5]
`

// TestClaimVerdicts: what a claim comes to follows from its settings.
func TestClaimVerdicts(t *testing.T) {
	for _, c := range []struct {
		reason, head, gate, sides string
		want                      Reproduction
		holds, judged             int
	}{
		{"at every setting", "seeds = 6", "true", "a = \"setpo+grpo\"\nb = \"grpo\"", Reproduced, 4, 4},
		{"at none", "seeds = 6", "false", "a = \"setpo+grpo\"\nb = \"grpo\"", NotReproduced, 0, 4},
		{"GRPO has more than two modes at the lower rate alone", "seeds = 6", "a.mean > 2", `a = "grpo"`, PartlySo, 1, 2},
		{"too few seeds anywhere", "seeds = 5", "true", "a = \"setpo+grpo\"\nb = \"grpo\"", Underpowered, 0, 0},
		{"the deviation of the seeds", "seeds = 6", "a.sd >= 0 && a.sd < 3 && (a.sd > 0) == (a.high > a.low)", `a = "grpo"`, Reproduced, 2, 2},
	} {
		spec := exptest.Load(t, "my.toml", c.head+judged+"[[claim]]\nname = \"c\"\ntext = \"a fact\"\nsource = \"fig. 1\"\npaper = \"4 against 1\"\nmetric = \"correct_modes_alive\"\n"+c.sides+"\ngate = \""+c.gate+"\"\n")
		run := runIn(t, spec, t.TempDir(), 2)
		verdicts, err := Verdicts(run)
		if err != nil {
			t.Fatal(err)
		}
		v := verdicts[0]
		if v.Verdict != c.want || v.Holds != c.holds || v.Judged != c.judged {
			t.Errorf("%s: %s, holds at %d of %d judged; want %s, %d of %d", c.reason, v.Verdict, v.Holds, v.Judged, c.want, c.holds, c.judged)
		}
		text, markdown := VerdictText(verdicts), VerdictMarkdown(verdicts)
		if !strings.Contains(text, "\nmy (a paper)\n") || !strings.Contains(text, string(c.want)) || !strings.Contains(text, "a fact (fig. 1)\n") || !strings.HasSuffix(text, "1 claim: 1 "+string(c.want)+"\n") {
			t.Errorf("%s:\n%s", c.reason, text)
		}
		if !standsBelow(text, v.Effect(), "paper: 4 against 1") {
			t.Errorf("%s: the paper's number is not below the effect:\n%s", c.reason, text)
		}
		if why := "a claim's verdict takes 6 seeds, as a test of one metric does: the least p of 5 pairs is 2/2^5 = 0.0625, above 0.05\n"; strings.Contains(text, why) != (c.want == Underpowered) {
			t.Errorf("%s: why six seeds:\n%s", c.reason, text)
		}
		if !strings.Contains(markdown, "| `my` | a fact | fig. 1: 4 against 1 | correct_modes_alive | "+string(c.want)) {
			t.Errorf("%s:\n%s", c.reason, markdown)
		}
	}
}

// TestMarkdownHoldsWhatAClaimSays: whatever a claim says stays text, and in its cell.
func TestMarkdownHoldsWhatAClaimSays(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"words", "k >= 5 at E_w[best@30], under w*", "k >= 5 at E_w[best@30], under w*"},
		{"the end of a cell", "a|b", `a\|b`},
		{"one that looks escaped", `a\|b`, `a\\\|b`},
		{"the end of a row", "a\n| b | c |", `a\\n\| b \| c \|`},
		{"code", "a`b", "a\\`b"},
		{"HTML", "<img src=x onerror=alert(1)>&lt;", "&lt;img src=x onerror=alert(1)>&amp;lt;"},
		{"a picture from elsewhere", "![a](http://x)", `![a]\(http://x)`},
		{"the control characters of a terminal", "a\x1b[2J\u202eb", `a\\x1b[2J\\u202eb`},
	} {
		verdicts := []ClaimVerdict{{Spec: "my", Claim: record.Claim{Text: c.text, Source: c.text, Metrics: []string{"reward"}}, Verdict: Undefined}}
		want := "| `my` | " + c.want + " | " + c.want + " | reward | undefined | n/a |\n"
		if got := VerdictMarkdown(verdicts); !strings.Contains(got, "|\n"+want+"\n") {
			t.Errorf("%s:\n%swant\n%s", c.reason, got, want)
		}
	}
}

// standsBelow says that a text stands in the line below another one, where that begins.
func standsBelow(text, upper, lower string) bool {
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		if at := strings.Index(line, upper); at >= 0 && strings.Index(lines[i+1], lower) == at {
			return true
		}
	}
	return false
}

// TestEffects: the effect of a comparison is the mean of the seeds' differences, and
// of a claim about one side its value.
func TestEffects(t *testing.T) {
	spec := exptest.Load(t, "my.toml", "seeds = 6"+judged+`
[[claim]]
name = "both"
text = "t"
metric = "correct_modes_alive"
a = "setpo+grpo"
b = "grpo"
gate = "true"
[[claim]]
name = "alone"
text = "t"
metric = "correct_modes_alive"
a = "grpo lr=1"
gate = "true"
`)
	run := runIn(t, spec, t.TempDir(), 2)
	verdicts, err := Verdicts(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range verdicts[0].Settings {
		a, err := newEnds(run).values(s.a, s.Metric)
		if err != nil {
			t.Fatal(err)
		}
		b, err := newEnds(run).values(s.b, s.Metric)
		if err != nil {
			t.Fatal(err)
		}
		var differences []float64
		for i := range a {
			differences = append(differences, a[i]-b[i])
		}
		if want := stats.MeanInterval(differences); math.Abs(s.Effect.Mean-want.Mean) > 1e-12 || s.Effect.N != 6 || s.Effect.Low > s.Effect.Mean || s.Effect.High < s.Effect.Mean {
			t.Errorf("%s against %s: effect %+v, want a mean of %v", s.A, s.B, s.Effect, want.Mean)
		}
	}
	if s := verdicts[1].Settings[0]; s.Effect != s.ValueA {
		t.Errorf("alone: effect %+v, want the value %+v", s.Effect, s.ValueA)
	}
	text := VerdictText(verdicts)
	if !strings.Contains(text, " (4 settings)") || !strings.Contains(text, "2 claims: 2 reproduced\n") {
		t.Error(text)
	}
}

// TestEvalAxes: how answers are drawn for the evaluation may be an axis, and stands
// in cells, labels and claims; what is measured may not.
func TestEvalAxes(t *testing.T) {
	loaded := exptest.Load(t, "my.toml", `
seeds = 1
columns = ["pass@1"]
[env]
name = "countdown"
[train]
steps = 2
problems = 2
batch = 2
[eval]
temperature = [0.5, 1]
top_p = [0.9, 1]
samples = 4
k = [1, 4]
enumerate = 0
[[method]]
name = "base"
[[method]]
name = "grpo"
train = { lr = [0.1, 1] }
`)
	var labels []string
	for _, v := range loaded.Variants {
		labels = append(labels, v.Label)
	}
	if len(labels) != 4*3 || labels[0] != "base temperature=0.5 top_p=0.9" || labels[11] != "grpo temperature=1 top_p=1 lr=1" {
		t.Errorf("variants %q", labels)
	}
	run := runIn(t, loaded, t.TempDir(), 2)
	cold, err := newEnds(run).interval(run.Variants[0], "pass@1")
	if err != nil {
		t.Fatal(err)
	}
	warm, err := newEnds(run).interval(run.Variants[9], "pass@1")
	if err != nil {
		t.Fatal(err)
	}
	if run.Variants[9].Label != "base temperature=1 top_p=1" || cold.Mean == warm.Mean {
		t.Errorf("%s: pass@1 %v, at 0.5 with a nucleus %v: want two numbers", run.Variants[9].Label, warm.Mean, cold.Mean)
	}
	if _, err := exptest.TryLoad(t, "my.toml", "[env]\nname = \"bandit\"\n[eval]\nsamples = [4, 8]\n[[method]]\nname = \"grpo\"\n"); err == nil || !strings.Contains(err.Error(), "my.toml:4: field \"samples\" of eval takes one value: only temperature, top_p, split may list several") {
		t.Errorf("samples as an axis: %v", err)
	}
}

// TestRatio: a claim about a multiple of b has a over b for its effect, between the least and
// the most that both intervals allow: what its gate looks at.
func TestRatio(t *testing.T) {
	for gate, want := range map[string]bool{
		"a.low > 5 * b.high": true, "a.high < b.low / 10": true, "a.low > 0.8*b.mean and a.high < 1.2 * b.mean": true,
		"a.low > b.high": false, "a.low > b.mean - 0.05": false, "abs(a.mean - b.mean) < 0.02": false, "a.high < 2 && b.low > 2": false,
	} {
		v := ClaimVerdict{Claim: record.Claim{Gate: gate}}
		if got := v.OfMultiple(); got != want {
			t.Errorf("gate %q is about a multiple: %v, want %v", gate, got, want)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	side := func(mean, low, high float64) stats.Interval {
		return stats.Interval{N: 6, Mean: mean, Low: low, High: high}
	}
	for _, c := range []struct {
		reason string
		a, b   stats.Interval
		want   stats.Interval
	}{
		{"both with bounds", side(12, 10, 14), side(2, 1, 4), side(6, 2.5, 14)},
		{"b may be 0", side(12, 10, 14), side(2, -1, 5), side(6, nan, nan)},
		{"too few seeds for bounds", side(12, -inf, inf), side(2, 1, 4), side(6, nan, nan)},
		{"b is 0", side(12, 10, 14), side(0, 0, 0), side(nan, nan, nan)},
	} {
		s := Setting{B: "b", ValueA: c.a, ValueB: c.b}
		got := s.Ratio()
		same := func(x, y float64) bool { return x == y || x != x && y != y }
		if !same(got.Mean, c.want.Mean) || !same(got.Low, c.want.Low) || !same(got.High, c.want.High) || got.N != 6 {
			t.Errorf("%s: %+v, want %+v", c.reason, got, c.want)
		}
	}
}
