// Package estimators turns judged batches of rollouts into advantages.
//
// A method is an estimator, a loss (package loss) and a rollout protocol under the name that its
// paper uses. Everything that changes a number is a field whose default is the paper's value.
//
// This package is the contract (Batch, Estimator), the registry (Register, Methods), the kit that
// methods are made of (Groupwise, GRPO, Clusters, Standardise, RewardTarget) and the first methods.
// Later ones lie in a package for each family. Import package all to know every method.
package estimators

//go:generate go run ./internal/readme

import (
	"context"
	"fmt"
	"math"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/internal/plural"
)

// A Rollout is one judged answer: 1..m candidates.
type Rollout struct {
	Tokens  int     // length in tokens
	Logprob float64 // sum of the token log-probabilities when it was sampled
	Entropy float64 // sum of the token entropies, nats
	Train   bool    // false: it votes, but is not trained on and gets advantage 0
	Final   string  // the protocol's final answer, or ""
	// Penalty is subtracted from the rollout's scalar reward: the divergence from
	// the reference under an objective with kl_in_reward, else 0.
	Penalty float64
	// PerToken describes every token; nil if nothing is known of them.
	PerToken *PerToken
	// Candidates are shared with whoever judged them: estimators do not write to them.
	Candidates []*envs.Verdict
}

// A Group holds the rollouts of one problem.
type Group struct {
	Problem  string
	Greedy   float64   // scalar reward of the greedy rollout, for ReMax
	Weights  []float64 // the group's own scalarisation; nil: the batch's
	Rollouts []Rollout
}

// A Batch holds the judged rollouts of one step, by group.
type Batch struct {
	Seed            uint64
	Step            int
	Weights         []float64     // w*
	CandidateFields envs.Fields   // the verdict fields that every candidate carries
	RolloutFields   RolloutFields // the facts known of every rollout and group
	Groups          []Group
	// Context ends what takes long early, with its error: expressions. nil: nothing does.
	Context context.Context

	// Missing is the first place where each field is missing, by the field's
	// name. Only a batch that was read from a document has it.
	Missing map[string]string
}

// RolloutFields is a set of facts of rollouts and groups beside their verdicts.
type RolloutFields uint16

// Facts of every rollout, and of every group.
const (
	RolloutTokens  RolloutFields = 1 << iota // Rollout.Tokens
	RolloutLogprob                           // Rollout.Logprob
	RolloutEntropy                           // Rollout.Entropy
	RolloutFinal                             // Rollout.Final
	GroupGreedy                              // Group.Greedy

	AllRolloutFields = RolloutTokens | RolloutLogprob | RolloutEntropy | RolloutFinal | GroupGreedy
)

var rolloutFieldNames = []string{"tokens", "logprob", "entropy", "final", "greedy",
	"token_logprobs", "token_entropies", "token_ref_logprobs", "token_squares", "token_distributions"}

// Names lists the fields by their names in the batch document.
func (f RolloutFields) Names() []string {
	var out []string
	for i, name := range rolloutFieldNames {
		if f&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// NewAdvantages returns zeros in the shape of the batch: one per rollout.
func NewAdvantages(b *Batch) [][]float64 { return shapeRollouts(nil, b) }

// Requirements lists the facts that an estimator reads of a batch.
type Requirements struct {
	CandidateFields envs.Fields   // of every candidate
	RolloutFields   RolloutFields // of every rollout and group
	MinGroup        int           // fewest rollouts per group it is defined for
	// TrainGroup is the fewest with which it can teach anything, if that is
	// more: below, every advantage is 0.
	TrainGroup int
	// MinTokens is the fewest tokens that the longest answer has to have for it to
	// teach anything: below, every advantage is 0.
	MinTokens int
	// Chains: it takes rollouts of one or more candidates; otherwise of exactly one.
	Chains bool
	// Vectors: it reads the components of rewards and not only scalar rewards, so that
	// expressions for scalar rewards (Rewards) cannot be used with it.
	Vectors bool
	// NoPenalty: there is no one scalar reward per rollout that a divergence could
	// be taken from (Rollout.Penalty), or it may not become negative.
	NoPenalty bool
	// Voters: it may read the rewards of rollouts that only vote.
	Voters bool
	// PerToken: it is a TokenEstimator.
	PerToken bool
}

// Reads are the requirements of an estimator of single candidates, in groups of any size.
func Reads(fields envs.Fields, facts ...RolloutFields) Requirements {
	n := Requirements{CandidateFields: fields, MinGroup: 1}
	for _, f := range facts {
		n.RolloutFields |= f
	}
	return n
}

// An Estimator computes advantages. It keeps buffers between calls: use one per goroutine.
type Estimator interface {
	Requirements() Requirements
	// Advantages fills dst, one entry per rollout, shaped as NewAdvantages
	// gives it. A batch it cannot use (a NaN reward, too small a group) is an
	// error that names the group; dst is then undefined.
	Advantages(dst [][]float64, b *Batch) error
}

// Check returns an error that names the first required fact that the batch lacks.
func (n Requirements) Check(b *Batch) error {
	if lack := (n.CandidateFields &^ b.CandidateFields).Names(); lack != nil {
		return b.lacks(lack[0], "the candidates carry no")
	}
	if lack := (n.RolloutFields &^ b.RolloutFields).Names(); lack != nil {
		return b.lacks(lack[0], "the batch has no")
	}
	if err := checkLists(b, n.RolloutFields); err != nil {
		return err
	}
	for g := range b.Groups {
		if trained := b.Groups[g].Trained(); trained < n.MinGroup {
			return b.InGroup(g, fmt.Errorf("%d rollouts to train on, want at least %d", trained, n.MinGroup))
		}
	}
	return nil
}

// Idle names the groups of an accepted batch that teach nothing, since they have fewer than
// TrainGroup rollouts to train on; "" if all can teach something.
func (n Requirements) Idle(b *Batch) string {
	idle, first := 0, 0
	for g := range b.Groups {
		if trained := b.Groups[g].Trained(); trained < n.TrainGroup {
			if idle++; idle == 1 {
				first = g
			}
		}
	}
	if idle == 0 {
		return ""
	}
	return fmt.Sprintf("in %d of %s every advantage is 0: group %d (problem %q) has %s to train on, want at least %d (does each of several processes see a part of the group?)",
		idle, plural.Count(len(b.Groups), "group"), first, b.Groups[first].Problem, plural.Count(b.Groups[first].Trained(), "rollout"), n.TrainGroup)
}

// Trained is the number of rollouts that are trained on.
func (g *Group) Trained() int {
	n := 0
	for i := range g.Rollouts {
		if g.Rollouts[i].Train {
			n++
		}
	}
	return n
}

// lacks is the error for a field that the batch does not hold.
func (b *Batch) lacks(name, words string) error {
	if where, ok := b.Missing[name]; ok {
		return fmt.Errorf("%s is missing", where)
	}
	return fmt.Errorf("%s %s", words, name)
}

// Accept reports whether an estimator with these requirements can fill dst from the batch: dst
// has room for one advantage for each rollout, the batch holds what is required, and
// rollouts are chains only if the estimator takes chains.
func (n Requirements) Accept(dst [][]float64, b *Batch) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	if err := n.Check(b); err != nil {
		return err
	}
	if n.Chains {
		return nil
	}
	for g := range b.Groups {
		if err := b.Groups[g].single(); err != nil {
			return b.InGroup(g, err)
		}
	}
	return nil
}

// CheckEnv reports whether an environment that provides these fields, and whose longest answer has
// `tokens` tokens, can satisfy the requirements with groups of that size and that many candidates
// per rollout. Too many candidates are a params.FieldError of the field "candidates".
func (n Requirements) CheckEnv(provides envs.Fields, longest, group, candidates int) error {
	if candidates > 1 && !n.Chains {
		return params.Errorf("candidates", "takes rollouts of exactly one candidate, got %d: it does not know chains", candidates)
	}
	if lack := (n.CandidateFields &^ provides).Names(); lack != nil {
		return fmt.Errorf("needs %s of every candidate, which this environment does not give", strings.Join(lack, " and "))
	}
	if tokens := longest * candidates; tokens < n.MinTokens {
		return fmt.Errorf("needs rollouts of at least %d tokens to tell them apart, and here the longest has %d", n.MinTokens, tokens)
	}
	if least := max(n.MinGroup, n.TrainGroup); group < least {
		return fmt.Errorf("needs groups of at least %d rollouts, got %d", least, group)
	}
	return nil
}

// InGroup adds the name of group g before an error.
func (b *Batch) InGroup(g int, err error) error {
	return fmt.Errorf("group %d (problem %q): %w", g, b.Groups[g].Problem, err)
}

// ZeroVoters makes the advantages of rollouts that only vote 0, and those below 1e-12 in size.
func (b *Batch) ZeroVoters(dst [][]float64) {
	for g := range dst {
		for i := range dst[g] {
			if !b.Groups[g].Rollouts[i].Train || math.Abs(dst[g][i]) < Tiny {
				dst[g][i] = 0
			}
		}
	}
}

func checkShape(dst [][]float64, b *Batch) error {
	if len(dst) != len(b.Groups) {
		return fmt.Errorf("room for %d groups, the batch has %d", len(dst), len(b.Groups))
	}
	for g := range b.Groups {
		if len(dst[g]) != len(b.Groups[g].Rollouts) {
			return b.InGroup(g, fmt.Errorf("room for %d advantages, want %d", len(dst[g]), len(b.Groups[g].Rollouts)))
		}
	}
	return nil
}

func errNotOne(rollout, candidates int) error {
	return fmt.Errorf("rollout %d has %d candidates; this estimator takes exactly one", rollout, candidates)
}
