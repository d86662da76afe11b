package claims

import (
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// TestTables: both tables have the answer, the effect and the paper's own number of a claim.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		reason, head string
		lines        []string
		want         stats.Answer
	}{
		{"far apart", "seeds = 14", []string{`metric = "correct_modes_alive"`, `a = "grpo lr=0.1"`, `b = "setpo+grpo lambda=5 lr=0.1"`, `says = "below"`}, stats.Supported},
		{"the other way round", "seeds = 14", []string{`metric = "correct_modes_alive"`, `a = "grpo lr=0.1"`, `b = "setpo+grpo lambda=5 lr=0.1"`, `says = "above"`}, stats.Opposed},
		{"too few seeds", "seeds = 3", []string{`metric = "correct_modes_alive"`, `a = "grpo lr=0.1"`, `b = "setpo+grpo lambda=5 lr=0.1"`, `says = "below"`}, stats.Undecided},
	} {
		_, verdicts := judgeSpec(t, c.head+strings.Replace(bandits, "steps = 60", "steps = 1020", 1)+claim(c.lines...))
		v := verdicts[0]
		if v.Answer != c.want {
			t.Errorf("%s: %s, want %s: %s", c.reason, v.Answer, c.want, Text(v))
		}
		text, markdown := Table(verdicts), Markdown(verdicts)
		if !strings.Contains(text, "\nmy (a paper)\n") || !strings.Contains(text, "a fact (fig. 1)\n") || !strings.HasSuffix(text, "1 claim: 1 "+string(c.want)+"\n") {
			t.Errorf("%s:\n%s", c.reason, text)
		}
		if !isBelow(text, v.Effect(), "paper: 4 against 1") {
			t.Errorf("%s: the paper's number is not below the effect:\n%s", c.reason, text)
		}
		if !strings.Contains(markdown, "| `my` | a fact | fig. 1: 4 against 1 | correct_modes_alive | "+v.Outcome()+" | "+v.Effect()+" |\n") {
			t.Errorf("%s:\n%s", c.reason, markdown)
		}
	}
}

// isBelow reports that a text is in the line below another text, at the column of its beginning.
func isBelow(text, upper, lower string) bool {
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		if at := strings.Index(line, upper); at >= 0 && strings.Index(lines[i+1], lower) == at {
			return true
		}
	}
	return false
}

// TestMarkdownHoldsTextsOfClaims: the texts of a claim stay text, and in their cells.
func TestMarkdownHoldsTextsOfClaims(t *testing.T) {
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
		verdicts := []Verdict{{Spec: "my", Claim: record.Claim{Text: c.text, Source: c.text, Metrics: []string{"reward"}}, Answer: stats.Untestable}}
		want := "| `my` | " + c.want + " | " + c.want + " | reward | untestable here | n/a |\n"
		if got := Markdown(verdicts); !strings.Contains(got, "|\n"+want+"\n") {
			t.Errorf("%s:\n%swant\n%s", c.reason, got, want)
		}
	}
}

// TestSays: a claim's question in words.
func TestSays(t *testing.T) {
	for _, c := range []struct {
		claim record.Claim
		want  string
	}{
		{record.Claim{A: "vpo", B: []string{"grpo", "gdpo"}, Says: "above", Metrics: []string{"best@5", "best@30"}}, "says: vpo above grpo, gdpo in best@5, best@30, at every setting; delta 0.02"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "above", By: -0.05, Metrics: []string{"accuracy"}, Combine: "any"}, "says: a less than 0.05 below b in accuracy, at some setting; delta 0.02"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "below", By: -0.05, Metrics: []string{"accuracy"}}, "says: a more than 0.05 below b in accuracy, at every setting; delta 0.02"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "below", By: 0.05, Metrics: []string{"accuracy"}}, "says: a less than 0.05 above b in accuracy, at every setting; delta 0.02"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "above", By: 0.05, Metrics: []string{"accuracy"}}, "says: a more than 0.05 above b in accuracy, at every setting; delta 0.02"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "same", By: 0.25, Metrics: []string{"entropy_mode"}, Combine: "most"}, "says: a within 0.25 of b in entropy_mode, at most settings; delta 0.1"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "above", Times: 5, Metrics: []string{"distinct_correct"}}, "says: a above 5 times b in distinct_correct, at every setting; delta 1.25"},
		{record.Claim{A: "a", B: []string{"b"}, Says: "below", Of: "deviation", Metrics: []string{"pass@1"}, Combine: "pooled"}, "says: a below b in the deviation of pass@1, over all settings; delta 0.405"},
		{record.Claim{A: "a", Says: "below", By: 2, Metrics: []string{"modes_alive"}}, "says: a below 2 in modes_alive, at every setting; delta 0.25"},
	} {
		if got := Sentence(c.claim); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestRowsNameVariants: if a name matches several variants, each row names its variant.
func TestRowsNameVariants(t *testing.T) {
	_, verdicts := judgeSpec(t, "seeds = 1"+bandits+claim(`metric = "reward"`, `a = "setpo+grpo"`, `b = ["grpo lr=1", "grpo lr=0.1"]`, `says = "above"`))
	text := Text(verdicts[0])
	for _, want := range []string{"claim c: a fact (fig. 1)\n", "lr=0.1 lambda=0.5", "lr=1 lambda=5", "undecided: 1 seed, need 6 at least", "\n  paper: 4 against 1\n  undecided"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// TestLabelsInRows: if a name matches several variants, each row has its label.
func TestLabelsInRows(t *testing.T) {
	_, verdicts := judgeSpec(t, `seeds = 1
[env]
name = "bandit"
components = 2
[train]
steps = 5
[[method]]
name = "goal-conditioned"
label = "asked for w*"
eval = { goals = "fixed" }
[[method]]
name = "goal-conditioned"
label = "asked for any"
eval = { goals = "random" }
[[method]]
name = "vpo"
[[claim]]
name = "alone"
text = "t"
metric = "headroom"
a = "goal-conditioned"
says = "below"
by = 1
[[claim]]
name = "against"
text = "t"
metric = "best@4"
a = "vpo"
b = "goal-conditioned"
says = "above"
`)
	for _, v := range verdicts {
		text := Text(v)
		for _, label := range []string{"asked for w*", "asked for any"} {
			if strings.Count(text, label) != 1 {
				t.Errorf("claim %s: %q does not stand in one row:\n%s", v.Claim.Name, label, text)
			}
		}
	}
}
