package metrics

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
)

// voter is a verdict on an answer, with a reward of one component.
func voter(answer string, correct bool) *envs.Verdict {
	return &envs.Verdict{Answer: answer, Correct: correct, Mode: envs.Mode("mode of " + answer), Reward: []float64{0}}
}

var votesOptions = Options{Weights: []float64{1}, K: []int{1, 2, 3}, Samples: 2, Answers: true, Measure: []string{MeasureVotes, MeasureRollouts}}

// TestRolloutsVote: the voter is the rollout, with its final answer: the one it
// names, or the last candidate with an answer.
func TestRolloutsVote(t *testing.T) {
	pool := Pool{Modes: -1, Named: []int{1, 0, 0, 2}, Chains: [][]*envs.Verdict{
		{voter("7", true), voter("8", false)}, // votes 7
		{voter("7", true), voter("8", false)}, // votes 8
		{voter("7", true), voter("", false)},  // votes 7
		{voter("", false), voter("", false)},  // abstains, whatever it names
	}}
	o := votesOptions
	o.K = []int{1, 2, 4, 5, 8}
	values, err := measure(o, func(t *Table) error { return t.Add(pool) })
	got := byName(t, values, err)
	for name, want := range map[string]float64{
		"maj@1": 2. / 4, "majority_share@1": 3. / 4,
		// Pairs: 77 right; 78 twice half; 7- twice right; 8- wrong; of 6.
		"maj@2": (1 + 2*0.5 + 2) / 6, "majority_share@2": (1 + 5*0.5) / 6,
		"maj@4": 1, "majority_share@4": 2. / 4,
		"pass@8": 1, "final_accuracy": 2. / 4, "strategy_accuracy": 3. / 4,
	} {
		near(t, name, got[name], want, 1e-15)
	}
	for _, name := range []string{"maj@5", "majority_share@5", "maj@8"} {
		if _, given := got[name]; given {
			t.Errorf("%s of 4 rollouts is given", name)
		}
	}
}

// TestTableVotes: tables, sampled and exact, against the functions on counts.
func TestTableVotes(t *testing.T) {
	verdicts := []*envs.Verdict{voter("7", true), voter("8", false), voter("9", false), voter("", false), voter("9", true)}
	rapid.Check(t, func(t *rapid.T) {
		votes := rapid.SliceOfN(rapid.IntRange(0, 4), 3, 40).Draw(t, "votes")
		pool, d := Pool{Modes: -1}, Distribution{Modes: -1}
		counts, shares, abstained := make([]answerCount, 3), make([]answerShare, 3), 0
		for _, v := range votes {
			chain := []*envs.Verdict{verdicts[v]}
			pool.Chains = append(pool.Chains, chain)
			d.Outcomes = append(d.Outcomes, Outcome{P: 1 / float64(len(votes)), Chain: chain})
			switch v {
			case 3:
				abstained++
			case 4:
				counts[2].Count++
				counts[2].Correct++
			default:
				counts[v].Count++
			}
		}
		counts[0].Correct = counts[0].Count
		for i, c := range counts {
			shares[i] = answerShare{ratio(c.Count, len(votes)), ratio(c.Correct, len(votes))}
		}
		values, err := measure(votesOptions, func(t *Table) error { return t.Add(pool) })
		if err != nil {
			t.Fatal(err)
		}
		exactly, err := measure(votesOptions, func(t *Table) error { return t.AddExact(d) })
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, v := range values {
			got[v.Name] = v.Mean
		}
		for _, v := range exactly {
			got["exact "+v.Name] = v.Mean
		}
		maj, share, err := majorityAtKs(counts, abstained, votesOptions.K)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range votesOptions.K {
			if got[atK("maj", k)] != maj[i] || got[atK("majority_share", k)] != share[i] {
				t.Errorf("k %d: %v and %v, want %v and %v", k, got[atK("maj", k)], got[atK("majority_share", k)], maj[i], share[i])
			}
			slow, slowShare := allVotesOrNone(shares, ratio(abstained, len(votes)), k)
			near(t, atK("exact maj", k), got[atK("exact maj", k)], slow, 1e-14)
			near(t, atK("exact majority_share", k), got[atK("exact majority_share", k)], slowShare, 1e-14)
		}
		near(t, "maj@1", got["maj@1"], got["final_accuracy"], 1e-14)
		near(t, "exact maj@1", got["exact maj@1"], got["exact final_accuracy"], 1e-14)
	})
}

// allVotesOrNone is allVotes without answers of probability 0.
func allVotesOrNone(answers []answerShare, abstained float64, k int) (maj, share float64) {
	answers = slices.DeleteFunc(slices.Clone(answers), func(a answerShare) bool { return a.p == 0 })
	return allVotes(answers, abstained, k)
}

// TestVotesDoNotDependOnNames: other names and another order of the rollouts change
// no bit.
func TestVotesDoNotDependOnNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		votes := rapid.SliceOfN(rapid.IntRange(0, 6), 3, 64).Draw(t, "votes")
		names := rapid.Permutation([]string{"a", "b", "c", "d", "e", "f", "g"}).Draw(t, "names")
		pools := [2]Pool{{Modes: -1}, {Modes: -1}}
		for i, order := range [][]int{votes, rapid.Permutation(votes).Draw(t, "order")} {
			for _, v := range order {
				name := fmt.Sprint(v)
				if i == 1 {
					name = names[v]
				}
				pools[i].Chains = append(pools[i].Chains, []*envs.Verdict{voter(name, v%3 == 0)})
			}
		}
		var values [2][]Value
		for i, pool := range pools {
			var err error
			if values[i], err = measure(votesOptions, func(t *Table) error { return t.Add(pool) }); err != nil {
				t.Fatal(err)
			}
			values[i] = slices.DeleteFunc(values[i], func(v Value) bool { return v.Name == "entropy_mode" })
		}
		if diff := cmp.Diff(values[0], values[1]); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

// TestVotesNeedGroupAndAnswers: without the group, or without answers, no metric of votes is measured.
func TestVotesNeedGroupAndAnswers(t *testing.T) {
	pool := Pool{Modes: -1, Chains: chainsOfOne(voter("7", true), voter("8", false), voter("7", true))}
	for _, test := range []struct {
		reason  string
		groups  []string
		answers bool
		want    []string
	}{
		{"nothing asked for", nil, true, nil},
		{"votes", []string{MeasureVotes}, true, []string{"maj@1", "majority_share@1"}},
		{"rollouts", []string{MeasureRollouts}, true, []string{"final_accuracy", "strategy_accuracy", "strategies"}},
		{"an environment without answers", []string{MeasureVotes, MeasureRollouts}, false, []string{"strategy_accuracy", "strategies"}},
	} {
		values, err := measure(Options{Weights: []float64{1}, K: []int{1}, Answers: test.answers, Measure: test.groups},
			func(t *Table) error { return t.Add(pool) })
		if err != nil {
			t.Fatal(err)
		}
		plain, err := measure(Options{Weights: []float64{1}, K: []int{1}}, func(t *Table) error { return t.Add(pool) })
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range values {
			if !slices.Contains(plain, v) {
				got = append(got, v.Name)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestElectionsAreNotMixedUp: pools of several sizes and distributions, one after the
// other in one table, have the values that each has alone.
func TestElectionsAreNotMixedUp(t *testing.T) {
	table, err := NewTable(votesOptions)
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]float64{}
	var sizes = []int{4, 9, 600, 4, 30, 600}
	for i, n := range sizes {
		pool := Pool{Modes: -1}
		d := Distribution{Modes: -1}
		for j := range n {
			answer := fmt.Sprint(j * j % (3 + i))
			if j%4 == 0 {
				answer = "" // abstains
			}
			pool.Chains = append(pool.Chains, []*envs.Verdict{voter(answer, answer == "1")})
			d.Outcomes = append(d.Outcomes, Outcome{P: 1 / float64(n), Chain: pool.Chains[j]})
		}
		add := func(t *Table) error { return t.Add(pool) }
		if i%2 == 1 {
			add = func(t *Table) error { return t.AddExact(d) }
		}
		if err := add(table); err != nil {
			t.Fatal(err)
		}
		values, err := measure(votesOptions, add)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			sum[v.Name] += v.Mean
		}
	}
	for _, v := range table.Values() {
		if v.Mean != sum[v.Name]/float64(v.Problems) {
			t.Errorf("%s: %v, one by one %v", v.Name, v.Mean, sum[v.Name]/float64(v.Problems))
		}
	}
}
