// Package envs defines what an environment is: problems whose whole solution space is known, a
// grammar of legal answers, and an exact judge.
//
// An environment knows nothing of reinforcement learning. It hands out problems, walks an answer
// token by token, judges a finished answer, and states the truth about a problem (all modes, all
// solutions, the exact Pareto front) without sampling. The same (parameters, split, index) gives
// the same problem on every machine.
package envs

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"modebench/internal/nearest"
)

// A Token is one symbol of an environment's closed vocabulary: an index into Info.Vocabulary.
type Token int32

// A Split names one of the four disjoint families of problems. Splits are disjoint because the
// split's name is part of the key every problem is generated from.
type Split string

// The four splits of every environment.
const (
	Pretrain Split = "pretrain" // unlimited; supervised pre-training
	Train    Split = "train"    // reinforcement learning
	Test     Split = "test"     // held out, same difficulty as train
	OOD      Split = "ood"      // held out and harder
)

// Splits lists the four splits in their canonical order.
func Splits() []Split { return []Split{Pretrain, Train, Test, OOD} }

// ParseSplit returns the split of that name, or an error that lists the known ones.
func ParseSplit(name string) (Split, error) {
	var known []string
	for _, s := range Splits() {
		if string(s) == name {
			return s, nil
		}
		known = append(known, string(s))
	}
	return "", fmt.Errorf("unknown split %.40q; %sknown splits: %s", name, nearest.Hint(name, known), strings.Join(known, ", "))
}

// CheckRequest returns the first fault of the arguments of Env.Problem, or nil.
func CheckRequest(split Split, index int) error {
	if _, err := ParseSplit(string(split)); err != nil {
		return err
	}
	if index < 0 {
		return fmt.Errorf("problem index %d, want 0 or more", index)
	}
	return nil
}

// A Mode is the strategy a candidate uses, in the environment's own exact
// canonical form; two candidates share a strategy if and only if their modes
// are equal. Incorrect candidates have modes too.
type Mode string

// Degenerate is the mode of an answer that has no strategy (for example, it does not
// parse): "cluster 100" of Poly-EPO app. A.1. It never counts as diversity.
const Degenerate Mode = ""

// A Verdict is the environment's judgement of one candidate. The slices may be shared
// between verdicts: callers must not write to them.
type Verdict struct {
	Reward    []float64 // one entry per component of Info.Components
	Correct   bool
	Answer    string    // the final answer, for voting; "" abstains
	Mode      Mode      // canonical strategy, or Degenerate
	Embedding []float32 // unit length; nil without anything to embed
	Err       error     // why the answer does not parse; nil for a valid one

	// Variant names the solution more finely than Mode does, if Info.Variants is true; ""
	// for an answer that does not parse. An empty variant is left out of JSON.
	Variant string `json:",omitempty"`
}

// Reject is the verdict of an answer that does not parse, given a reward of zeros.
func Reject(zeros []float64, err error) *Verdict {
	return &Verdict{Reward: zeros, Mode: Degenerate, Err: err}
}

// Truth is the exact ground truth of one problem.
type Truth struct {
	// Modes lists the modes of all correct answers, without repetition, in a fixed order.
	Modes []Mode
	// Solutions is the number of distinct correct answers, or -1 if it is not known. If
	// verdicts carry variants, it counts distinct variants of correct answers.
	Solutions int64
	// Front is the exact Pareto front: the reward vectors that some answer
	// reaches and no answer's vector dominates, in lexicographic order.
	Front [][]float64
}

// Best returns the highest w.r over all answers of the problem, for weights
// w >= 0 with one entry per reward component.
func (t Truth) Best(w []float64) float64 {
	best := 0.0
	for i, r := range t.Front {
		if x := scalar(w, r); i == 0 || x > best {
			best = x
		}
	}
	return best
}

// scalar is w.r, summed in component order.
func scalar(w, r []float64) float64 {
	s := 0.0
	for i := range r {
		s += float64(w[i] * r[i])
	}
	return s
}

// A Cursor walks one answer of a problem, token by token.
type Cursor interface {
	// AppendState appends a key of the current state to dst. The key is Markov: it determines which
	// tokens are legal and, together with the next token, the next key.
	AppendState(dst []byte) []byte
	// Legal returns the tokens allowed next, in ascending order; it is empty
	// exactly when the answer is done. The slice must not be written to.
	Legal() []Token
	// Push appends a token; the error is why it is not legal here, and leaves the cursor as it was.
	Push(Token) error
	// Done reports whether the answer is complete.
	Done() bool
}

// A Problem is one prompt instance of an environment. Its ID names it within the
// environment ("train/0"), and its cursors walk one answer.
type Problem interface {
	Task
	// PromptText is the prompt as a person reads it.
	PromptText() string
	// Judge returns the verdict of a whole answer, never nil. It may be shared with other calls:
	// callers must not write to it. Judge(tokens) equals JudgeText(AnswerText(tokens)).
	Judge(answer []Token) *Verdict
	// JudgeText judges an answer in the environment's text form, which may come from
	// anywhere. A text that does not parse gets a verdict with Err set.
	JudgeText(answer string) *Verdict
	// AnswerText writes token answers in the text form.
	AnswerText(answer []Token) string
	// AnswerTokens reads an answer's text form as tokens: AnswerTokens(AnswerText(tokens))
	// gives whole legal answers back. A text that does not parse is an error, and so is a
	// text that parses but has no token form.
	AnswerTokens(answer string) ([]Token, error)
	// Truth is computed once, on the first call; safe for concurrent use.
	Truth() Truth
	// Demonstrate samples one answer of a competent, diverse demonstrator.
	Demonstrate(r *rand.Rand) []Token
	// Picture draws the problem as text, with the given answers marked in it.
	Picture(answers ...[]Token) string
	// Fields are the environment's own entries of the problem's JSON document
	// (bench env --format json), ready for encoding/json.
	Fields() map[string]any
}

// A Priored problem knows its demonstrator's distribution in closed form, so
// that a base policy need not be estimated from demonstrations.
type Priored interface {
	// AppendPrior appends the demonstrator's log-probability of each legal next
	// token after the given prefix, up to a common additive constant.
	AppendPrior(dst []float64, prefix []Token) []float64
}

// Info describes every problem of an environment.
type Info struct {
	Components []string  // names of the d reward components
	Weights    []float64 // w*, the fixed scalarisation of the reward vector
	Vocabulary []string  // text of each token
	MaxAnswer  int       // longest answer, in tokens
	Word       string    // the name of an answer in prompts ("route"); "": "answer"
	Votes      bool      // verdicts carry an answer to vote with
	Embeddings bool      // verdicts carry embeddings
	Variants   bool      // verdicts carry variants: how the strategy was carried out
	Formal     []bool    // by component: it judges the form of an answer alone; nil: none does
}

// An Env hands out problems.
type Env interface {
	Info() Info
	// Problem returns problem number index >= 0 of a split. Unknown splits and
	// negative indices are errors. Safe for concurrent use.
	Problem(split Split, index int) (Problem, error)
}
