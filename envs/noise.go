package envs

import (
	"math/rand/v2"
	"strconv"

	"modebench/internal/rng"
)

// Noise makes verdicts unreliable in two ways that can be set apart: as a language
// model that is asked for strategies would, and as a faulty verifier would. It is
// for what an estimator sees; metrics keep the true verdicts.
type Noise struct {
	// Judge is the probability that the mode label of an answer is replaced. The
	// judge of Poly-EPO sec. 4.2 numbers the clusters of a group of N answers from 1 to N; a
	// replaced label is drawn uniformly from these N, so it may be that of another
	// cluster of the group (the answer's own included) or begin a new one, which
	// other replaced labels may join. Degenerate answers stay degenerate.
	Judge float64
	// Reward is the probability that the verifier errs about an answer: right
	// becomes wrong, wrong right, and every reward component r, in [0, 1], 1-r.
	// What does not parse never reaches the verifier.
	Reward float64
}

// Disturb replaces the verdicts of one group's answers, rollout by rollout, by
// noisy copies where the noise strikes; the verdicts themselves are not written
// to. The key decides every draw.
func (n Noise) Disturb(group [][]*Verdict, key rng.Key) {
	if n == (Noise{}) {
		return
	}
	clusters, answers := clustersOf(group)
	var p rand.PCG
	i := uint64(0)
	for _, rollout := range group {
		for c, v := range rollout {
			key.Int(i).Seed(&p)
			i++
			// Always three draws, so that one kind of noise does not move the other.
			relabel, label, flip := rng.Uniform(&p) < n.Judge, int(rng.Uniform(&p)*float64(answers)), rng.Uniform(&p) < n.Reward
			relabel = relabel && v.Mode != Degenerate
			flip = flip && v.Err == nil
			if !relabel && !flip {
				continue
			}
			noisy := *v
			if relabel {
				noisy.Mode = clusterMode(clusters, label)
			}
			if flip {
				noisy.flip()
			}
			rollout[c] = &noisy
		}
	}
}

// clustersOf lists the modes of a group in the order of their first answer, and
// counts the answers.
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

// clusterMode is the mode of a cluster by its number from 0; one beyond those that
// the group has is new. The name of a new one begins with a byte that no
// environment's modes begin with.
func clusterMode(clusters []Mode, number int) Mode {
	if number < len(clusters) {
		return clusters[number]
	}
	return Mode("\x00" + strconv.Itoa(number))
}

// flip turns the verdict into what a verifier that errs says.
func (v *Verdict) flip() {
	v.Correct = !v.Correct
	reward := make([]float64, len(v.Reward))
	for j, r := range v.Reward {
		reward[j] = 1 - r
	}
	v.Reward = reward
}
