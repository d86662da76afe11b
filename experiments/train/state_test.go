package train

import (
	"strings"
	"testing"
)

// FuzzLoadObjective: an accepted state of an objective is saved and accepted again as the same one;
// after an error the objective is as a run begins.
func FuzzLoadObjective(f *testing.F) {
	for _, text := range []string{`{"coef":0.1,"low":true,"zeta":0}`, `{"coef":2}`, `{"coef":-0}`, `{}`, `null`, `[]`, `{"other":1}`, `x`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tr := &trainer{Setup: *lagSetup(t, strings.Replace(lagged[0].text, `"grpo"`, `"entropy-adaptive"`, 1), 0)}
		begins := *tr.Method.Loss.State()
		if tr.loadObjective([]byte(text)) != nil {
			if got := *tr.Method.Loss.State(); got != begins {
				t.Fatalf("after an error the state is %+v, want %+v", got, begins)
			}
			return
		}
		first := *tr.Method.Loss.State()
		again, err := objectiveState(&first)
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.loadObjective(again); err != nil || *tr.Method.Loss.State() != first {
			t.Fatalf("%q was taken for %+v, and %s for %+v: %v", text, first, again, *tr.Method.Loss.State(), err)
		}
	})
}
