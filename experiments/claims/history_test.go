package claims

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// TestHistory: each claim has its first verdict, of the same spec and policy, beside its
// answer, and a reason exactly where the two differ.
func TestHistory(t *testing.T) {
	list := []Verdict{
		{Spec: "s", Claim: record.Claim{Name: "a", Text: "holds", Metrics: []string{"pass@1"}}, Answer: stats.Supported},
		{Spec: "s", Claim: record.Claim{Name: "b", Text: "does not", Metrics: []string{"pass@1"}}, Answer: stats.NoDifference},
		{Spec: "s", Claim: record.Claim{Name: "c", Text: "new", Metrics: []string{"pass@1"}}, Answer: stats.Opposed},
	}
	first := []First{
		{Spec: "s", Policy: "tabular", Claim: "a", Verdict: "reproduced", Holds: 2, Judged: 2, Settings: 2},
		{Spec: "s", Policy: "tabular", Claim: "b", Verdict: "in part", Holds: 1, Judged: 3, Settings: 4},
		{Spec: "s", Policy: "transformer", Claim: "c", Verdict: "reproduced", Holds: 1, Judged: 1, Settings: 1},
	}
	const some = "in part"
	for _, c := range []struct {
		combine  string
		settings []stats.Answer
		want     string
	}{
		{"", []stats.Answer{stats.Supported, stats.Supported}, "pairing shows what two separate intervals hid"},
		{"", []stats.Answer{stats.Supported, stats.Untestable}, "settings where nothing can decide count for nobody"},
		{mostOf, []stats.Answer{stats.Supported, stats.Supported, stats.Opposed}, "not every setting has to hold"},
	} {
		name := fmt.Sprint(c.combine, c.settings)
		v := Verdict{Spec: "s", Claim: record.Claim{Name: name, Text: name, Combine: c.combine}, Answer: stats.Supported}
		for _, answer := range c.settings {
			v.Settings = append(v.Settings, Setting{Answer: answer})
		}
		if got := (First{Verdict: some}).reason(&v); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	text := History(list, first, "tabular")
	for _, want := range []string{
		"| `s` | holds |  | pass@1 | reproduced | supported | n/a |  |\n",
		"| `s` | does not |  | pass@1 | in part: 1 of 3 (1 without a verdict) | no difference | n/a | where the gate did not hold, the sides differ by less than delta |\n",
		"| `s` | new |  | pass@1 | none | opposed | n/a |  |\n",
		"\n3 claims: 1 supported, 1 opposed, 1 no difference\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// TestWhyIsKnown: every pair of a first verdict and a different answer has a reason.
func TestWhyIsKnown(t *testing.T) {
	for _, verdict := range firstVerdicts {
		for _, answer := range Answers {
			if _, ok := why[verdict][answer]; !ok {
				t.Errorf("%s and %s: no reason", verdict, answer)
			}
		}
	}
}

// TestReadFirst: the kept verdicts are read; an unknown verdict is refused, with the file.
func TestReadFirst(t *testing.T) {
	kept, err := ReadFirst(filepath.Join("..", "..", "results", "first-verdicts.json"))
	if err != nil || len(kept) < 150 {
		t.Errorf("%d verdicts are kept: %v", len(kept), err)
	}
	for _, c := range []struct{ reason, text, want string }{
		{"no JSON", "[", "f.json:1:"},
		{"a verdict that is none", `[{"spec": "s", "policy": "tabular", "claim": "c", "gate": "g", "verdict": "yes", "holds": 1, "judged": 1, "settings": 1}]`, `f.json: [0]: got spec "s", claim "c", verdict "yes"`},
		{"more that hold than are judged", `[{"spec": "s", "policy": "tabular", "claim": "c", "gate": "g", "verdict": "reproduced", "holds": 2, "judged": 1, "settings": 1}]`, "f.json: [0]: "},
	} {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFirst(path); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
