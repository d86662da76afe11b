package envs

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"modebench/internal/rng"
)

// Noise makes verdicts unreliable in two ways: it errs about modes, as a language model
// that is asked for strategies does, and about rewards, as a faulty verifier does. Only
// estimators see the noise; metrics use the true verdicts.
type Noise struct {
	// Judge is the probability that the mode label of an answer is replaced. The
	// judge of Poly-EPO sec. 4 numbers the clusters of a group of N answers from 1
	// to N; a replaced label is drawn uniformly from these N, so it may be that of
	// another cluster of the group (the answer's own included) or begin a new one,
	// which other replaced labels may join. Degenerate answers stay degenerate.
	Judge float64
	// Reward is the probability that the verifier of a reward component errs about an answer: r, in
	// [0, 1], becomes 1-r. Each component has a verifier of its own, and the first one also decides
	// whether the answer is correct. An answer that does not parse never reaches them.
	Reward float64
	// Formal marks the components that have no verifier to err, because they judge an
	// answer's form alone (Info.Formal); nil: all have one.
	Formal []bool
}

// None reports whether there is no noise.
func (n *Noise) None() bool { return n.Judge == 0 && n.Reward == 0 }

// Disturb replaces the verdicts of one group's answers, rollout by rollout, by copies with noise;
// the verdicts themselves are not written to. The key decides every draw.
func (n *Noise) Disturb(group [][]*Verdict, key rng.Key) {
	if n.None() {
		return
	}
	clusters, answers := clustersOf(group)
	var p rand.PCG
	i := uint64(0)
	for _, rollout := range group {
		for c, v := range rollout {
			key.Int(i).Seed(&p)
			i++
			noisy := *v
			// Both drawn in any case, so that one kind of noise does not move the other.
			if relabel, label := rng.Uniform(&p) < n.Judge, int(rng.Uniform(&p)*float64(answers)); relabel && v.Mode != Degenerate {
				noisy.Mode = clusterMode(clusters, label)
			}
			if v.Err == nil {
				n.err(&noisy, &p)
			}
			rollout[c] = &noisy
		}
	}
}

// clustersOf lists the modes of a group in the order of their first answer, and counts the answers.
func clustersOf(group [][]*Verdict) (clusters []Mode, answers int) {
	known := map[Mode]bool{Degenerate: true}
	for _, rollout := range group {
		answers += len(rollout)
		for _, v := range rollout {
			if !known[v.Mode] {
				known[v.Mode] = true
				clusters = append(clusters, v.Mode)
			}
		}
	}
	return clusters, answers
}

// clusterMode is the mode of a cluster by its number from 0; one beyond those that the group has is
// new. The name of a new one begins with a byte that no environment's modes begin with.
func clusterMode(clusters []Mode, number int) Mode {
	if number < len(clusters) {
		return clusters[number]
	}
	return Mode("\x00" + strconv.Itoa(number))
}

func (n *Noise) err(v *Verdict, p *rand.PCG) {
	reward := slices.Clone(v.Reward)
	for j := range reward {
		if flip := rng.Uniform(p) < n.Reward; !flip || n.Formal != nil && n.Formal[j] {
			continue
		}
		reward[j] = 1 - reward[j]
		if j == 0 {
			v.Correct = !v.Correct
		}
	}
	v.Reward = reward
}
