package exploration_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// answered makes a batch of one group.
func answered(problem string, rewards []float64, answers ...string) *estimators.Batch {
	g := estimators.Group{Problem: problem}
	for i, r := range rewards {
		g.Rollouts = append(g.Rollouts, estimators.Rollout{Tokens: 1, Train: true, Candidates: []*envs.Verdict{{Reward: []float64{r}, Correct: r > 0.5, Answer: answers[i]}}})
	}
	return batchtest.Of(g)
}

// learn makes a step of a run: advantages, then memory.
func learn(t *testing.T, m *estimators.Instance, b *estimators.Batch) []float64 {
	t.Helper()
	out := batchtest.Advantages(t, m.Estimator, b)
	if s := m.State(); s != nil {
		if err := s.Remember(b); err != nil {
			t.Fatal(err)
		}
	}
	return out[0]
}

// TestTwoSteps: the second step of a problem, worked out by hand. 7 was given twice before, 12
// once, 40 never.
func TestTwoSteps(t *testing.T) {
	first := answered("p", []float64{1, 1, 0, 0}, "7", "7", "12", "")
	second := answered("p", []float64{1, 0, 0, 1}, "7", "12", "40", "7")
	for method, want := range map[string][]float64{
		"outcome-ucb":      {.641421, -.3, -.3, .641421},
		"outcome-ucb-mean": {.460948, -.460948, -.460948, .460948},
		"outcome-ucb-con":  {.541421, -.4, -.4, .541421},
		"outcome-batch":    {.45, -.5, -.5, .45},
	} {
		m := batchtest.Method(t, method, "scale=none")
		learn(t, m, first)
		fresh := batchtest.Method(t, method, "scale=none")
		testkit.Near(t, method+", asked twice", batchtest.Advantages(t, m.Estimator, second)[0], batchtest.Advantages(t, m.Estimator, second)[0], 0)
		testkit.Near(t, method, learn(t, m, second), want, 1e-6)
		other := answered("q", []float64{1, 0, 0, 1}, "7", "12", "40", "7")
		testkit.Near(t, method+", another problem", learn(t, m, other), learn(t, fresh, other), 0)
	}
}

// run draws batches of two problems, some of whose rollouts only vote.
func run(seed uint64, steps int) []*estimators.Batch {
	r := rand.New(rand.NewPCG(11, seed))
	var out []*estimators.Batch
	for range steps {
		b := batchtest.Of()
		for _, problem := range []string{"p \"0\"", "p<1>"} {
			g := estimators.Group{Problem: problem}
			for i := range 6 {
				answer := []string{"", "a", "ä", "1/2", "\\", "7"}[r.IntN(6)]
				reward := float64(r.IntN(2))
				g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: i < 4, Candidates: []*envs.Verdict{{Reward: []float64{reward}, Correct: reward > 0, Answer: answer}}})
			}
			b.Groups = append(b.Groups, g)
		}
		out = append(out, b)
	}
	return out
}

// TestByDefinition: over a run, bonuses are those that a list of everything that was answered
// gives.
func TestByDefinition(t *testing.T) {
	for _, baseline := range []string{"none", "mean", "constant"} {
		m := batchtest.Method(t, "outcome-ucb", "scale=none", "c=0.7", "constant=0.4", "baseline="+baseline)
		var before []string // problem, answer
		for step, b := range run(1, 30) {
			got := batchtest.Advantages(t, m.Estimator, b)
			var now []string
			for g, group := range b.Groups {
				trained := group.Rollouts[:4]
				mean, solved := 0.0, true
				var bonus []float64
				for _, r := range trained {
					c := r.Candidates[0]
					mean += c.Reward[0] / 4
					solved = solved && c.Correct
					times := 0
					for _, one := range before {
						if one == group.Problem+"|"+c.Answer {
							times++
						}
					}
					switch {
					case c.Answer == "":
						bonus = append(bonus, 0)
					case times == 0:
						bonus = append(bonus, 1)
					default:
						bonus = append(bonus, math.Pow(float64(times), -0.5))
					}
					if c.Answer != "" {
						now = append(now, group.Problem+"|"+c.Answer)
					}
				}
				want := make([]float64, 6)
				for i, r := range trained {
					less := 0.0
					for j := range trained {
						if baseline == "mean" && j != i {
							less += bonus[j] / 3
						}
					}
					if baseline == "constant" && r.Candidates[0].Answer != "" {
						less = 0.4
					}
					want[i] = r.Candidates[0].Reward[0] - mean
					if !solved {
						want[i] += 0.7 * (bonus[i] - less)
					}
				}
				testkit.Near(t, fmt.Sprintf("%s, step %d, group %d", baseline, step, g), got[g], want, 1e-12)
			}
			before = append(before, now...)
			if err := m.State().Remember(b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// saved is the state as bytes.
func saved(t *testing.T, m *estimators.Instance) string {
	t.Helper()
	var out bytes.Buffer
	if err := m.State().Save(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSavedAtEveryStep: an estimator that is saved and read back before every step gives the
// bits of an undisturbed run, and a state has one form.
func TestSavedAtEveryStep(t *testing.T) {
	whole := batchtest.Method(t, "outcome-ucb-con")
	if text := saved(t, whole); text != "" {
		t.Errorf("the empty state is %q", text)
	}
	parted := batchtest.Method(t, "outcome-ucb-con")
	for step, b := range run(2, 20) {
		text := saved(t, parted)
		parted = batchtest.Method(t, "outcome-ucb-con")
		if err := parted.State().Load(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if again := saved(t, parted); again != text || text != saved(t, whole) {
			t.Fatalf("step %d: %s became %s", step, text, again)
		}
		testkit.Near(t, fmt.Sprint("step ", step), learn(t, parted, b), learn(t, whole, b), 0)
	}
	if want := `{"p \"0\"":{"1/2":`; !strings.HasPrefix(saved(t, whole), want) {
		t.Errorf("%s, want problems and answers in order", saved(t, whole))
	}
	if err := whole.State().Load(strings.NewReader("")); err != nil || saved(t, whole) != "" {
		t.Errorf("%v; loading nothing leaves %s", err, saved(t, whole))
	}
}

// TestLoadsStatesAlone: texts that are no state are refused, and leave the empty one.
func TestLoadsStatesAlone(t *testing.T) {
	for text, says := range map[string]string{
		"x": "", `[1]`: "", `{"p":{"7":1.5}}`: "", `{"p":{"7":1}} {}`: "",
		`{"p":{"7":0}}`: `problem "p", answer "7": got the count 0`, `{"p":{"7":2,"":1}}`: `answer ""`,
	} {
		m := batchtest.Method(t, "outcome-ucb")
		learn(t, m, answered("p", []float64{1, 0}, "7", "8"))
		testkit.WantError(t, m.State().Load(strings.NewReader(text)), says)
		if left := saved(t, m); left != "" {
			t.Errorf("after %s there is the state %s", text, left)
		}
	}
}

// TestStateless: a method without memory has no state.
func TestStateless(t *testing.T) {
	for _, m := range estimators.Methods() {
		if got, want := m.New().State() != nil, strings.HasPrefix(m.Name, "outcome-ucb"); got != want {
			t.Errorf("%s remembers: %v, want %v", m.Name, got, want)
		}
	}
}
