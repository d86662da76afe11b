package estimators_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"testing"

	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/internal/testkit"
)

// A lossVector is a minibatch and its losses; testdata/README.md explains the entries.
type lossVector struct {
	Name      string         `json:"name"`
	Source    string         `json:"source"`
	Reason    string         `json:"reason"`
	Method    string         `json:"method"`
	Set       map[string]any `json:"set"`
	Sequences []lossSequence `json:"sequences"`
	Losses    []float64      `json:"losses"`
	Loss      *float64       `json:"loss"`
	Tolerance *float64       `json:"tolerance"`
}

type lossSequence struct {
	Advantage float64   `json:"advantage"`
	Correct   bool      `json:"correct"`
	Old       []float64 `json:"old"`
	Logp      []float64 `json:"logp"`
	Entropy   []float64 `json:"entropy"`
	Likeliest []bool    `json:"likeliest"`
	Ref       []float64 `json:"ref"`
	Stored    bool      `json:"stored"`
}

// minibatch flattens sequences.
func minibatch(sequences []lossSequence) *loss.Tokens {
	t := &loss.Tokens{Start: []int{0}, Groups: []int{0, len(sequences)}}
	for _, s := range sequences {
		t.Advantage, t.Correct = append(t.Advantage, s.Advantage), append(t.Correct, s.Correct)
		t.Stored = append(t.Stored, s.Stored)
		t.Old, t.Logp, t.Entropy = append(t.Old, s.Old...), append(t.Logp, s.Logp...), append(t.Entropy, s.Entropy...)
		t.Likeliest, t.Ref = append(t.Likeliest, s.Likeliest...), append(t.Ref, s.Ref...)
		t.Start = append(t.Start, len(t.Logp))
	}
	t.DLogp, t.DEntropy, t.DTop = make([]float64, len(t.Logp)), make([]float64, len(t.Entropy)), make([]float64, len(t.Likeliest))
	if len(t.Ref) == 0 {
		t.Ref = t.Logp // no divergence
	}
	return t
}

// TestLossVectors holds losses against numbers that others' code or hands gave.
func TestLossVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/objectives/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	var vectors []lossVector
	if err := decoder.Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range vectors {
		if v.Name == "" || v.Source == "" || v.Reason == "" || seen[v.Name] || v.Tolerance == nil || v.Loss == nil && v.Losses == nil {
			t.Errorf("%q: wants a name of its own, a source, a reason, a tolerance and a loss", v.Name)
			continue
		}
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) { v.check(t) })
	}
}

func (v lossVector) check(t *testing.T) {
	m, err := estimators.Lookup(v.Method)
	if err != nil {
		t.Fatal(err)
	}
	instance := m.New()
	names := make([]string, 0, len(v.Set))
	for name := range v.Set {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := instance.Set(name, fromJSON(v.Set[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := instance.Check(); err != nil {
		t.Fatal(err)
	}
	of := func(sequences []lossSequence) float64 {
		tokens := minibatch(sequences)
		if err := instance.Loss.Evaluate(tokens); err != nil {
			t.Fatal(err)
		}
		return tokens.Loss
	}
	if v.Loss != nil {
		testkit.Near(t, v.Reason, []float64{of(v.Sequences)}, []float64{*v.Loss}, *v.Tolerance)
	}
	if v.Losses != nil && len(v.Losses) != len(v.Sequences) {
		t.Fatalf("%d losses of %d sequences", len(v.Losses), len(v.Sequences))
	}
	for i, want := range v.Losses {
		testkit.Near(t, fmt.Sprintf("%s: sequence %d alone", v.Reason, i), []float64{of(v.Sequences[i : i+1])}, []float64{want}, *v.Tolerance)
	}
}
