package estimators

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
)

// electorate is groupOf without rewards: a letter is an answer, '-' is invalid, and
// a capital is trained on.
func electorate(letters string) Group {
	g := groupOf(make([]float64, len(letters)), strings.ToUpper(letters))
	for i := range g.Rollouts {
		g.Rollouts[i].Train = strings.ToUpper(letters)[i] == letters[i]
	}
	return g
}

// majority counts naively: the valid answer with the most votes, of several the one
// that comes first.
func majority(g Group) string {
	best, most := "", 0
	for _, r := range g.Rollouts {
		answer, votes := r.Candidates[0].Answer, 0
		for _, other := range g.Rollouts {
			if other.Candidates[0].Answer == answer {
				votes++
			}
		}
		if answer != "" && votes > most {
			best, most = answer, votes
		}
	}
	return best
}

func TestBallot(t *testing.T) {
	v := &ballot{}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("AaBbCD-")), 0, 20, -1).Draw(t, "letters")
		g := electorate(letters)
		v.count(&g, false) // on the buffers of the vote before
		want := majority(g)
		for i, r := range g.Rollouts {
			if got := v.elected(i); got != (want != "" && r.Candidates[0].Answer == want) {
				t.Fatalf("rollout %d of %q elected: %v, the majority is %q", i, letters, got, want)
			}
		}
	})
}

// TestBlankVotes: where invalid answers vote, they are one more answer.
func TestBlankVotes(t *testing.T) {
	v := &ballot{}
	for letters, want := range map[string]string{"-A-": "+-+", "A--A": "+--+", "-AA-": "+--+", "--": "++", "AAB-": "++--"} {
		g := electorate(letters)
		v.count(&g, true)
		for i := range g.Rollouts {
			if v.elected(i) != (want[i] == '+') {
				t.Errorf("%q: rollout %d elected: %v, want %s", letters, i, v.elected(i), want)
			}
		}
	}
}

func TestTTRLEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := electorate(rapid.StringOfN(rapid.SampledFrom([]rune("AaBbC-")), 1, 20, -1).Draw(t, "letters"))
		winner := majority(g)
		rewards := make([]float64, len(g.Rollouts))
		for i, r := range g.Rollouts {
			if winner != "" && r.Candidates[0].Answer == winner {
				rewards[i] = 1
			}
		}
		// GRPO on these rewards, which leaves votes out by itself.
		labelled := g
		labelled.Rollouts = slices.Clone(g.Rollouts)
		for i := range labelled.Rollouts {
			labelled.Rollouts[i].Candidates = []*envs.Verdict{{Reward: rewards[i : i+1]}}
		}
		near(t, "ttrl", ofGroup(t, build(t, "ttrl").Estimator, g), ofGroup(t, build(t, "grpo@evol-rl").Estimator, labelled), 0)
	})
}

func TestSelfConsistencyEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := electorate(rapid.StringOfN(rapid.SampledFrom([]rune("AaBbC-")), 1, 20, -1).Draw(t, "letters"))
		n := float64(len(g.Rollouts))
		rewards := make([]float64, len(g.Rollouts))
		trained := 0.0
		for i, r := range g.Rollouts {
			for _, other := range g.Rollouts {
				if a := r.Candidates[0].Answer; a != "" && a == other.Candidates[0].Answer {
					rewards[i] += 1 / n
				}
			}
			if r.Train {
				trained++
			}
		}
		want := make([]float64, len(rewards))
		for i, r := range g.Rollouts {
			if !r.Train || trained < 2 {
				continue
			}
			want[i] = rewards[i]
			for j, other := range g.Rollouts {
				if j != i && other.Train {
					want[i] -= rewards[j] / (trained - 1)
				}
			}
		}
		near(t, "self-consistency", ofGroup(t, build(t, "self-consistency").Estimator, g), want, 1e-13)
	})
}

// TestSelfConsistencyClimbsAgreement: the expected step is the gradient of the chance
// that two answers agree, which is largest where one answer has everything, times
// (N-2)/2: of a rollout's agreement with another, that one's reward in the baseline
// takes a part of 1/(N-1) back. An invalid answer agrees with none, and a valid
// one with itself: so the chance of being valid is climbed too.
func TestSelfConsistencyClimbsAgreement(t *testing.T) {
	agree := func(vs []*envs.Verdict) float64 {
		if vs[0].Answer != "" && vs[0].Answer == vs[1].Answer {
			return 1
		}
		return 0
	}
	valid := func(vs []*envs.Verdict) float64 {
		if vs[0].Answer != "" {
			return 1
		}
		return 0
	}
	for _, size := range []int{2, 3, 4} {
		w := newWorld(t, 3, true)
		want, alone := w.gradient(2, agree), w.gradient(1, valid)
		for k := range want {
			want[k] = want[k]*float64(size-2)/2 + alone[k]
		}
		near(t, fmt.Sprintf("groups of %d", size), w.expected(t, build(t, "self-consistency").Estimator, size), want, 1e-12)
	}
}

// voting are the methods whose registry entry declares that votes matter.
func voting(t *testing.T) []declared {
	var out []declared
	for _, m := range Families()[LabelFree].Methods {
		if m.Properties.VotersMatter {
			out = append(out, declared{method: m.Name, Properties: m.Properties})
		}
	}
	if len(out) < 8 {
		t.Fatalf("%d methods take votes", len(out))
	}
	return out
}

// TestDeclaredInfluences: the properties about votes, order and equal rewards hold.
// Rewards are all equal, so that any advantage other than 0 moves equal rewards.
func TestDeclaredInfluences(t *testing.T) {
	vectors := [][]float32{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 2, 1}}
	same := func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Abs(a-b) < 1e-3 })
	}
	for _, l := range voting(t) {
		e := l.estimator(t)
		g := embed(electorate("AABBbb"), vectors) // a tie of those who are trained
		first := ofGroup(t, e, Group{Problem: "p", Rollouts: g.Rollouts[:4]})
		if same(first, make([]float64, 4)) != (l.method == "self-consistency" || !l.MovesEqualRewards) {
			t.Errorf("%s: equal rewards teach %v", l.method, first)
		}
		if all := ofGroup(t, e, g); same(all[:4], first) {
			t.Errorf("%s: two more votes change nothing: %v", l.method, all)
		}
		swapped := Group{Problem: "p", Rollouts: []Rollout{g.Rollouts[2], g.Rollouts[3], g.Rollouts[0], g.Rollouts[1]}}
		back := ofGroup(t, e, swapped)
		if ordered := !same([]float64{back[2], back[3], back[0], back[1]}, first); ordered != l.OrderMatters {
			t.Errorf("%s: the order of a tie matters: %v, the registry says %v", l.method, ordered, l.OrderMatters)
		}
	}
}

// TestVotingErrors: faults of a rollout that only votes are errors too, and
// so is a penalty that is no number.
func TestVotingErrors(t *testing.T) {
	for _, l := range voting(t) {
		for what, c := range map[string]struct {
			spoil func(g *Group)
			says  []string
		}{
			"two candidates": {func(g *Group) {
				c := &g.Rollouts[3].Candidates
				*c = append(*c, (*c)[0])
			}, []string{"group 0", `"p"`, "rollout 3 has 2 candidates", "exactly one"}},
			"no candidate": {func(g *Group) { g.Rollouts[3].Candidates = nil }, []string{"rollout 3 has 0 candidates"}},
			"penalty":      {func(g *Group) { g.Rollouts[1].Penalty = math.NaN() }, []string{"group 0", "rollout 1", "penalty NaN", "finite"}},
			"infinity":     {func(g *Group) { g.Rollouts[1].Penalty = math.Inf(1) }, []string{"rollout 1", "penalty +Inf"}},
		} {
			g := embed(electorate("AABbA"), [][]float32{{1, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 1}})
			c.spoil(&g)
			b := batchOf(g)
			t.Run(l.method+" "+what, func(t *testing.T) {
				wantError(t, l.estimator(t).Advantages(NewAdvantages(b), b), c.says...)
			})
		}
	}
}

// TestPenaltyIsTakenFromTheReward: a divergence in the reward lowers whoever has it.
func TestPenaltyIsTakenFromTheReward(t *testing.T) {
	for _, l := range voting(t) {
		field := "scale=none"
		if l.method == "self-consistency" {
			field = "singleton=zero"
		}
		g := embed(electorate("AABa"), [][]float32{{1, 0}, {0, 1}, {1, 1}, {1, 2}})
		e := build(t, l.method, field).Estimator
		want := slices.Clone(ofGroup(t, e, g))
		g.Rollouts[1].Penalty = 0.75
		g.Rollouts[3].Penalty = 8 // of a vote: nothing
		// Three are trained; RLOO's baseline leaves the own reward out.
		own, others := 0.5, -0.25
		if l.method == "self-consistency" {
			own, others = 0.75, -0.375
		}
		want[0], want[1], want[2] = want[0]-others, want[1]-own, want[2]-others
		near(t, l.method, ofGroup(t, e, g), want, 1e-14)
	}
}
