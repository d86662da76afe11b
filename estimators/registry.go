package estimators

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/estimators/loss"
	"modebench/internal/each"
	"modebench/internal/nearest"
)

// A Section is a family with its methods, as listings have it.
type Section struct {
	Name    string
	Methods []Method
}

// A Family is methods that belong together. Families are numbered in the order of listings.
type Family int

// The families; Families has their names.
const (
	Baselines Family = iota
	EntropyControl
	AnswerSets
	Reweighted
	SetDiversity
	VectorRewards
	StrategyChains
	LabelFree
	Exploration
	Curricula
)

var familyNames = [...]string{
	Baselines:      "Baselines",
	EntropyControl: "Entropy control",
	AnswerSets:     "Sets of answers: Poly-EPO, pass@k and max@k",
	Reweighted:     "Rollouts weighed by likelihood, rarity and success",
	SetDiversity:   "SetPO",
	VectorRewards:  "Vector rewards: VPO",
	StrategyChains: "SD-E2",
	LabelFree:      "Without labels: Evol-RL and confidence",
	Exploration:    "Exploration by outcome",
	Curricula:      "Curricula of prompts",
}

type registration struct {
	family Family
	rank   int // within the family
	method Method
}

// registrations is the registry. It fills while the package is initialised.
var registrations []registration

// Register adds a method to the registry. The file that holds a method calls it from
// init, in this package or in one below it that package all imports. Rank orders the
// methods of a family; ranks are tens, so that a new method fits between two others.
// Listings, and specs that name all methods, follow this order and not that of imports,
// so a rank that is taken is a mistake, and panics.
//
// A method that names no Candidates, Loss or Target has 1, PlainLoss and RewardTarget.
func Register(family Family, rank int, m Method) {
	m = m.complete()
	for _, r := range registrations {
		if r.family == family && r.rank == rank {
			panic(fmt.Sprintf("estimators: %s and %s have the same rank %d in %q", r.method.Name, m.Name, rank, familyNames[family]))
		}
	}
	registrations = append(registrations, registration{family, rank, m})
}

// Families lists every method, family by family: baselines first.
func Families() []Section {
	sorted := slices.SortedFunc(slices.Values(registrations), func(a, b registration) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.rank, b.rank))
	})
	out := make([]Section, len(familyNames))
	for i, name := range familyNames {
		out[i].Name = name
	}
	for _, r := range sorted {
		f := &out[r.family]
		f.Methods = append(f.Methods, r.method)
	}
	return out
}

// Methods lists every method in the order of Families.
func Methods() []Method {
	var all []Method
	for _, f := range Families() {
		all = append(all, f.Methods...)
	}
	return all
}

// Lookup returns the method of that name, unlisted or in a family, or an error that lists those.
func Lookup(name string) (Method, error) {
	for _, m := range unlisted {
		if m.Name == name {
			return m, nil
		}
	}
	for _, r := range registrations {
		if r.method.Name == name {
			return r.method, nil
		}
	}
	names := each.Map(Methods(), func(m Method) string { return m.Name })
	return Method{}, fmt.Errorf("unknown method %q; %sknown methods: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// unlisted are the methods of RegisterUnlisted.
var unlisted []Method

// RegisterUnlisted makes a method known to Lookup alone. Its package calls it once, from
// an init function. The method is in no family, so listings of all methods, and
// name = "*" in a spec, leave it out.
func RegisterUnlisted(m Method) { unlisted = append(unlisted, m.complete()) }

// complete fills in the fields that Register describes.
func (m Method) complete() Method {
	m.Candidates = max(m.Candidates, 1)
	if m.Loss == (loss.Function{}) {
		m.Loss = PlainLoss
	}
	if m.Target == nil {
		m.Target = RewardTarget
	}
	return m
}

// From returns a constructor of estimators that begin as copies of e.
func From[E any, P interface {
	*E
	Estimator
}](e E) func() Estimator {
	return func() Estimator {
		fresh := e
		return P(&fresh)
	}
}

// PlainLoss is PPO's clip, averaged over the tokens of an answer and then over answers, as
// DeepSeekMath has it, without a reference.
var PlainLoss = loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"}
