package tabular_test

import (
	"bytes"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

// TestCorrectAndKeyReachTheObjective: flat, in the order of the sequences, when
// asked for, and nothing of an earlier batch.
func TestCorrectAndKeyReachTheObjective(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p := tabular.New(*tabular.Default(), sgd(1))
	b := policies.Batch{
		Groups:     []policies.Group{written(g, []envs.Token{9}, []envs.Token{2, 4}), written(g, []envs.Token{5, 0})},
		Advantages: [][]float64{{1, 2}, {3}}, Correct: [][]bool{{true, false}, {true}},
		Key: plain(5).Key, Want: policies.Want{Correct: true}, Temperature: 1,
	}
	b.Loss = func(l *loss.Tokens) error {
		clear(l.DLogp)
		if !slices.Equal(l.Correct, []bool{true, false, true}) {
			t.Errorf("correct: %v", l.Correct)
		}
		if l.Key != plain(5).Key {
			t.Error("another key than the batch's")
		}
		return nil
	}
	if _, err := p.Update(b); err != nil {
		t.Fatal(err)
	}
	if l, err := p.Flatten(b); err != nil || len(l.Correct) != 3 || l.Key != b.Key {
		t.Errorf("Flatten: %v, %v", l.Correct, err)
	}
	b.Want, b.Key = policies.Want{}, plain(6).Key
	if l, err := p.Flatten(b); err != nil || len(l.Correct) != 0 || l.Key != b.Key {
		t.Errorf("nobody asked which answers are correct, and the objective gets %v (%v)", l.Correct, err)
	}
	for _, c := range []struct {
		reason  string
		correct [][]bool
		words   string
	}{
		{"missing", nil, "correctness flags for 0 groups, want 2"},
		{"of one group", [][]bool{{true, false}}, "correctness flags for 1 groups, want 2"},
		{"of some rollouts", [][]bool{{true}, {true}}, "task one: correctness flags for 1 rollouts, want 2"},
	} {
		b.Want, b.Correct = policies.Want{Correct: true}, c.correct
		before := save(t, p)
		_, err := p.Update(b)
		wantError(t, err, c.words)
		_, err = p.Flatten(b)
		wantError(t, err, c.words)
		if !bytes.Equal(save(t, p), before) {
			t.Errorf("%s: a refused batch moved the policy", c.reason)
		}
	}
}
