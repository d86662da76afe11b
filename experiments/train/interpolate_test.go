package train

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// TestInterpolatedEvaluations: training does not depend on interpolate. At 1 the cell is the one without the
// field, and at 0 every evaluation equals the one before training.
func TestInterpolatedEvaluations(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"tables, listed", `
env = { name = "bandit", start = "zipf" }
train = { steps = 8, lr = 0.3, record_every = 1 }
method = [{ name = "grpo", kl = "k3", kl_coef = 0.1 }]
[eval]
every = 4
k = [1, 2]
samples = 8
modes = true
keep = 1
measure = ["votes", "rollouts", "embeddings", "kl", "search"]
`},
		{"tables, drawn, under goals, an earlier sampler", `
env = { name = "maze" }
policy = { demonstrations = 20 }
train = { steps = 6, problems = 3, batch = 2, record_every = 1, lag = 2 }
method = [{ name = "goal-conditioned" }]
[eval]
every = 3
k = [1, 2]
samples = 8
enumerate = 0
goals = "random"
temperature = 0.8
top_p = 0.9
keep = 1
measure = ["kl"]
`},
		{"a transformer", `
env = { name = "bandit" }
train = { steps = 4, problems = 3, batch = 2, group = 4, record_every = 1, lr = 0.01 }
method = [{ name = "grpo", kl = "k3", kl_coef = 0.1 }]
[eval]
every = 2
k = [1, 2]
samples = 8
problems = 2
keep = 1
measure = ["kl"]
` + exptest.TinyPolicy},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := exptest.Load(t, "plain.toml", "seeds = 1\n"+c.text)
			s := exptest.Load(t, "shares.toml", "seeds = 1\n"+strings.Replace(c.text, "[eval]", "[eval]\ninterpolate = [1, 0.5, 0]", 1))
			run := trained(t, s, t.TempDir())
			p, err := plain.Variants[0].Setup()
			if err != nil {
				t.Fatal(err)
			}
			if id, err := p.Cell(0).ID(); err != nil || id != run.Variants[0].Cells[0].ID {
				t.Errorf("with share 1 the cell is %s, want %s (%v)", run.Variants[0].Cells[0].ID, id, err)
			}
			files := func(variant int, name string) string {
				data, err := os.ReadFile(filepath.Join(run.Folder(run.Variants[variant].Cells[0]), name))
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			var evals [3][]record.Eval
			for i := range evals {
				for _, name := range []string{record.TrainFile, record.CheckpointFile} {
					if files(i, name) != files(0, name) {
						t.Errorf("%s: another %s", run.Variants[i].Label, name)
					}
				}
				if evals[i], err = run.Evals(run.Variants[i].Cells[0]); err != nil {
					t.Fatal(err)
				}
				for k := range evals[i] {
					evals[i][k].Step = 0
				}
				if d := cmp.Diff(evals[0][0], evals[i][0]); d != "" {
					t.Errorf("%s: another evaluation before training:\n%s", run.Variants[i].Label, d)
				}
			}
			last := len(evals[0]) - 1
			for k := range evals[2] {
				if d := cmp.Diff(evals[2][0], evals[2][k]); d != "" {
					t.Errorf("share 0, evaluation %d is not that of the base policy:\n%s", k, d)
				}
			}
			if cmp.Equal(evals[0][last], evals[1][last]) || cmp.Equal(evals[1][last], evals[2][last]) {
				t.Error("the share makes no difference at the end")
			}
			if kl := [3]float64{evals[0][last].Metrics["kl"], evals[1][last].Metrics["kl"], evals[2][last].Metrics["kl"]}; !(kl[0] > kl[1] && kl[1] > 0 && kl[2] == 0) {
				t.Errorf("divergences from the base policy: %v", kl)
			}
		})
	}
}

// TestInterpolatedBandit: on a bandit whose arms are its modes the mass of a mode is proportional to
// p0^(1-a) p1^a, p0 before training and p1 of the trained policy.
func TestInterpolatedBandit(t *testing.T) {
	masses := func(share float64) [][]float64 {
		var out [][]float64
		for _, e := range evalsOf(t, measuring(t, fmt.Sprintf("interpolate = %v\n", share)), 0) {
			var mass []float64
			for _, m := range e.Modes {
				mass = append(mass, m.Mass)
			}
			out = append(out, mass)
		}
		return out
	}
	trained := masses(1)
	p0 := trained[0]
	for _, share := range []float64{0.5, 0.3} {
		for k, got := range masses(share) {
			sum := 0.0
			for j := range got {
				sum += math.Pow(p0[j], 1-share) * math.Pow(trained[k][j], share)
			}
			for j := range got {
				if want := math.Pow(p0[j], 1-share) * math.Pow(trained[k][j], share) / sum; math.Abs(got[j]-want) > 1e-12 {
					t.Errorf("share %v, evaluation %d: mode %d has mass %v, want %v", share, k, j, got[j], want)
				}
			}
		}
	}
}
