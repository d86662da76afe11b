package multiplication

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

func TestConformance(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			if pinned[v.name] == "" {
				t.Error("no hash")
			}
			envtest.Run(t, build(t, v.change), envtest.Modeless(), envtest.Problems(2), envtest.Walks(20), envtest.Pinned(pinned[v.name]))
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		want   string
	}{
		{"a number of one digit has nothing to take apart", func(c *Config) { c.DigitsA = 1 }, `field "digits_a": got 1, want int from 2 to 4`},
		{"answers would be longer than is tested", func(c *Config) { c.DigitsA = 5 }, `field "digits_a": got 5, want int from 2 to 4`},
		{"likewise the second operand", func(c *Config) { c.DigitsB = 0 }, `field "digits_b": got 0, want int from 2 to 4`},
		{"likewise the second operand", func(c *Config) { c.DigitsB = 9 }, `field "digits_b": got 9, want int from 2 to 4`},
		{"one term is no decomposition", func(c *Config) { c.MaxTerms = 1 }, `field "max_terms": got 1, want 2 to 5, or 0 for the digits of the longer operand`},
		{"a cursor has room for five", func(c *Config) { c.MaxTerms = 6 }, `field "max_terms": got 6, want int from 0 to 5`},
		{"less than none", func(c *Config) { c.MaxTerms = -1 }, `field "max_terms": got -1, want int from 0 to 5`},
		{"a prior must be finite", func(c *Config) { c.Slip = 0 }, `field "slip": got 0, want a number from 0.0001 to 1`},
		{"no probability", func(c *Config) { c.Slip = 1.5 }, `field "slip": got 1.5, want a number from 0.0001 to 1`},
		{"a prior must be finite", func(c *Config) { c.Lapse = 0 }, `field "lapse": got 0, want a number from 0.0001 to 1`},
		{"weights that rise with the rank", func(c *Config) { c.Skew = -1 }, `field "skew": got -1, want a number from 0 to 10`},
		{"nothing is known", func(c *Config) { c.Variants = 0 }, `field "variants": got 0, want int from 1 to 100`},
		{"more than the parameter's own bound", func(c *Config) { c.Variants = 101 }, `field "variants": got 101, want int from 1 to 100`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestConfigIsCopied: an environment does not follow later changes of its Config.
func TestConfigIsCopied(t *testing.T) {
	envtest.Copies(t, Default(), func(c *Config) { *c = Config{DigitsA: 4, DigitsB: 4} })
}

func TestIsRegistered(t *testing.T) { envtest.Registered(t, "multiplication", Default()) }

func TestInfo(t *testing.T) {
	third := 1.0 / 3
	want := envs.Info{
		Components: []string{"product", "decomposition", "expansion"},
		Weights:    []float64{third, third, third},
		Vocabulary: strings.Fields("0 1 2 3 4 5 6 7 8 9 + - * ( ) = end"),
		MaxAnswer:  202,
		Votes:      true,
		Embeddings: true,
		Variants:   true,
	}
	if d := cmp.Diff(want, build(t, nil).Info()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestLongestAnswer writes sums of the largest numbers, whatever they add up to,
// and a product as long as may be. That random answers are not longer is part
// of the conformance suite.
func TestLongestAnswer(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		longest := 0
		for _, split := range []envs.Split{envs.Train, envs.OOD} {
			p := problem(t, e, split, 0)
			f := p.format
			join := func(x string, n int) string { return strings.TrimSuffix(strings.Repeat(x+"+", n), "+") }
			most := "1" + strings.Repeat("0", f.numeral)
			side := "(" + join(most, f.terms) + ")"
			tokens := parsed(t, p, side+"*"+side+"="+join(most+"*"+most, f.terms*f.terms)+"="+
				join(most+strings.Repeat("0", f.numeral), f.terms*f.terms)+"="+strings.Repeat("9", f.product))
			if len(tokens) != f.limit {
				t.Errorf("%s, %s: the longest answer has %d tokens, the limit is %d", v.name, split, len(tokens), f.limit)
			}
			longest = max(longest, f.limit)
		}
		if got := e.Info().MaxAnswer; got != longest {
			t.Errorf("%s: MaxAnswer is %d, want %d", v.name, got, longest)
		}
	}
}

// TestOperands: digits by the parameters, one more in the split ood, and no operand ends in
// 0.
func TestOperands(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			seen := map[int64]bool{}
			for i := range 500 {
				p := problem(t, e, split, i)
				digits := [2]int{e.config.DigitsA, e.config.DigitsB}
				if split == envs.OOD {
					digits[0]++
				}
				for j, x := range [2]int64{p.a, p.b} {
					if x < powers[digits[j]-1] || x >= powers[digits[j]] || x%10 == 0 {
						t.Fatalf("%s, %s/%d: operand %d, want %d digits, the last not 0", v.name, split, i, x, digits[j])
					}
				}
				seen[p.a] = true
			}
			if len(seen) < 75 {
				t.Errorf("%s, %s: %d first operands in 500 problems", v.name, split, len(seen))
			}
		}
	}
}

// TestOperandsAreUniform draws every number of two digits as often as any other.
func TestOperandsAreUniform(t *testing.T) {
	e := build(t, nil)
	counts := map[int64]float64{}
	const n = 20_000
	for i := range n {
		for _, split := range []envs.Split{envs.Pretrain, envs.Train, envs.Test} {
			p := problem(t, e, split, i)
			share := 1.0 // of pairs: half belong to pretrain
			if split == envs.Pretrain {
				share = 2
			}
			counts[p.a] += share / 4
			counts[p.b] += share / 4
		}
	}
	chi := 0.0
	for _, c := range counts {
		d := c - 2*n/81.0
		chi += d * d / (2 * n / 81.0)
	}
	// Weights of 1/2, 1/4 and 1/4 leave 3/8 of the variance of counts. 125 is the
	// 99.9% quantile.
	if chi *= 8.0 / 3; len(counts) != 81 || chi > 125 {
		t.Errorf("%d operands, chi-square %.1f with 80 degrees of freedom", len(counts), chi)
	}
}

// TestPairsBelongToOneSplit: no two splits share a pair of operands, in either
// order, and together they hold all of them.
func TestPairsBelongToOneSplit(t *testing.T) {
	e := build(t, nil)
	owner, count := map[[2]int64]envs.Split{}, map[envs.Split]int{}
	for _, split := range []envs.Split{envs.Pretrain, envs.Train, envs.Test} {
		for i := range 25_000 {
			p := problem(t, e, split, i)
			pair := [2]int64{min(p.a, p.b), max(p.a, p.b)}
			if other, taken := owner[pair]; taken && other != split {
				t.Fatalf("%v lies in %s and in %s", pair, other, split)
			} else if !taken {
				owner[pair] = split
				count[split]++
			}
		}
	}
	const pairs = 81 * 82 / 2
	if len(owner) < pairs-5 {
		t.Errorf("%d pairs, want nearly %d", len(owner), pairs)
	}
	for split, share := range map[envs.Split]float64{envs.Pretrain: 0.5, envs.Train: 0.25, envs.Test: 0.25} {
		if got := float64(count[split]) / pairs; got < share-0.03 || got > share+0.03 {
			t.Errorf("%s holds a share of %.3f of the pairs, want %v", split, got, share)
		}
	}
}

func TestPrompt(t *testing.T) {
	p := drawn(t, 343, 67, 0)
	words, got := build(t, nil).Info().Vocabulary, ""
	for _, token := range p.Prompt() {
		got += words[token]
	}
	if got != "343*67" {
		t.Errorf("the prompt is %q", got)
	}
	text := p.PromptText()
	for _, want := range []string{"Compute 343*67 ", "<answer>(5+2)*12 = 5*12+2*12 = 60+24 = 84</answer>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, text)
		}
	}
}

func TestMultiPrompt(t *testing.T) {
	p := drawn(t, 343, 67, 0)
	chain, err := envs.NewChain(p, 3, envs.ChainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := chain.PromptText()
	for _, want := range []string{"Compute 343*67 ", "Give 3 answers", "<answer_1>...</answer_1>, <answer_2>...</answer_2>, <answer_3>...</answer_3>."} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "<answer>") || strings.Contains(text, "answer_4") {
		t.Errorf("the prompt for three answers shows other tags:\n%s", text)
	}
	// The examples are right answers to their own question.
	easy := drawn(t, 343, 67, 0)
	easy.a, easy.b, easy.product = 7, 12, 84
	if chain, err = envs.NewChain(easy, 3, envs.ChainOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, v := range chain.JudgeText(text[strings.Index(text, "For example"):]) {
		if v.Err != nil || !slices.Equal(v.Reward, []float64{1, 1, 1}) {
			t.Errorf("example %d: %+v", i+1, v)
		}
	}
}
