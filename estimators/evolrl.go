package estimators

import (
	"slices"

	"modebench/envs"
	"modebench/estimators/internal/cosine"
	"modebench/estimators/loss"
	"modebench/internal/exact"
)

// EvolRL rewards agreement with the majority and, within majority and minority each, being unlike
// the others (Evol-RL sec. 3.2, app. A.4). With S_ij the cosine of the embeddings of i and j, over all
// valid rollouts of the group, those that only vote included:
//
//	s_i = mean of S_ij over the others j of i's band (majority or minority)
//	m_i = max of S_ij over the others j of both bands
//	u_i = 1 - (alpha s_i + (1 - alpha) m_i)
//	v_i = (u_i - min u) / (max u - min u + epsilon_norm), over i's band
//	r_i = 0.5 + 0.5 v_i    for the majority: in [0.5, 1]
//	      -1 + 0.5 v_i     for the minority: in [-1, -0.5]
//	      -1               where the answer is invalid
//
// The advantage is the z-score of r over the trained rollouts.
//
// Under labels "majority" the bands are split by the vote of all rollouts: the answer with the most
// votes, of several the first seen; an answer of "" is invalid. Under "correct" they are split by the
// ground truth (sec. 4.5), and an answer that does not parse is invalid.
//
// A valid rollout without an embedding has v = 0 and counts as no other's neighbour: an answer without
// a strategy is never diverse. A range of u below 1e-12 counts as zero: v = 0 in the whole band.
//
// Fidelity "code" follows the published code (YujunZhou/EVOL-RL, semantic_novelty.py and ttrl.py)
// if it differs from the paper and the difference matters here:
//
//  1. The "entire batch" of m_i is the prompt's own valid rollouts, in both fidelities.
//  2. S is clipped to [0, 1]. In the paper's fidelity it is the plain cosine.
//  3. The environment chooses the embedded text, in both fidelities.
//  4. No epsilon_norm; where max u = min u, v = 0.5: rewards of 0.75 and -0.75.
//  5. Alone in its band, a rollout has v = 1: rewards of 1 and -0.5, not 0.5 and -1.
//  6. With at most one valid rollout all rewards are -1; a group of a single rollout has its label,
//     1 or 0, for a reward.
//  7. The environment decides which texts count as a box with a number.
//  8. Invalid answers vote too, and together: if they win, every valid rollout is in the minority.
//     Answers are canonical here, so equality decides membership.
//
// The number of votes (9) is the protocol's, and the token that a reward is written to (10) does not
// matter; the sample deviation and the token mean (11) are the fields ddof and aggregation.
type EvolRL struct {
	GRPO
	Alpha       float64 `param:"alpha" doc:"weight of the mean similarity to the own band; the rest goes to the similarity to the nearest rollout" min:"0" max:"1"`
	EpsilonNorm float64 `param:"epsilon_norm" doc:"added to a band's spread of novelty; not under fidelity code" min:"0" when:"fidelity=paper"`
	Labels      string  `param:"labels" doc:"what makes the upper band: the majority answer, or correctness" choices:"majority,correct"`
	Fidelity    string  `param:"fidelity" doc:"rewards of the paper, or of its published code" choices:"paper,code"`

	ballot     ballot
	upper      []bool        // of every rollout: is its label positive?
	place      []int         // of each valid rollout
	embeddings [][]float32   // of each valid rollout
	cosines    cosine.Kernel // of these
	band       []int         // members of the kernel
	row        []float64     // cosines of one member with its band
	novelty    []float64     // of each in band
}

// The floors of the bands, which are band wide; invalid rollouts lie at the lower one.
const (
	majorityFloor = 0.5
	minorityFloor = -1
	bandWidth     = 0.5
)

func (e *EvolRL) Requirements() Requirements {
	if e.Labels == "correct" {
		return Requirements{CandidateFields: envs.HasCorrect | envs.HasValid | envs.HasEmbedding, MinGroup: 1}
	}
	return Requirements{CandidateFields: envs.HasAnswer | envs.HasEmbedding, MinGroup: 1}
}

func (e *EvolRL) Advantages(dst [][]float64, b *Batch) error {
	return e.eachScored(dst, b, e.reward, e.core)
}

// reward writes the rewards of all the group's rollouts to scores.
func (e *EvolRL) reward(g *Group) error {
	if err := e.label(g); err != nil {
		return err
	}
	code := e.Fidelity == "code"
	for i := range e.scores {
		e.scores[i] = minorityFloor
	}
	switch {
	case code && len(g.Rollouts) == 1:
		e.scores[0] = 0
		if e.upper[0] && len(e.place) == 1 {
			e.scores[0] = 1
		}
		return nil
	case code && len(e.place) <= 1:
		return nil
	}
	for _, i := range e.place {
		if e.upper[i] {
			e.scores[i] = majorityFloor
		}
	}
	lowest := -1.0
	if code {
		lowest = 0
	}
	if err := e.cosines.Fill(e.embeddings, lowest, func(i int) int { return e.place[i] }); err != nil {
		return err
	}
	e.vary(true)
	e.vary(false)
	return nil
}

// label marks which rollouts are in the upper band and which are valid at all.
func (e *EvolRL) label(g *Group) error {
	if err := g.single(); err != nil {
		return err
	}
	if e.Labels == "majority" {
		e.ballot.count(g, e.Fidelity == "code")
	}
	e.upper, e.place, e.embeddings = e.upper[:0], e.place[:0], e.embeddings[:0]
	for i := range g.Rollouts {
		c := g.Rollouts[i].Candidates[0]
		upper, valid := c.Correct, c.Err == nil
		if e.Labels == "majority" {
			upper, valid = e.ballot.elected(i), c.Answer != ""
		}
		e.upper = append(e.upper, upper)
		if valid {
			e.place, e.embeddings = append(e.place, i), append(e.embeddings, c.Embedding)
		}
	}
	return nil
}

// vary adds the novelty of the rollouts of one band to their scores.
func (e *EvolRL) vary(upper bool) {
	e.band = e.band[:0]
	for a, i := range e.cosines.Members {
		if e.upper[e.place[i]] == upper {
			e.band = append(e.band, a)
		}
	}
	e.normalise()
	for k, a := range e.band {
		e.scores[e.place[e.cosines.Members[a]]] += float64(bandWidth * e.novelty[k])
	}
}

// normalise writes v, the novelty of each in the band between 0 and 1.
func (e *EvolRL) normalise() {
	alone, level, epsilon := 0.0, 0.0, e.EpsilonNorm
	if e.Fidelity == "code" {
		alone, level, epsilon = 1, 0.5, 0
	}
	e.novelty = Resize(e.novelty, len(e.band))
	if len(e.band) < 2 {
		flatten(e.novelty, alone)
		return
	}
	for k, a := range e.band {
		e.novelty[k] = e.unlike(a)
	}
	least := slices.Min(e.novelty)
	width := slices.Max(e.novelty) - least
	if width < Tiny {
		flatten(e.novelty, level)
		return
	}
	for k, u := range e.novelty {
		e.novelty[k] = (u - least) / (width + epsilon)
	}
}

func flatten(xs []float64, value float64) {
	for i := range xs {
		xs[i] = value
	}
}

// unlike is u of a member whose band has others. The sum is compensated, so that it hardly ever
// depends on the order of members: the division by a small range would show it.
func (e *EvolRL) unlike(a int) float64 {
	size := len(e.cosines.Members)
	line := e.cosines.Values[a*size : (a+1)*size]
	e.row = e.row[:0]
	for _, b := range e.band {
		if b != a {
			e.row = append(e.row, line[b])
		}
	}
	nearest := e.row[0]
	for b, s := range line {
		if s > nearest && b != a { // no cosine is NaN
			nearest = s
		}
	}
	mean := exact.Sum(e.row) / float64(len(e.row))
	return 1 - (float64(e.Alpha*mean) + float64((1-e.Alpha)*nearest))
}

// votesOf64 is the protocol of all methods that vote (Evol-RL table 4; TTRL): 64
// rollouts vote, and of these the first are trained on.
var votesOf64 = Protocol{Votes: 64}

// evolrlLoss is GRPO's loss (Evol-RL eqs. 1-2, tables 4-5) with or without
// the two supporting mechanisms: the higher upper clip, 0.28 for 0.2, and the
// entropy bonus, averaged over the tokens of a sequence first.
func evolrlLoss(clipHigh, entropyCoef float64) loss.Function {
	return loss.Function{ClipLow: 0.2, ClipHigh: clipHigh, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", KLCoef: 1e-3, EntropyCoef: entropyCoef}
}

// banded is the novelty reward over either kind of label. The paper gives no ddof for std(r).
func banded(labels string) func() Estimator {
	return From(EvolRL{GRPO: ZScore, Alpha: 0.5, EpsilonNorm: 1e-8, Labels: labels, Fidelity: "paper"})
}

var evolrlCode = EvolRL{
	GRPO:  GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"},
	Alpha: 0.5, EpsilonNorm: 1e-8, Labels: "majority", Fidelity: "code",
}

var (
	votedProperties = Properties{
		ShiftInvariant: true, Scale: Invariant, ZeroSum: true, OrderMatters: true, VotersMatter: true, MovesEqualRewards: true,
		Why: "a z-score from the vote: no reward is read, and ties go to the first answer",
	}
	noveltyProperties = Properties{ // the ground truth does not depend on the order
		ShiftInvariant: true, Scale: Invariant, ZeroSum: true, VotersMatter: true, MovesEqualRewards: true,
		Why: "a z-score of bands that correctness and embeddings make: no reward is read",
	}
)

// Evol-RL, its ablations (table 2, where a name gives the part taken away), TTRL, and Evol-RL's
// novelty added to supervised GRPO (sec. 4.5, where a name gives the part added).
func init() {
	ttrl := From(TTRL{GRPO: ZScore})
	for _, m := range []struct {
		rank                  int
		name, source, summary string
		estimator             func() Estimator
		loss                  loss.Function
	}{
		{10, "evol-rl", "Evol-RL sec. 3.2, app. A, tables 4-5",
			"majority vote and novelty in bands, clip-higher, entropy bonus: no labels", banded("majority"), evolrlLoss(0.28, 0.003)},
		{20, "evol-rl-cliphigh", "Evol-RL table 2, -ClipHigh",
			"Evol-RL without the higher upper clip", banded("majority"), evolrlLoss(0.2, 0.003)},
		{30, "evol-rl-ent", "Evol-RL table 2, -Ent",
			"Evol-RL without the entropy bonus", banded("majority"), evolrlLoss(0.28, 0)},
		{40, "evol-rl-cliphigh-ent", "Evol-RL table 2, -ClipHigh-Ent",
			"Evol-RL with the novelty alone", banded("majority"), evolrlLoss(0.2, 0)},
		{50, "evol-rl-novelty", "Evol-RL table 2, -Novelty Reward",
			"Evol-RL without the novelty: TTRL with clip-higher and entropy bonus", ttrl, evolrlLoss(0.28, 0.003)},
		// verl's defaults are the mean over all tokens (of the entropy too) and the dual clip.
		{60, "evol-rl@code", "YujunZhou/EVOL-RL, evol_rl.sh and semantic_novelty.py",
			"Evol-RL as its published code runs", From(evolrlCode), loss.Function{
				ClipLow: 0.2, ClipHigh: 0.28, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3, EntropyCoef: 0.003,
			}},
		{70, "ttrl", "Zuo et al. 2025; Evol-RL sec. 4.1, table 4",
			"GRPO on agreement with the majority vote: no labels", ttrl, evolrlLoss(0.2, 0)},
	} {
		Register(LabelFree, m.rank, Method{
			Name: m.name, Summary: m.summary, Source: m.source, Trains: true,
			Estimator: m.estimator, Loss: m.loss, Protocol: votesOf64,
			Properties: votedProperties, Target: noLabelTarget,
		})
	}
	for i, m := range []Method{{
		Name: "grpo+novelty", Summary: "supervised GRPO on Evol-RL's bands, correctness for the majority",
		Source: "Evol-RL sec. 4.5", Loss: evolrlLoss(0.2, 0),
	}, {
		Name: "grpo+cliphigh+ent+novelty", Summary: "supervised GRPO with all three parts of Evol-RL",
		Source: "Evol-RL sec. 4.5, GRPO+ClipHigh+Ent+Novelty", Loss: evolrlLoss(0.28, 0.003),
	}} {
		m.Trains, m.Estimator, m.Target = true, banded("correct"), NoTarget("its rewards are made within the group")
		m.Properties = noveltyProperties
		Register(LabelFree, 120+10*i, m)
	}
}
