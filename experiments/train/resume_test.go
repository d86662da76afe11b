package train

import (
	"testing"

	"modebench/experiments/internal/exptest"
)

// TestFindingsOfEvaluationsAreSaved: in the resumable spec whose evaluations find out something, a
// run that forgot it would continue differently.
func TestFindingsOfEvaluationsAreSaved(t *testing.T) {
	spec := exptest.Load(t, "resumed.toml", "seeds = 1\n"+exptest.Resumables[3].Text)
	run := trained(t, spec, t.TempDir())
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Variants[0].Setup()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 0)
	if err != nil {
		t.Fatal(err)
	}
	for step := range p.Train.Steps {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
	}
	e, err := newEvaluator(t.Context(), p, tr.policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := e.evaluate(p.Train.Steps)
	if err != nil {
		t.Fatal(err)
	}
	if last := evals[len(evals)-1]; last.Exact || !rec.Exact {
		t.Errorf("the last evaluation is exact: %v; of an evaluator that knows nothing: %v; want false and true", last.Exact, rec.Exact)
	}
}
