package audit

import (
	"context"
	"math/rand/v2"
	"testing"

	"modebench/estimators"
	"modebench/estimators/exploration"
	"modebench/internal/testkit"
)

// A program remembers what it is sent at once, as a plug-in does.
type program struct{ *exploration.OutcomeUCB }

func (p program) Advantages(dst [][]float64, b *estimators.Batch) error {
	if err := p.OutcomeUCB.Advantages(dst, b); err != nil {
		return err
	}
	return p.Remember(b)
}

// TestStatesAreEmpty: a method with a state is audited at its first step, whatever groups
// came before.
func TestStatesAreEmpty(t *testing.T) {
	arms := auditProblem0(t, smallBandit())
	m, err := estimators.Lookup("outcome-ucb-mean")
	if err != nil {
		t.Fatal(err)
	}
	plugged, seen := m.New(), m.New()
	plugged.Estimator = program{plugged.Estimator.(*exploration.OutcomeUCB)}
	moved := false
	for draw := range uint64(20) {
		var steps [2][]float64
		for i, method := range []*estimators.Instance{m.New(), plugged} {
			g := newGroup(context.Background(), method, arms, []float64{1}, 4, 1, 0)
			g.draw(rand.NewPCG(5, draw))
			if err := g.estimate(0); err != nil {
				t.Fatal(err)
			}
			steps[i] = g.step
			if i > 0 { // the audit's result if it kept the state
				kept := estimators.NewAdvantages(&g.batch)
				if err := seen.Advantages(kept, &g.batch); err != nil {
					t.Fatal(err)
				}
				for k, a := range kept[0] {
					moved = moved || a != g.advantages[0][k]
				}
				if err := seen.State().Remember(&g.batch); err != nil {
					t.Fatal(err)
				}
			}
		}
		testkit.Near(t, "the step", steps[1], steps[0], 0)
	}
	if !moved {
		t.Error("the state makes no difference here")
	}
}
