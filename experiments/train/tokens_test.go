package train

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// recordsOf are the records of steps and evaluations of a spec's runs, one run after the other.
func recordsOf(t *testing.T, text string) []byte {
	t.Helper()
	run := trained(t, exptest.Load(t, "tokens.toml", text), t.TempDir())
	var out []byte
	for _, v := range run.Variants {
		for _, c := range v.Cells {
			files, err := filepath.Glob(filepath.Join(run.Dir, run.Manifest.Cells, c.ID, "*.jsonl"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%v: %v", files, err)
			}
			slices.Sort(files)
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, data...)
			}
		}
	}
	return out
}

const tokenSpec = `
seeds = 2
[env]
name = "multiplication"
[train]
steps = 5
problems = 3
batch = 2
epochs = 2
minibatches = 2
[eval]
every = 5
k = [1, 2]
samples = 4
enumerate = 0
[[method]]
name = "METHOD"
votes = 11
generations = 2
`

// TestTokensOfNoEntropyTrainAsGRPO: a method that gives every token the advantage of its rollout
// writes the records of the method that gives it to the rollout, to the bit: over minibatches, with
// voters and under dynamic sampling.
func TestTokensOfNoEntropyTrainAsGRPO(t *testing.T) {
	with := func(method, more string) []byte {
		return recordsOf(t, string(bytes.ReplaceAll([]byte(tokenSpec), []byte("METHOD"), []byte(method)))+more)
	}
	want := with("grpo", "")
	if got := with("entropy-shaped", "alpha = 0.0\n"); !bytes.Equal(got, want) {
		t.Errorf("other records than those of grpo:\n%s\n%s", got, want)
	}
	if got := with("entropy-shaped", ""); bytes.Equal(got, want) {
		t.Error("entropies change nothing")
	}
	if got := with("token-baseline", ""); bytes.Equal(got, want) {
		t.Error("baselines of tokens change nothing")
	}
}

// TestTokenListsAreThePolicys: estimators get the lists of tokens that they ask for, and no others,
// with the policy's values.
func TestTokenListsAreThePolicys(t *testing.T) {
	for method, lists := range map[string]int{"grpo": 0, "entropy-shaped": 1, "token-baseline": 2} {
		tr := trainerOf(t, method)
		if err := tr.step(0, &record.Train{}); err != nil {
			t.Fatal(err)
		}
		for g := range tr.batch.Groups {
			for i, r := range tr.batch.Groups[g].Rollouts {
				if lists == 0 {
					if r.PerToken != nil || tr.update.TokenAdvantages != nil {
						t.Errorf("%s is told of tokens", method)
					}
					continue
				}
				given := 0
				for _, list := range [][]float64{r.PerToken.Logprob, r.PerToken.Entropy, r.PerToken.Reference, r.PerToken.Squares} {
					if list != nil {
						given++
					}
				}
				if given != lists || len(tr.update.TokenAdvantages[g][i]) != r.Tokens {
					t.Errorf("%s: %d lists, want %d; %d advantages for %d tokens", method, given, lists, len(tr.update.TokenAdvantages[g][i]), r.Tokens)
				}
			}
		}
	}
	if tr := trainerOf(t, "token-baseline"); tr.batch.RolloutFields&estimators.AllTokenFields != estimators.TokenLogprob|estimators.TokenSquares {
		t.Errorf("%v", tr.batch.RolloutFields.Names())
	}
	tr := trainerOf(t, "token-baseline")
	if err := tr.step(0, &record.Train{}); err != nil {
		t.Fatal(err)
	}
	r := tr.batch.Groups[0].Rollouts[0]
	if sum := r.PerToken.Logprob[0]; math.Abs(sum-r.Logprob) > 1e-12 || r.PerToken.Squares[0] <= math.Exp(2*sum) {
		t.Errorf("log-probability %v of %v, squares %v", sum, r.Logprob, r.PerToken.Squares)
	}
}
