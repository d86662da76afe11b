package plots

import (
	"fmt"
	"math"
	"testing"

	_ "modebench/envs/multiplication"
	"modebench/experiments/record"
	"modebench/plots/forest/foresttest"
)

// settingsRun has three methods at four settings, two of them close to each other, and a
// base policy at one.
func settingsRun(t testing.TB, seeds int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	of := func(level float64) func(int) []record.Eval {
		return func(seed int) []record.Eval {
			score := math.Round(64*(level+0.08*math.Sin(float64(7*seed)+9*level))) / 64
			metrics := map[string]float64{"pass@1": score, "distinct_correct": 10 * score, "entropy_mode": math.Round(64*(1+math.Sin(40*level))) / 64}
			return []record.Eval{{Step: 0, Metrics: metrics}, {Step: 50, Metrics: metrics}}
		}
	}
	addVariant(t, run, record.Variant{Method: "base"}, seeds, of(0.2))
	for i, method := range []string{"grpo", "rloo", "poly-epo"} {
		for j := range 4 {
			env := fmt.Sprintf("%d modes", 4+2*j)
			v := record.Variant{Label: method + " " + env, Method: method, Axes: []record.Axis{{Field: "env.modes", Value: env}}}
			addVariant(t, run, v, seeds, of(0.3+0.12*float64(j)+[]float64{0, 0.02, 0.14}[i]))
		}
	}
	return run
}

// branchRun has branches by position.
func branchRun(t testing.TB) *record.Run {
	run := emptyRun(t)
	for i, method := range []string{"base", "grpo", "poly-epo"} {
		addVariant(t, run, record.Variant{Method: method}, 3, func(seed int) []record.Eval {
			metrics := map[string]float64{}
			for h := 1; h <= 9; h += 2 {
				metrics[fmt.Sprintf("branches@%d", h)] = 8 - float64(8-h)*0.7*float64(i+1)/3 - 0.1*float64(seed)
			}
			return []record.Eval{{Step: 0, Metrics: metrics}}
		})
	}
	return run
}

// judged lets figures of claims show scriptedClaims while a test runs.
func judged(t testing.TB) {
	before := kinds[claimsKind]
	t.Cleanup(func() { kinds[claimsKind] = before })
	scripted := before
	scripted.gather = func(_ *record.Run, d *Data) error {
		d.Claims = foresttest.Claims()
		return nil
	}
	kinds[claimsKind] = scripted
}

// crowdedPool has many answers that part in all sorts of ways: an answer that others continue,
// a frequent one, and empty ones.
func crowdedPool(step, n int) record.Pool {
	p := record.Pool{Step: step, ID: "train/0"}
	state := uint64(step + 12345)
	draw := func(k int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % k
	}
	for i := range n {
		a := record.PoolAnswer{Rollout: i, Reward: []float64{1}, Mode: "frequent", Correct: true, Tokens: []string{"a", "b", "a", "c"}}
		if draw(4) > 0 {
			a.Tokens = nil
			for range draw(3 + step) {
				a.Tokens = append(a.Tokens, string(rune('a'+draw(3))))
			}
			a.Mode = fmt.Sprintf("m%d", len(a.Tokens))
			a.Correct = len(a.Tokens)%3 > 0
		}
		p.Answers = append(p.Answers, a)
	}
	return p
}

func crowdedRun(t testing.TB, n int) *record.Run {
	run := emptyRun(t)
	for _, method := range []string{"base", "grpo", "poly-epo", "setpo+grpo"} {
		pools := []record.Pool{crowdedPool(0, n)}
		if method != "base" {
			pools = append(pools, crowdedPool(8, n))
		}
		addAnswers(t, run, record.Variant{Method: method}, "bandit", pools...)
	}
	return run
}

// kindGallery has the kinds that gallery lacks.
func kindGallery(t testing.TB) []exhibit {
	judged(t)
	maze, cards, product := answersRun(t, "maze"), answersRun(t, "countdown"), answersRun(t, "multiplication")
	run, settings := banditRun(t, 3, 100, 50), settingsRun(t, 6)
	crowd := crowdedRun(t, 64)
	return []exhibit{
		{run, record.Figure{Name: "bars", Kind: "bars", Title: "Metrics after training", Metrics: []string{"reward", "entropy_mode", "coverage@8"}}},
		{run, record.Figure{Name: "bars-1", Kind: "bars", Title: "One metric after training", Metrics: []string{"entropy_mode"}}},
		{run, record.Figure{Name: "scatter", Kind: "scatter", Title: "Does diversity cost accuracy?", Metrics: []string{"pass@1", "coverage@8"}}},
		{run, record.Figure{Name: "path", Kind: "path", Title: "What becomes of modes while reward rises", Metrics: []string{"reward", "correct_modes_alive"}}},
		{sweepRun(t, 3, 100, 50), record.Figure{Name: "path-sweep", Kind: "path", Title: "Many paths", Metrics: []string{"reward", "entropy_mode"}}},
		{rewardRun(t, 3), record.Figure{Name: "scatter-ceiling", Kind: "scatter", Title: "Best of three against reward diversity", Metrics: []string{"best@3", "reward_l1"}}},
		{sweepRun(t, 3, 100, 50), record.Figure{Name: "scatter-sweep", Kind: "scatter", Title: "Reward against mode entropy in a sweep", Metrics: []string{"reward", "entropy_mode"}}},
		{sweepRun(t, 3, 100, 50), record.Figure{Name: "dose", Kind: "dose", Title: "Reward against mode entropy by learning rate", Metrics: []string{"reward", "entropy_mode"}, Panel: []string{"setpo+grpo lambda=0.5 lr=0.1"}}},
		{settings, record.Figure{Name: "gain", Kind: "gain", Title: "What training adds to a base policy", Metrics: []string{"pass@1", "distinct_correct"}}},
		{branchRun(t), record.Figure{Name: "positions", Kind: "positions", Title: "Different beginnings among 8 answers"}},
		{maze, record.Figure{Name: "answers-maze", Kind: "answers", Title: "Routes in a maze"}},
		{cards, record.Figure{Name: "answers-countdown", Kind: "answers", Title: "Answers to a Countdown problem"}},
		{frontRun(t), record.Figure{Name: "front", Kind: "front", Title: "Rewards against the exact front", Components: []string{"gold", "diamond"}}},
		{frontRun(t), record.Figure{Name: "front-3", Kind: "front", Title: "Three components", Components: []string{"completion", "gold", "diamond"}}},
		{maze, record.Figure{Name: "map", Kind: "map", Title: "Embeddings of routes by training step"}},
		{product, record.Figure{Name: "map-2", Kind: "map", Title: "Embeddings of multiplications", Steps: []int{8}}},
		{cards, record.Figure{Name: "tree", Kind: "tree", Title: "How answers part (after Poly-EPO fig. 3)"}},
		{maze, record.Figure{Name: "tree-steps", Kind: "tree", Title: "How routes part, before training and after", Steps: []int{0, 8}}},
		{product, record.Figure{Name: "tree-1", Kind: "tree", Title: "How one policy's answers part", Panel: []string{"vpo"}}},
		{crowd, record.Figure{Name: "tree-crowd", Kind: "tree", Title: "Many answers", Steps: []int{0, 8}}},
		{settings, record.Figure{Name: "agreement", Kind: "agreement", Title: "Which metrics order methods alike?", Metrics: []string{"pass@1", "distinct_correct", "entropy_mode"}, Cols: []string{"env.modes"}}},
		{run, record.Figure{Name: "claims", Kind: "claims", Title: "What the seeds say of the claims"}},
	}
}
