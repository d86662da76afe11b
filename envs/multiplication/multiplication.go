// Package multiplication is the multiplication of two numbers by decomposing them, Poly-EPO sec.
// 6.2: an answer writes the operands as sums, differences or products, multiplies these out, and
// ends with the product,
//
//	(340+3)*(70-3) = 340*70-340*3+3*70-3*3 = 23800-1020+210-9 = 22981
//
// decomposition = expansion = partial products = product. Rewards are vectors (product,
// decomposition, expansion), each 0 or 1.
//
// The paper has a language model tell strategies apart. Here the mode of an answer is exact: the
// kind of expression that represents each operand, as in "place*near". Kinds are
//
//	plain   the operand itself
//	place   two or more blocks of its digits in their places: 343 = 340+3 = 300+43 = 300+40+3
//	near    one of the next multiples of a power of ten, however far, less what is too much: 67 = 70-3 = 100-33
//	factor  a product of two or more numbers above 1
//	split   any other sum or difference of two or more numbers above 0
//
// So 100-57 is near for 43, though nothing is near: the rule is only that the number taken away
// lies below the last nonzero place of the number before it.
//
// The mode is decided by the decomposition alone (Poly-EPO app. A.1: strategies are independent of
// arithmetic slips), so a mistake in the expansion, the partial products or the product changes
// nothing. Where the paper is silent:
//
//   - `correct` is the product. An answer without a valid decomposition is
//     Degenerate whatever follows, also when its product is right: the product alone
//     ("22981", "343*67 = 22981"), or beside a decomposition whose expressions
//     do not have the operands' values. Otherwise an answer that guesses the product
//     would count as a strategy that no truth lists, the reward hacking that app.
//     A.1 isolates. A decomposition is valid if its two expressions have the
//     operands' values and are not both plain.
//   - Expressions have one level: numbers, sums and differences of numbers, or
//     products of numbers. A number 0, a factor 1, a division, a product inside a
//     sum or a sum inside a product make the decomposition invalid. So does a
//     filler, a number beside its negative as in 46+5-5: it would make a split of
//     any expression, with variants of its own.
//   - The expressions may be in either order; kinds belong to the operands. For equal
//     operands both orders are one mode and one variant.
//   - A chain of factors is cut at its outermost *, as it is written: that is the
//     last one without parentheses. If its sides have other values than the
//     operands, and one of them is a single factor, any cut will do at which the
//     parts have the operands' values: 67*6*7 is 67*(6*7). If both sides are
//     grouped they are meant as they are: (3*3)*(3*46) is 9*138, no decomposition of
//     46*27. Where several cuts would do, for a*b, the sides as written come first,
//     a*b before b*a, then the leftmost other cut into a*b, then the leftmost
//     into b*a: for 12*144 3*4*12*12 is (3*4*12)*12, plain*factor, and not
//     (3*4)*(12*12), factor*factor.
//   - The variant of an answer is its decomposition with the first operand first and the
//     terms in a fixed order: 60+7 and 7+60 are one variant. Degenerate answers have no
//     variant.
//   - The expansion is valid if the decomposition is, and its terms are the decomposition
//     multiplied out: products of the same numbers with the same signs, in any order, with
//     factors in any order. That of two products is one term. Partial products may be left
//     out of a text; if they are written, they must be the values of the expansion's terms,
//     in any order, or the expansion is not valid. The expansion may be left out as well,
//     and is not valid then.
//   - A text may add up in steps: sums of whole numbers between the partial
//     products and the product, as in 1200-120+180-18 = 1080+162 = 1242. Each must
//     have the true value, or the expansion is not valid. An answer has at most
//     eight sides.
//   - A text may repeat the question first: 343*67 = (340+3)*67 = ...
//   - Operands are uniform among the numbers of the given digits that do not end in 0: a
//     multiple of 10 may have no digits to take apart. Pairs are dealt to the splits by a
//     hash of the two numbers in either order, half to pretrain and a quarter each to train
//     and test, so that no test problem has been trained on. Operands of 2 digits make
//     3,321 pairs. A split draws with replacement.
//   - In the split ood the first operand has one more digit.
//
// Token answers are written in a grammar that fixes the structure and leaves the digits free.
// Numbers of a decomposition are at most 10^d, with d the digits of the longer operand, and an
// operand has at most max_terms of them. The terms of an expansion come in the order of the
// decomposition, with the signs that follow from it; partial products follow unless there is but
// one term, whose value is the product. After a decomposition without any the product comes at
// once. Partial products and the product are written with the least significant digit first (which
// is easier to learn), and are the right way round in the text form. A text may do more: more
// terms, larger numbers, any order, running sums.
package multiplication

import (
	"cmp"
	"sync"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// Config holds the parameters of the multiplication.
type Config struct {
	DigitsA  int `param:"digits_a" doc:"digits of the first operand; split ood has one more" min:"2" max:"4"`
	DigitsB  int `param:"digits_b" doc:"digits of the second operand" min:"2" max:"4"`
	MaxTerms int `param:"max_terms" doc:"most summands or factors of an operand in token answers, 2 to 5; 0: as many as the longer operand has digits" min:"0" max:"5"`

	Slip     float64 `param:"slip" doc:"demonstrator: probability that a token of the product is drawn uniformly from the legal ones" min:"0.0001" max:"1" readers:"demonstrator"`
	Lapse    float64 `param:"lapse" doc:"demonstrator: the same of every other token" min:"0.0001" max:"1" readers:"demonstrator"`
	Skew     float64 `param:"skew" doc:"demonstrator: the kinds place, plain, near, factor, split of an operand have weights 1, 2^-skew, ..., 5^-skew" min:"0" max:"10" readers:"demonstrator,lessons"`
	Variants int     `param:"variants" doc:"demonstrator: most expressions of one kind that it knows for an operand" min:"1" max:"100" readers:"demonstrator,lessons"`

	envs.Draw
}

// maxTerms is the largest max_terms. The split ood of operands with four digits takes as many.
const maxTerms = 5

func init() {
	envs.Register(envs.Definition{
		Name:        "multiplication",
		Summary:     "multiply two numbers by taking them apart: place value, near-round numbers, factors; every family counted",
		Source:      "Poly-EPO sec. 6.2 and app. A.1",
		Default:     func() envs.Config { return Default() },
		Transformer: envs.Transformer{Width: 64, Heads: 4, Steps: 2000, Batch: 64, LR: 2e-3},
	})
}

// Default is the multiplication of two numbers of two digits.
func Default() *Config {
	return &Config{DigitsA: 2, DigitsB: 2, Slip: 0.25, Lapse: 0.02, Skew: 1, Variants: 4}
}

// Build makes the environment. Parameters out of their bounds are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	if c.MaxTerms == 1 {
		return nil, params.Errorf("max_terms", "got 1, want 2 to %d, or 0 for the digits of the longer operand", maxTerms)
	}
	e := &Env{
		config: *c,
		key:    envs.Draw{}.Key("multiplication"),
		usual:  newFormat(c.DigitsA, c.DigitsB, c.MaxTerms),
		larger: newFormat(c.DigitsA+1, c.DigitsB, c.MaxTerms),
	}
	e.layout = newLayout(e.larger)
	for rank, k := range [...]kind{place, plain, near, factor, split} {
		e.weights[k] = exact.Exp(-float64(c.Skew * exact.Log(float64(rank+1))))
	}
	return e, nil
}

// Env is the multiplication with its parameters fixed.
type Env struct {
	config  Config
	key     rng.Key        // of the parts that are the same in every draw; problems name theirs
	usual   *format        // of the splits pretrain, train and test
	larger  *format        // of the split ood
	weights [kinds]float64 // demonstrator: of an operand's kinds
	layout  layout         // of features
}

// A format bounds the token answers of problems of one size.
type format struct {
	digits  [2]int // of the operands
	numeral int    // digits of the longer operand
	largest int64  // largest number of a decomposition: 10^numeral
	terms   int    // most summands or factors of an operand
	partial int    // most digits of a partial product
	product int    // most digits of the product
	limit   int    // most tokens of an answer

	findSums sync.Once
	sums     [][]uint64 // see countSums
}

func newFormat(digitsA, digitsB, terms int) *format {
	n := max(digitsA, digitsB)
	terms = cmp.Or(terms, n)
	f := &format{
		digits: [2]int{digitsA, digitsB}, numeral: n, largest: powers[n], terms: terms,
		partial: 2*n + 1, product: digitsA + digitsB,
	}
	// Two sums of most terms make the longest answer. A number has n+1 digits at
	// most, and each is followed by one symbol; a sum has a parenthesis more.
	decomposition := 2 * (terms*(n+2) + 2)
	expansion := terms * terms * 2 * (n + 2)
	partials := terms * terms * (f.partial + 1)
	f.limit = decomposition + expansion + partials + f.product + 1
	return f
}

// powers are the powers of ten that an int64 holds.
var powers = func() (p [19]int64) {
	p[0] = 1
	for i := range p[1:] {
		p[i+1] = 10 * p[i]
	}
	return p
}()

// components of the reward vector.
const components = 3

// Info implements envs.Env.
func (e *Env) Info() envs.Info {
	return envs.Info{
		Components: []string{"product", "decomposition", "expansion"},
		Weights:    envs.UniformWeights(components),
		Vocabulary: vocabulary(),
		MaxAnswer:  max(e.usual.limit, e.larger.limit),
		Votes:      true,
		Embeddings: true,
		Variants:   true,
	}
}
