package estimators

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/estimators/loss"
	"modebench/internal/rng"
)

// VPO scores a chain by the best that its candidates reach under every weighting of the
// reward components (VPO eq. 1),
//
//	score_i = E over w ~ Dir(alpha, ..., alpha) of max over the candidates c of rollout i of w.r_c
//
// and gives the group-relative advantage of the scores. The expectation is a mean over `draws`
// weights that all rollouts of a group share (sec. 3.2; the paper does not give their number). It
// is exact, without draws, for one component, with the largest reward as the value, and for two
// under alpha = 1, where the maximum over candidates is a piecewise linear function of one uniform
// variable. The weights w* of the batch or group play no part.
//
// A candidate that is dominated by a candidate of its rollout changes no bit of a
// score, nor does the order of the candidates. With one candidate and the exact
// expectation VPO is GRPO under the uniform weights.
//
// Fidelity "code" follows the published code (ryanboldi/vpo at 767db79f, vpo/utils/vpo.py and
// vpo_tasks/maze.py) if it differs and the difference matters here: two components are
// drawn for too, copies in a chain are zeros (see published), and a group whose deviation is
// below epsilon gets zeros, and so does a group of one.
type VPO struct {
	GRPO
	published
	Draws   int     `param:"draws" doc:"K, the weights drawn per group; not read if the expectation is exact: one component, or two with alpha 1 in the paper's fidelity" min:"1" max:"65536" when:"reward.components>1,reward.components>2|alpha!=1|fidelity=code"`
	Alpha   float64 `param:"alpha" doc:"concentration of the Dirichlet distribution; 1: uniform on the simplex" min:"0.05" max:"1e12" when:"reward.components>1"`
	Sampler string  `param:"sampler" doc:"of the weights under alpha 1; uniform: independent draws; sobol: points of a scrambled Sobol sequence, for at most 17 components" choices:"uniform,sobol" late:"uniform" when:"reward.components>1,reward.components>2|fidelity=code,alpha=1"`

	stream  Stream
	sobol   rng.Sobol
	drawn   []float64 // one draw
	weights []float64 // all draws, component by component: draws entries each
	front   [][]float64
	value   []float64 // of a candidate under each draw
	best    []float64 // of the candidates so far under each draw
}

// published has the chains of VPO and Multi-RLVR as VPO's published code has them. Of copies in a
// chain the first alone counts, and zeros are in the place of the others (score_multi in
// vpo_tasks). The code compares the moves of routes, or for other tasks reward vectors. A verdict
// does not hold the text of an answer, so a copy is a candidate with an equal verdict here, as in
// SD-E2: in a maze a route over the same cells.
type published struct {
	Fidelity string `param:"fidelity" doc:"scores of the paper, or of its published code" choices:"paper,code" late:"paper"`
	distinct []*envs.Verdict
	zeros    envs.Verdict
}

func (p *published) Requirements() Requirements {
	n := Requirements{CandidateFields: envs.HasReward, MinGroup: 1, Chains: true}
	if p.Fidelity == "code" {
		n.CandidateFields |= envs.HasMode | envs.HasEmbedding // copies agree in their answers too, if there are any
	}
	return n
}

// check returns an error if some candidates of the batch have an answer to compare and others lack it.
func (p *published) check(b *Batch) error {
	if p.Fidelity != "code" || b.CandidateFields&envs.HasAnswer != 0 {
		return nil
	}
	for g := range b.Groups {
		for i := range b.Groups[g].Rollouts {
			if slices.ContainsFunc(b.Groups[g].Rollouts[i].Candidates, func(c *envs.Verdict) bool { return c.Answer != "" }) {
				return b.lacks("answer", "some candidates carry no")
			}
		}
	}
	return nil
}

// chain is the chain whose candidates count, of d components each.
func (p *published) chain(candidates []*envs.Verdict, d int) []*envs.Verdict {
	if p.Fidelity != "code" {
		return candidates
	}
	p.zeros.Reward = Resize(p.zeros.Reward, d)
	clear(p.zeros.Reward)
	p.distinct = withoutCopies(p.distinct[:0], candidates)
	for i, c := range p.distinct {
		if c == nil {
			p.distinct[i] = &p.zeros
		}
	}
	return p.distinct
}

func (e *VPO) Requirements() Requirements {
	n := e.published.Requirements()
	n.Vectors = true
	return n
}

func (e *VPO) Advantages(dst [][]float64, b *Batch) error {
	if err := e.check(b); err != nil {
		return err
	}
	return e.EachBy(dst, b, func(g *Group) error { return e.scores(b, g) }, func(dst, scores []float64, rollouts []*Rollout) error {
		if _, sd := Deviation(scores, 0); e.Fidelity == "code" && e.Scale == "group" && sd < e.Epsilon {
			clear(dst)
			return nil
		}
		return e.core(dst, scores, rollouts)
	})
}

func (e *VPO) scores(b *Batch, g *Group) error {
	d := len(g.Scalarisation(b))
	exact := d < 2 || d == 2 && e.Alpha == 1 && e.Fidelity != "code"
	if !exact {
		if err := e.draw(b, g, d); err != nil {
			return err
		}
	}
	return e.gatherChains(g, d, func(candidates []*envs.Verdict) float64 {
		e.undominated(e.chain(candidates, d))
		switch {
		case !exact:
			return e.average()
		case d == 2:
			return envelope(e.front)
		case d == 1:
			return e.front[0][0]
		}
		return 0
	})
}

func (e *VPO) draw(b *Batch, g *Group, d int) error {
	k := e.Draws
	e.drawn, e.weights = Resize(e.drawn, d), Resize(e.weights, d*k)
	e.value, e.best = Resize(e.value, k), Resize(e.best, k)
	stream := e.stream.Of(b, "vpo", g)
	draw := func(w []float64) { rng.Dirichlet(stream, e.Alpha, w) }
	if e.Sampler == "sobol" && e.Alpha == 1 {
		draw = e.sobol.Dirichlet
		if err := e.sobol.Start(stream, d-1); err != nil {
			return err
		}
	}
	for i := range k {
		draw(e.drawn)
		for j, w := range e.drawn {
			e.weights[j*k+i] = w
		}
	}
	return nil
}

// undominated keeps the reward vectors of which no other is as large in every
// component; of equal ones, one. The others are never the only maximum: weights
// are not negative and rounding is monotonic.
func (e *VPO) undominated(candidates []*envs.Verdict) {
	e.front = e.front[:0]
	for _, c := range candidates {
		if slices.ContainsFunc(e.front, func(r []float64) bool { return envs.Covers(r, c.Reward) }) {
			continue
		}
		e.front = slices.DeleteFunc(e.front, func(r []float64) bool { return envs.Covers(c.Reward, r) })
		e.front = append(e.front, c.Reward)
	}
}

// average is the mean over the draws of the front's largest value.
func (e *VPO) average() float64 {
	e.values(e.best, e.front[0])
	for _, r := range e.front[1:] {
		e.values(e.value, r)
		for i, v := range e.value {
			e.best[i] = max(e.best[i], v)
		}
	}
	return Mean(e.best)
}

// values writes w.r of every draw to dst, in index order of the components.
func (e *VPO) values(dst, r []float64) {
	k := len(dst)
	clear(dst)
	w := e.weights[:len(r)*k]
	for ; len(r) >= 4; r, w = r[4:], w[4*k:] { // four sums of a draw in one pass
		w0, w1, w2, w3 := w[:k], w[k:2*k], w[2*k:3*k], w[3*k:4*k]
		for i, s := range dst {
			s += float64(w0[i] * r[0])
			s += float64(w1[i] * r[1])
			s += float64(w2[i] * r[2])
			dst[i] = s + float64(w3[i]*r[3])
		}
	}
	for j, x := range r {
		for i, w := range w[j*k : (j+1)*k] {
			dst[i] += float64(w * x)
		}
	}
}

// envelope is the mean over u, uniform on [0, 1], of the largest u r[0] +
// (1-u) r[1] among reward vectors that do not dominate each other. It walks the
// upper envelope of those lines from u = 0 on, O(vectors * pieces).
func envelope(front [][]float64) float64 {
	top := front[0]
	for _, r := range front[1:] {
		if r[1] > top[1] {
			top = r
		}
	}
	total, from := 0.0, 0.0
	for {
		next, to := top, 1.0
		for _, r := range front {
			if u := crossing(top, r); u < to || u == to && r[0] > next[0] {
				next, to = r, u
			}
		}
		to = max(to, from) // where three lines meet, up to rounding
		middle := float64((from + to) / 2)
		total += float64((to - from) * (float64(middle*top[0]) + float64((1-middle)*top[1])))
		if to >= 1 {
			return total
		}
		top, from = next, to
	}
}

// crossing is the u from which on r is above line, if r has the larger first
// component; else 2, which is past the end.
func crossing(line, r []float64) float64 {
	// Quarters, so that no difference or sum overflows.
	gain := float64(0.25*r[0]) - float64(0.25*line[0])
	if gain <= 0 {
		return 2
	}
	loss := float64(0.25*line[1]) - float64(0.25*r[1])
	return loss / (loss + gain)
}

// VPOLoss is the backbone that VPO's own method and baselines share (app. B).
var VPOLoss = loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3}

// vpoTarget is VPO's eq. 1: E over w ~ Dir of the largest w.r of a chain's answers.
func vpoTarget(i *Instance, s TargetSetting) (Target, error) {
	name := fmt.Sprintf("E_w best of %d", s.Candidates)
	switch d := len(s.Weights); {
	case d == 1:
		return i.Best(name, s.Candidates, s)
	case d > 2 || i.Estimator.(*VPO).Alpha != 1:
		return Target{Why: "its expectation over weights is exact for two reward components and alpha 1 alone"}, nil
	}
	scratch := VPO{published: published{Fidelity: i.Estimator.(*VPO).Fidelity}}
	worth := func(counts []int) (float64, error) {
		scratch.undominated(scratch.chain(s.drawn(counts), len(s.Weights)))
		return envelope(scratch.front), nil
	}
	return Target{Name: name, Terms: []TargetTerm{{Weight: 1, Draws: s.Candidates, Worth: worth}}}, nil
}

// drawn lists the answers of a chain, by how often each of the setting's was drawn.
func (s TargetSetting) drawn(counts []int) []*envs.Verdict {
	var candidates []*envs.Verdict
	for a, c := range counts {
		for range c {
			candidates = append(candidates, s.Answers[a])
		}
	}
	return candidates
}

// VPO, and GRPO under stated weights as the paper runs it.
func init() {
	vpo := VPO{GRPO: ZScore, published: published{Fidelity: "paper"}, Draws: 64, Alpha: 1, Sampler: "uniform"}
	paper := Method{
		Name: "vpo", Summary: "best of a chain's answers, averaged over Dirichlet weights", Trains: true, Candidates: 3,
		Source:     "VPO eq. 1, sec. 3.2",
		Estimator:  From(vpo),
		Loss:       VPOLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of scores under weights that sum to 1"},
		Target:     vpoTarget,
	}
	Register(VectorRewards, 10, paper)
	code := paper
	code.Name, code.Summary, code.Source = "vpo@code", "VPO's code: copies in a chain are zeros, 100 weights are drawn", "ryanboldi/vpo at 767db79f, vpo/utils/vpo.py"
	code.Properties.Why = "as vpo in chains without copies, whose zeros stay where rewards are shifted"
	vpo.Fidelity, vpo.Draws = "code", 100
	code.Estimator = From(vpo)
	Register(VectorRewards, 12, code)
	Register(VectorRewards, 40, ZScored(Method{
		// A group without weights of its own is scored under the batch's w*.
		Name: "goal-conditioned", Summary: "GRPO under weights that the prompt states: w ~ Dir(1) for each group and step, or the nearest of the vertices and the centroid", Goals: true,
		Source: "VPO sec. 4.2, app. E.5",
		Loss:   VPOLoss,
	}))
}

// MultiRLVR is the best candidate of a chain under the fixed scalarisation
//
//	score_i = max over the candidates c of rollout i of w*.r_c
//
// and the group-relative advantage of the scores (Puri et al., 2603.24844, as
// VPO sec. 4.2 uses it). With one candidate it is GRPO.
//
// Fidelity "code" has the sum over the distinct candidates in place of the largest, as VPO's
// published code has it (ryanboldi/vpo at 767db79f, score_multi in vpo_tasks; see published). Its
// GRPO is verl's, with the sample deviation.
type MultiRLVR struct {
	GRPO
	published
}

func (e *MultiRLVR) Requirements() Requirements { return e.published.Requirements() }

func (e *MultiRLVR) Advantages(dst [][]float64, b *Batch) error {
	if err := e.check(b); err != nil {
		return err
	}
	return e.EachBy(dst, b, func(g *Group) error {
		weights := g.Scalarisation(b)
		return e.gatherChains(g, len(weights), func(candidates []*envs.Verdict) float64 { return e.score(candidates, weights) })
	}, e.core)
}

func (e *MultiRLVR) score(candidates []*envs.Verdict, weights []float64) float64 {
	candidates = e.chain(candidates, len(weights))
	score := candidates[0].Scalar(weights)
	for _, c := range candidates[1:] {
		if e.Fidelity == "code" {
			score += c.Scalar(weights)
		} else {
			score = max(score, c.Scalar(weights))
		}
	}
	return score
}

// chainTarget is the largest w*.r of a chain's answers (Multi-RLVR), or in the code their sum.
func chainTarget(i *Instance, s TargetSetting) (Target, error) {
	scratch := MultiRLVR{published: published{Fidelity: i.Estimator.(*MultiRLVR).Fidelity}}
	if scratch.Fidelity != "code" {
		return i.Best(fmt.Sprintf("best of %d", s.Candidates), s.Candidates, s)
	}
	worth := func(counts []int) (float64, error) { return scratch.score(s.drawn(counts), s.Weights), nil }
	return Target{Name: fmt.Sprintf("sum of %d", s.Candidates), Terms: []TargetTerm{{Weight: 1, Draws: s.Candidates, Worth: worth}}}, nil
}

func init() {
	paper := Method{
		Name: "multi-rlvr", Summary: "best of a chain's answers under the fixed weights", Trains: true, Candidates: 3,
		Source:     "Puri et al. 2026; VPO sec. 4.2",
		Estimator:  From(MultiRLVR{GRPO: ZScore, published: published{Fidelity: "paper"}}),
		Loss:       VPOLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of the largest reward"},
		Target:     chainTarget,
	}
	Register(VectorRewards, 20, paper)
	code, sample := paper, SampleZScore
	code.Name, code.Summary, code.Source = "multi-rlvr@code", "VPO's code: sum of a chain's distinct answers under the fixed weights", "ryanboldi/vpo at 767db79f, vpo_tasks"
	code.Properties.Why = "a z-score of sums, in chains of as many distinct answers"
	sample.Singleton = "raw"
	code.Estimator = From(MultiRLVR{GRPO: sample, published: published{Fidelity: "code"}})
	Register(VectorRewards, 22, code)
}

// RandomW is random-weighting GRPO (VPO sec. 4.2): group and step have weights w ~ Dir(alpha, ...,
// alpha) of their own, and the advantage is the group-relative one of w.r. Rollouts have one
// candidate. The weights of the batch or group play no part.
//
// Without the division by the deviation its expectation is the centred reward
// under the uniform weights; with it, it is not.
type RandomW struct {
	GRPO
	Alpha   float64 `param:"alpha" doc:"concentration of the Dirichlet distribution; 1: uniform on the simplex" min:"0.05" max:"1e12" when:"reward.components>1"`
	stream  Stream
	weights []float64
}

func (*RandomW) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, MinGroup: 1, Vectors: true}
}

func (e *RandomW) Advantages(dst [][]float64, b *Batch) error {
	return e.EachBy(dst, b, func(g *Group) error {
		e.weights = Resize(e.weights, len(g.Scalarisation(b)))
		rng.Dirichlet(e.stream.Of(b, "random-w", g), e.Alpha, e.weights)
		_, _, err := e.Gather(g, e.weights)
		return err
	}, e.core)
}

// randomWeightsTarget is E[w.r] over w ~ Dir(alpha, ..., alpha), whose mean is uniform.
func randomWeightsTarget(i *Instance, s TargetSetting) (Target, error) {
	scores, err := i.Scores(s, envs.UniformWeights(len(s.Weights)))
	return Target{Name: "E_w reward", Terms: []TargetTerm{{Weight: 1, Draws: 1, Scores: scores}}}, err
}

func init() {
	Register(VectorRewards, 30, Method{
		Name: "random-w", Summary: "GRPO under weights drawn anew for each group and step", Trains: true,
		Source:     "VPO sec. 4.2",
		Estimator:  From(RandomW{GRPO: ZScore, Alpha: 1}),
		Loss:       VPOLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score under weights that sum to 1"},
		Target:     randomWeightsTarget,
	})
}
