package similarity_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// embedded is a batch of two groups with these rewards and embeddings.
func embedded(rewards []float64, embeddings [][]float32) *estimators.Batch {
	half := len(rewards) / 2
	b := batchtest.Of(batchtest.Group(rewards[:half], ""), batchtest.Group(rewards[half:], ""))
	for i, e := range embeddings {
		b.Groups[i/half].Rollouts[i%half].Candidates[0].Embedding = e
	}
	return b
}

// learned gives the advantages of a step, which the method then remembers.
func learned(t *testing.T, m *estimators.Instance, b *estimators.Batch) [][]float64 {
	t.Helper()
	dst := estimators.NewAdvantages(b)
	if err := m.Advantages(dst, b); err != nil {
		t.Fatal(err)
	}
	if err := m.Remember(b); err != nil {
		t.Fatal(err)
	}
	return dst
}

// saved is the state as text.
func saved(t *testing.T, m *estimators.Instance) string {
	t.Helper()
	var out bytes.Buffer
	if err := m.State().Save(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestAveragedAsTheCode: four steps of diverse_adjust_rewards_fast_std (WeiKangda/MMR-GRPO
// at db07f71) at temperature 1, which was executed with numpy in the place of PyTorch, and
// the z-score of each group by its sample deviation.
func TestAveragedAsTheCode(t *testing.T) {
	embeddings := [][]float32{{1, 0, 0}, {.8, .6, 0}, {0, .6, .8}, {0, 0, 1}, {.6, 0, .8}, {0, 1, 0}}
	m := batchtest.Method(t, "mmr-grpo", "over=batch", "rule=averaged")
	if text := saved(t, m); text != "" {
		t.Errorf("the empty state is %q", text)
	}
	for step, c := range []struct {
		rewards    []float64
		lambda     float64
		advantages [][]float64
	}{
		{[]float64{1, 1, 0, 0, .5, 0}, 0.5185439850901232, [][]float64{{1.0723784145144866, -0.1657662635628001, -0.9066121509516862}, {0.9539159659220747, 0.0852981448887561, -1.0392141108108304}}},
		{[]float64{1, 1, 1, 1, 1, 0}, 0.4766385864346269, [][]float64{{1.0346676811344024, -0.9607628467676591, -0.07390483436674293}, {0.3958980213441839, 0.7409538601102014, -1.1368518814543858}}},
		{[]float64{.5, .5, .5, .5, .5, .5}, 0.38131086914770157, [][]float64{{0.00012477552414990738, -0.00014557144502657055, 2.079592087666317e-05}, {-2.4957959790269338e-05, 8.319319189957388e-06, 1.663863893501407e-05}}},
		{[]float64{-1, .25, 1, 0, .75, .5}, 0.4492137914445685, [][]float64{{-0.8911897644218105, -0.19013328119344092, 1.0813230456152514}, {-1.1305530745521646, 0.7667583411974024, 0.3637947333547622}}},
	} {
		got := learned(t, m, embedded(c.rewards, embeddings))
		for g := range got {
			testkit.Near(t, fmt.Sprintf("step %d, group %d", step, g), got[g], c.advantages[g], 1e-7) // embeddings are of 32 bits
		}
		var lambda float64
		if _, err := fmt.Sscan(saved(t, m), &lambda); err != nil || math.Abs(lambda-c.lambda) > 1e-15 {
			t.Errorf("step %d: lambda is %v, want %v", step, lambda, c.lambda)
		}
	}
}

// TestAveragedGoesOn: an estimator that is saved and read back before every step gives the
// bits of an undisturbed run, and Advantages moves no state. The rewards that are averaged are
// those of the method's shaping.
func TestAveragedGoesOn(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 1))
	fields := []string{"over=batch", "rule=averaged", "lambda_temperature=0.7", "lambda_share=0.3"}
	whole, parted := batchtest.Method(t, "mmr-grpo", fields...), batchtest.Method(t, "mmr-grpo", fields...)
	want := math.NaN() // the average, from its definition
	for step := range 20 {
		var rewards []float64
		var embeddings [][]float32
		for range 8 {
			rewards = append(rewards, math.Round(4*r.Float64())/4)
			embeddings = append(embeddings, []float32{r.Float32() - .5, r.Float32() - .5, r.Float32() - .5})
		}
		b := embedded(rewards, embeddings)
		text := saved(t, parted)
		parted = batchtest.Method(t, "mmr-grpo", fields...)
		if err := parted.State().Load(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if err := parted.Advantages(estimators.NewAdvantages(b), b); err != nil {
			t.Fatal(err)
		}
		if again := saved(t, parted); again != text {
			t.Fatalf("step %d: the state %s became %s", step, text, again)
		}
		a, c := learned(t, whole, b), learned(t, parted, b)
		for g := range a {
			testkit.Near(t, fmt.Sprint("step ", step), a[g], c[g], 0)
		}
		mean, squares := 0.0, 0.0
		for _, x := range rewards {
			mean += x / 8
		}
		for _, x := range rewards {
			squares += (x - mean) * (x - mean) / 8
		}
		ratio := .7 * math.Sqrt(squares) / mean
		if now := 1 - 1/(1+ratio); step == 0 {
			want = now
		} else {
			want += .3 * (now - want)
		}
		var lambda float64
		if _, err := fmt.Sscan(saved(t, whole), &lambda); err != nil || math.Abs(lambda-want) > 1e-7 {
			t.Errorf("step %d: lambda is %v, want %v", step, lambda, want)
		}
	}
	plain, shaped := batchtest.Method(t, "mmr-grpo", fields...), batchtest.Method(t, "mmr-grpo", append(fields, "shaping=reward + 1")...)
	up, down := embedded([]float64{1, 2, 1, 2}, nil), embedded([]float64{0, 1, 0, 1}, nil)
	learned(t, plain, up)
	learned(t, shaped, down)
	if a, b := saved(t, plain), saved(t, shaped); a != b {
		t.Errorf("rewards shaped to others are averaged as %s, want %s", b, a)
	}
}

// TestAveragedMistakes: one lambda for a step needs one pass over the step, and a state is a share.
func TestAveragedMistakes(t *testing.T) {
	m := batchtest.Method(t, "mmr-grpo")
	if m.State() != nil {
		t.Error("the default rule remembers")
	}
	if err := m.SetText("rule=averaged"); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, m.Check(), `"over"`, "got group, want batch")
	for _, text := range []string{"x", "null", "-0.1", "1.1", "0.5 0.5", `"a"`, "{}"} {
		m := batchtest.Method(t, "mmr-grpo", "over=batch", "rule=averaged")
		learned(t, m, embedded([]float64{1, 2, 1, 2}, nil))
		if err := m.State().Load(strings.NewReader(text)); err == nil {
			t.Errorf("%s is taken for a state", text)
		}
		if left := saved(t, m); left != "" {
			t.Errorf("after %s there is the state %s", text, left)
		}
	}
}

// FuzzLoadAverage: an accepted state is saved as the same text again.
func FuzzLoadAverage(f *testing.F) {
	for _, text := range []string{"", "0", "1", "0.5185439850901232", "1e-300", "-0", "NaN", "null", "[0.5]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := batchtest.Method(t, "mmr-grpo", "over=batch", "rule=averaged")
		if m.State().Load(strings.NewReader(text)) != nil {
			return
		}
		first := saved(t, m)
		if err := m.State().Load(strings.NewReader(first)); err != nil || saved(t, m) != first {
			t.Errorf("%q was taken, saved as %q and then as %q: %v", text, first, saved(t, m), err)
		}
	})
}
