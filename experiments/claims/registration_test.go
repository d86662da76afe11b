package claims

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// someRegistration is one of two variants and two claims.
func someRegistration() Registration {
	planned := record.Manifest{
		Nested: record.Nested{1, 1},
		Claims: []record.Claim{
			{Name: "more", Text: "<SetPO> keeps & more", Source: "a paper fig. 1", Metrics: []string{"entropy_mode", "pass@8"}, A: "setpo", B: []string{"grpo"}, Says: "above", Gate: "a.low > b.high"},
			{Name: "alone", Text: "it is high", Metrics: []string{"reward"}, A: "grpo", Says: "above", By: 0.5},
		},
		Variants: []record.Variant{
			{Label: "grpo", Cells: []record.Ref{{Seed: 1000, ID: "grpo-s1000-000000000001"}, {Seed: 1001, ID: "grpo-s1001-000000000002"}}},
			{Label: "setpo", Cells: []record.Ref{{Seed: 1000, ID: "setpo-s1000-000000000003"}, {Seed: 1001, ID: "setpo-s1001-000000000004"}}},
		},
	}
	pilot := Pilot{Seeds{0, 10, record.Nested{2, 2}}, 40, []ClaimPlan{
		{"more", 1, 1, lined.Round(0.1234567891), lined.Round(math.NaN()), 0.1, 1, 19}, {Claim: "alone", Settings: 1, Tests: 1},
	}}
	return Register("my", "tabular", strings.Repeat("a", 64), planned, pilot)
}

// sameShort takes two missing numbers (NaN) as equal.
var sameShort = cmp.Comparer(func(a, b lined.Number) bool { return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) })

// write puts a text into a file of the test.
func write(t testing.TB, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRegistration: a registration reads back as it was written, is JSON for others, and its
// hash is that of the lines before its own.
func TestRegistration(t *testing.T) {
	r := someRegistration()
	text := lined.Text(r)
	back, err := ReadRegistration(write(t, text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, back, sameShort); d != "" {
		t.Error(d)
	}
	before, _, _ := bytes.Cut(text, []byte(`"hash": `))
	if sum := sha256.Sum256(before); hex.EncodeToString(sum[:]) != r.Hash {
		t.Errorf("hash %s is not that of the lines before", r.Hash)
	}
	sum := sha256.Sum256([]byte("grpo-s1000-000000000001\ngrpo-s1001-000000000002\nsetpo-s1000-000000000003\nsetpo-s1001-000000000004\n"))
	if hex.EncodeToString(sum[:]) != r.CellsSum {
		t.Error("the hash of the cells is not that of their ids, a line each")
	}
	var any map[string]any
	if err := json.Unmarshal(text, &any); err != nil || len(any) != 11 {
		t.Errorf("%d members: %v", len(any), err)
	}
	if strings.Contains(string(text), "a.low") || !strings.Contains(string(text), `"deltas":[0.1,0.02]`) || !strings.Contains(string(text), `"deviation":0.123457,`) {
		t.Errorf("claims with their deltas and without gates, deviations of 6 digits:\n%s", text)
	}
}

// TestRegistrationEdited: no byte of a registration can change unseen. Each line is changed by
// itself, and the error names it.
func TestRegistrationEdited(t *testing.T) {
	text := string(lined.Text(someRegistration()))
	for _, c := range []struct {
		reason, was, is, want string
	}{
		{"a delta", `"deltas":[0.1,0.02]`, `"deltas":[0.2,0.02]`, ":18: hash: got "},
		{"a cell", "grpo-s1000-000000000001", "grpo-s1000-000000000009", ":18: hash: got "},
		{"the number of seeds", `"number":2`, `"number":3`, ":18: hash: got "},
		{"the rule", "A claim is a question", "A claim is the question", ":18: hash: got "},
		{"the hash itself", `"hash": "`, `"hash": "0`, ":18: hash: got 0"},
		{"a space", `"spec": "my"`, `"spec":  "my"`, ":4: not as bench claims --register writes it"},
		{"a line more", "}\n", "}\n\n", ":20: not as"},
		{"a member more", `"spec": "my"`, `"other": 1, "spec": "my"`, `:1: unknown field "other"`},
		{"a member twice", `"spec": "my"`, `"spec": "my", "spec": "my"`, `has "spec" twice`},
		{"a text for a number", `"number":2`, `"number":"2"`, ":12: seeds.number: got string, want an integer"},
		{"no JSON", `"spec": "my"`, `"spec": my`, ":4:9: invalid character"},
		{"null claims", "\"claims\": [\n", "\"claims\": null, \"x\": [\n", ":7: claims: got null"},
		{"a variant of no cell", "grpo-s1000-000000000001", "../x", ":14: variants[0]: got label \"grpo\", cell \"../x\""},
		{"a name that leads out", `"spec": "my"`, `"spec": "../my"`, `:4: spec: got "../my"`},
		{"another version", `"version": 1`, `"version": 2`, ":2: version: got 2"},
		{"a claim without a delta", `"deltas":[0.02]`, `"deltas":[]`, ":9: claims[1]: "},
		{"seeds below 0", `"first":1000`, `"first":-1`, ":12: seeds: first: got -1"},
		{"no nesting", `"nested":[1,1]`, `"nested":[2,3]`, ":12: seeds: nested: got [2 3]"},
	} {
		edited := strings.Replace(text, c.was, c.is, 1)
		if c.reason == "a line more" {
			edited = text + "\n"
		}
		if edited == text {
			t.Fatalf("%s: nothing is changed", c.reason)
		}
		if _, err := ReadRegistration(write(t, []byte(edited))); err == nil || !strings.Contains(err.Error(), "my.json") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestMatch: the first difference from the registered plan is named.
func TestMatch(t *testing.T) {
	old := someRegistration()
	for _, c := range []struct {
		reason string
		change func(*Registration)
		want   string
	}{
		{"nothing", func(*Registration) {}, ""},
		{"the pilot and the text do not count", func(r *Registration) { r.Pilot.Limit, r.TextSum = 20, "" }, ""},
		{"the rule", func(r *Registration) { r.Rule.Version = 7 }, "the rule differs: it was version 2, and this program judges by version 7"},
		{"a rule of the same version in other words", func(r *Registration) { r.Rule.Text += " " }, "the rule differs: it was version 2"},
		{"the policy", func(r *Registration) { r.Policy = "transformer" }, "under policy tabular, and not of my under policy transformer"},
		{"the seeds", func(r *Registration) { r.Seeds.Number = 3 }, "the seeds differ"},
		{"a delta", func(r *Registration) { r.Claims[0].Deltas = []float64{0.2, 0.02} }, `the claim "more" differs`},
		{"a claim gone", func(r *Registration) { r.Claims = r.Claims[:1] }, `the claim "alone" is there no longer`},
		{"a variant", func(r *Registration) { r.Variants[1].Cell = "setpo-s1000-000000000009" }, `the variant "setpo" differs`},
		{"a variant more", func(r *Registration) { r.Variants = append(r.Variants, RegisteredVariant{"vpo", "x"}) }, `the variant "vpo" is new`},
		{"later cells", func(r *Registration) { r.CellsSum = "" }, "the cells differ"},
	} {
		now := someRegistration()
		c.change(&now)
		if got := old.Match(now); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestOverruled: claims registered under an earlier rule can be judged, and the answer names
// that rule. A rule that this program never had is refused.
func TestOverruled(t *testing.T) {
	old, now := someRegistration(), someRegistration()
	if got := old.Overruled(); got != "" {
		t.Errorf("of the current rule: %q", got)
	}
	for _, rule := range earlierRules {
		old.Rule = rule
		if got := old.Match(now); got != "" {
			t.Errorf("rule %d: %s", rule.Version, got)
		}
		if got, want := old.Overruled(), fmt.Sprintf("my was registered under rule %d, and is judged by rule %d", rule.Version, CurrentRule.Version); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	old.Rule.Text = "as I like"
	if got := old.Match(now); !strings.HasPrefix(got, "the rule differs: it was version 1") {
		t.Errorf("another rule of that version: %q", got)
	}
}

// FuzzReadRegistration: an accepted registration is written back to the byte.
func FuzzReadRegistration(f *testing.F) {
	r := someRegistration()
	f.Add(lined.Text(r))
	r.Claims[0].B, r.Pilot.Claims = nil, nil
	r.Hash = r.sum()
	f.Add(lined.Text(r))
	r.Variants[0].Label = "\u2028 \"}"
	r.Hash = r.sum()
	f.Add(lined.Text(r))
	f.Add([]byte(`{"version": 1, "claims": [{"name": null}]}`))
	f.Add([]byte(`{"a\nname": [{"name": null}]}`))
	f.Add([]byte("{\n\"hash\": \""))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRegistration("my.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "my.json:") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		if !bytes.Equal(lined.Text(r), data) || r.sum() != r.Hash {
			t.Fatalf("read without an error:\n%s", data)
		}
	})
}

// TestDocument: the short answers to registered claims read back as they were written.
func TestDocument(t *testing.T) {
	r := someRegistration()
	v := verdictAt(stats.Undecided, 0.123456789)
	doc := NewDocument(r, []Verdict{v}, []Verdict{v, v})
	text := lined.Text(doc)
	back, err := ReadDocument(write(t, text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(string(text), string(lined.Text(back))); d != "" {
		t.Error(d)
	}
	if back.Registration != r.Hash || back.Claims[0].Family != 2 || back.Settings[0].N != 20 {
		t.Errorf("%+v", back)
	}
	for _, want := range []string{`"effect":[0.123457,null,null]`, `"p":{"supported":0.0333333,"opposed":1,"no_difference":null}`, `"answer":"undecided"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "ontrast") {
		t.Error("a document holds no contrasts")
	}
	for _, edited := range []string{strings.Replace(string(text), "0.123457", "0.223457123", 1), strings.Replace(string(text), `"registration": "`, `"registration": "x`, 1), "{}"} {
		if _, err := ReadDocument(write(t, []byte(edited))); err == nil || !strings.Contains(err.Error(), "my.json:") {
			t.Errorf("edited: %v", err)
		}
	}
}

// TestMissed: an undecided claim names the effect that its seeds would have shown, by their
// scatter; other claims name no effect.
func TestMissed(t *testing.T) {
	contrast := func(n int) (xs []float64) {
		for i := range n {
			xs = append(xs, float64(i%2)) // deviation 1/2 or a little more
		}
		return xs
	}
	for _, c := range []struct {
		answer stats.Answer
		n      int
		want   string
	}{
		{stats.Undecided, 20, fmt.Sprintf("more is undecided: 20 seeds would have shown an effect of %.3g times delta with 90%% power", 10*stats.DetectableAnswer(stats.Deviation(contrast(20)), 20, 1))},
		{stats.Undecided, 3, "more is undecided: 3 seeds would have shown none, however large"},
		{stats.Supported, 20, ""},
	} {
		v := verdictAt(c.answer, 0.1)
		v.Settings[0].Contrast = contrast(c.n)
		if got := v.Missed(); got != c.want {
			t.Errorf("%s with %d seeds: %q, want %q", c.answer, c.n, got, c.want)
		}
	}
}

// verdictAt is a claim at one setting with that effect.
func verdictAt(answer stats.Answer, effect float64) Verdict {
	interval := stats.Interval{N: 20, Mean: effect, Low: math.Inf(-1), High: math.NaN()}
	s := Setting{Metric: "reward", A: "setpo", B: "grpo", Delta: 0.1, Answer: answer, Effect: interval, Contrast: []float64{0.1, 0.3, -0.2},
		Finding: stats.Finding{N: 20, Effect: interval, Supported: 1. / 30, Opposed: 1, NoDifference: math.NaN()}}
	return Verdict{Claim: record.Claim{Name: "more", Source: "a paper fig. 1", Says: "above", B: []string{"grpo"}}, Settings: []Setting{s}, Answer: answer}
}
