package bandit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// A Problem is one bandit. Its answer is a single token, the arm.
type Problem struct {
	env      *Env
	id       string
	correct  []bool         // of each mode
	verdicts []envs.Verdict // of each arm
	prior    []float64      // log-probability of each arm under the base policy
	truth    envs.Truth
	invalid  []float64 // reward of an answer that does not parse
}

func newProblem(e *Env, split envs.Split, index int) *Problem {
	c := e.config
	p := &Problem{env: e, id: c.ID(split, index), invalid: make([]float64, c.Components)}
	key := c.SplitKey("bandit", split).Str("problem").Str(string(split)).Int(uint64(index))
	p.correct = e.correct(key, split)
	p.judgeAll()
	p.prior = e.prior(key)
	p.findTruth()
	return p
}

func (e *Env) correct(key rng.Key, split envs.Split) []bool {
	c := e.config
	out := make([]bool, c.Modes)
	if c.Form == "modes" {
		rewarded := c.Rewarded
		if split == envs.OOD {
			rewarded = (rewarded + 1) / 2
		}
		for m := range rewarded {
			out[m] = true
		}
		return out
	}
	chance := e.success
	if split == envs.OOD {
		chance = slices.Repeat([]float64{c.Low}, c.Modes)
	}
	r, some := key.Str("correct").Int(0).Rand(), false
	for m, q := range chance {
		out[m] = r.Float64() < q
		some = some || out[m]
	}
	if !some {
		drawSome(out, chance, key.Str("correct").Int(1).Rand())
	}
	return out
}

// drawSome draws the correct modes given that at least one is correct: every problem has a solution.
// Drawing until one is correct would give the same distribution, but take forever if the chances are
// tiny. If all are zero, each mode is as likely to be correct, the limit of small equal chances.
func drawSome(out []bool, chance []float64, r *rand.Rand) {
	// rest[m] is the chance that some mode from m on is correct, summed in the
	// form that keeps its relative accuracy.
	rest := make([]float64, len(chance)+1)
	for m := len(chance) - 1; m >= 0; m-- {
		rest[m] = chance[m] + float64((1-chance[m])*rest[m+1])
	}
	if rest[0] == 0 {
		out[r.IntN(len(out))] = true
		return
	}
	some := false
	for m, q := range chance {
		if !some {
			q /= rest[m] // 1 at the last mode that can be correct
		}
		out[m] = r.Float64() < q
		some = some || out[m]
	}
}

func (p *Problem) judgeAll() {
	c := p.env.config
	rank := [2]int{} // modes of either kind so far
	right := each.Count(p.correct, func(correct bool) bool { return correct })
	for m, correct := range p.correct {
		kind, classes, first := 0, c.CorrectAnswers, 0
		if !correct {
			kind, classes, first = 1, c.WrongAnswers, c.CorrectAnswers
		}
		class := rank[kind]
		if classes > 0 {
			class %= classes
		}
		v := envs.Verdict{
			Reward:  p.reward(correct, rank[kind], right),
			Correct: correct,
			Answer:  "A" + strconv.Itoa(first+class),
			Mode:    p.env.modes[m],
		}
		rank[kind]++
		for a := range c.ArmsPerMode {
			if p.env.embedding != nil {
				v.Embedding = p.env.embedding[m*c.ArmsPerMode+a]
			}
			p.verdicts = append(p.verdicts, v)
		}
	}
}

// reward is the vector of the rank-th of total correct modes: a mix of a part that the
// modes share and a part that sets them against each other,
//
//	r_j = c q + (1 - c) [j = rank mod d],  q = 1 - rank / (2 total)
//
// with collinearity c. At 1 all components are the same number q, which differs from mode to mode,
// so that one mode is best under every scalarisation; at 0 each mode is rewarded in one component
// alone. In between, the correlation of components over the correct modes goes from that of modes
// that exclude each other (-1/(d-1) if total is a multiple of d; single pairs may dip a little
// below it first) to 1, the correlation that a policy that has found them shows (VPO app. F).
// Correct modes of equal worth under w* would fix it at -1/(d-1) whatever c is. With one component
// every correct mode gets 1; other modes get the zero vector.
func (p *Problem) reward(correct bool, rank, total int) []float64 {
	r := make([]float64, p.env.config.Components)
	switch {
	case !correct:
	case len(r) == 1:
		r[0] = 1
	default:
		c := p.env.config.Collinearity
		for j := range r {
			r[j] = float64(c * (1 - float64(rank)/float64(2*total)))
		}
		r[rank%len(r)] += 1 - c
	}
	return r
}

// prior is the base policy's log-probability of every arm. The arms of a mode
// share its mass equally.
func (e *Env) prior(key rng.Key) []float64 {
	c := e.config
	logits := make([]float64, c.Modes)
	if c.Start == "zipf" {
		for m, rank := range key.Str("zipf").Rand().Perm(c.Modes) {
			logits[m] = -float64(c.Zipf * exact.Log(float64(1+rank)))
		}
	}
	if c.Form == "shared" {
		r := key.Str("offset").Rand()
		for m := range logits {
			logits[m] += float64(c.Offset * rng.Normal(r))
		}
	}
	logZ := exact.LogSumExp(logits) + exact.Log(float64(c.ArmsPerMode))
	prior := make([]float64, 0, len(e.arms))
	for _, l := range logits {
		for range c.ArmsPerMode {
			prior = append(prior, l-logZ)
		}
	}
	return prior
}

func (p *Problem) findTruth() {
	var vectors [][]float64
	for m, correct := range p.correct {
		arm := m * p.env.config.ArmsPerMode
		vectors = append(vectors, p.verdicts[arm].Reward)
		if correct {
			p.truth.Modes = append(p.truth.Modes, p.env.modes[m])
			p.truth.Solutions += int64(p.env.config.ArmsPerMode)
		}
	}
	p.truth.Front = envs.ParetoFront(vectors)
}

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

// Prompt implements envs.Problem: a bandit's prompt is empty.
func (p *Problem) Prompt() []envs.Token { return nil }

// PromptText implements envs.Problem.
func (p *Problem) PromptText() string {
	arms := p.env.arms
	return fmt.Sprintf("Choose one of %d arms: %s to %s.", len(arms), arms[0], arms[len(arms)-1])
}

// Judge implements envs.Problem.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	if len(answer) == 1 && uint(answer[0]) < uint(len(p.verdicts)) {
		return &p.verdicts[answer[0]]
	}
	return envs.Reject(p.invalid, errOneArm)
}

// JudgeText implements envs.Problem: the text form is the arm's name, in the
// last complete pair of <answer> tags or by itself.
func (p *Problem) JudgeText(answer string) *envs.Verdict {
	tokens, err := p.AnswerTokens(answer)
	if err != nil {
		return envs.Reject(p.invalid, err)
	}
	return &p.verdicts[tokens[0]]
}

// AnswerTokens implements envs.Problem.
func (p *Problem) AnswerTokens(answer string) ([]envs.Token, error) {
	if inside, tagged := envs.Tagged(answer, "answer"); tagged {
		answer = inside
	}
	name := strings.TrimSpace(answer)
	arms := p.env.arms
	if arm := slices.Index(arms, name); arm >= 0 {
		return []envs.Token{envs.Token(arm)}, nil
	}
	return nil, fmt.Errorf("%q is no arm; arms are %s to %s", name, arms[0], arms[len(arms)-1])
}

var errOneArm = errors.New("an answer is exactly one arm")

// Rewrite implements envs.Rewriter: the name of an arm in any case.
func (p *Problem) Rewrite(answer string) string { return strings.ToLower(answer) }

// AnswerText implements envs.Problem; a token outside the vocabulary is written
// as "?", which does not parse either.
func (p *Problem) AnswerText(answer []envs.Token) string {
	words := make([]string, len(answer))
	for i, t := range answer {
		words[i] = "?"
		if uint(t) < uint(len(p.env.arms)) {
			words[i] = p.env.arms[t]
		}
	}
	return strings.Join(words, " ")
}

// Truth implements envs.Problem.
func (p *Problem) Truth() envs.Truth { return p.truth }

// AppendPrior implements envs.Priored.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	if len(prefix) > 0 {
		return dst
	}
	return append(dst, p.prior...)
}

// Demonstrate implements envs.Problem: a draw from the base policy.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	u, sum := r.Float64(), 0.0
	for a, l := range p.prior {
		if sum += exact.Exp(l); u < sum {
			return []envs.Token{envs.Token(a)}
		}
	}
	return []envs.Token{envs.Token(len(p.prior) - 1)}
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return &cursor{problem: p} }

type cursor struct {
	problem *Problem
	done    bool
}

func (c *cursor) AppendState(dst []byte) []byte {
	if c.done {
		return append(dst, '.')
	}
	return append(dst, '?')
}

func (c *cursor) Legal() []envs.Token {
	if c.done {
		return nil
	}
	return c.problem.env.legal
}

func (c *cursor) Push(t envs.Token) error {
	if c.done || uint(t) >= uint(len(c.problem.verdicts)) {
		return fmt.Errorf("token %d is not legal here", t)
	}
	c.done = true
	return nil
}

func (c *cursor) Done() bool { return c.done }

// Problem implements envs.Env. In the form "modes" all problems of a split are
// alike but for the order in which a zipf start ranks the modes. An ood problem
// is harder: half as many modes are rewarded (at least one), or, in the form
// "shared", every strategy is right with the lowest probability alone.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	if err := envs.CheckRequest(split, index); err != nil {
		return nil, err
	}
	return newProblem(e, split, index), nil
}

// Features implements envs.Describer. There are no features: a bandit has no prompt, and
// its answers are one token long.
func (e *Env) Features() envs.Features { return envs.Features{Tokens: len(e.arms)} }

// AppendPromptFeatures implements envs.DescribedProblem.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 { return dst }

// AppendFeatures implements envs.DescribedCursor.
func (c *cursor) AppendFeatures(dst []int32) []int32 { return dst }
