package estimators

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/estimators/loss"
	"modebench/internal/nearest"
)

// A Family is methods that belong together.
type Family struct {
	Name    string
	Methods []Method
}

// family numbers the families in the order of listings.
type family int

const (
	baselines family = iota
	entropyControl
	answerSets
	setDiversity
	vectorRewards
	strategyChains
	labelFree
)

var familyNames = [...]string{
	baselines:      "Baselines",
	entropyControl: "Entropy control",
	answerSets:     "Sets of answers: Poly-EPO, pass@k and max@k",
	setDiversity:   "SetPO",
	vectorRewards:  "Vector rewards: VPO",
	strategyChains: "SD-E2",
	labelFree:      "Without labels: Evol-RL and confidence",
}

// A registration is a method with its place in listings.
type registration struct {
	family family
	rank   int // within the family
	method Method
}

// registrations is the registry. It fills while the package is initialised.
var registrations []registration

// register adds a method to the registry. The file that holds a method calls it from
// init. Rank orders the methods of a family; ranks are tens, so that a new method fits
// between two others. Listings, and specs that name all methods, follow this order,
// so a rank that is taken is a mistake.
func register(family family, rank int, m Method) {
	m.Candidates = max(m.Candidates, 1)
	for _, r := range registrations {
		if r.family == family && r.rank == rank {
			panic(fmt.Sprintf("estimators: %s and %s have the same rank %d in %q", r.method.Name, m.Name, rank, familyNames[family]))
		}
	}
	registrations = append(registrations, registration{family, rank, m})
}

// Families lists every method, family by family: baselines first.
func Families() []Family {
	sorted := slices.SortedFunc(slices.Values(registrations), func(a, b registration) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.rank, b.rank))
	})
	out := make([]Family, len(familyNames))
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

// Lookup returns the method of that name, in a family or registered by another package,
// or an error that lists those in families.
func Lookup(name string) (Method, error) {
	for _, m := range registered {
		if m.Name == name {
			return m, nil
		}
	}
	for _, r := range registrations {
		if r.method.Name == name {
			return r.method, nil
		}
	}
	var names []string
	for _, m := range Methods() {
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("unknown method %q; %sknown methods: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// registered are the methods of other packages.
var registered []Method

// Register makes a method of another package known to Lookup. Its package calls it once,
// from an init function. The method is in no family, so listings of all methods, and
// name = "*" in a spec, leave it out. Its loss is PPO's clip, averaged over the tokens of
// an answer and then over answers, without a reference; newEstimator returns an estimator
// with the method's defaults.
func Register(m Method, newEstimator func() Estimator) {
	m.estimator, m.loss, m.Candidates = newEstimator, plainLoss, max(m.Candidates, 1)
	registered = append(registered, m)
}

// plainLoss is PPO's clip with DeepSeekMath's aggregation and without a reference.
var plainLoss = loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"}
