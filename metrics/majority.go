package metrics

import (
	"fmt"
	"sync"
)

// An AnswerCount is what a pool holds of one answer.
type AnswerCount struct {
	Count   int // rollouts that vote for the answer, >= 0
	Correct int // those of them that are correct, in [0, Count]
}

// MajorityAtK estimates what a vote among k independent rollouts comes to, from
// the votes of n rollouts, abstained of which have no answer: maj, the probability
// that the majority's answer is correct (0 where all abstain), and share, the
// expected share of the k rollouts that give it (Poly-EPO fig. 4). With x_a of the
// votes for answer a in a k-subset, both are means over all k-subsets,
//
//	maj   = mean of [sum over a with x_a = max x of correct_a/count_a] / #{a: x_a = max x}
//	share = mean of max x / k
//
// hence unbiased for k independent rollouts. Ties are split equally. Where rollouts
// with the same answer are judged differently, the answer counts as correct to the
// share of its votes that are: the chance that the vote of a rollout drawn from the
// winning ones is. Both lie in [0, 1] and are closed forms with a relative error of
// about n*2^-50 at most, but for cases with a probability of about 1e-20 in all.
// Neither depends on the order of the answers. The package comment says how it is
// done, and what it costs.
//
// Errors: no rollouts, k outside 1..n (no function of n votes is unbiased for a
// larger k), a negative number, more correct votes than votes, and a case that
// takes more than majorityWork operations.
func MajorityAtK(answers []AnswerCount, abstained, k int) (maj, share float64, err error) {
	majs, shares, err := MajorityAtKs(answers, abstained, []int{k})
	if err != nil {
		return 0, 0, err
	}
	return majs[0], shares[0], nil
}

// MajorityAtKs returns MajorityAtK for each of ks, in their order.
func MajorityAtKs(answers []AnswerCount, abstained int, ks []int) (maj, share []float64, err error) {
	b := ballot{n: abstained, abstained: float64(abstained)}
	if abstained < 0 {
		return nil, nil, fmt.Errorf("%d rollouts abstain, want 0 or more", abstained)
	}
	for i, a := range answers {
		if a.Count < 0 || a.Correct < 0 || a.Correct > a.Count {
			return nil, nil, fmt.Errorf("answer %d: %d correct votes of %d", i, a.Correct, a.Count)
		}
		b.n += a.Count
		b.add(float64(a.Count), float64(a.Correct))
	}
	b.close()
	maj, share = make([]float64, len(ks)), make([]float64, len(ks))
	held := elections.Get().(*[]election)
	defer elections.Put(held)
	for i, k := range ks {
		if err := checkSize(b.n, k); err != nil {
			return nil, nil, err
		}
		var ok bool
		if maj[i], share[i], ok = electionAt(held, i, k).hold(&b); !ok {
			return nil, nil, fmt.Errorf("the majority of %d among %d votes for %d answers takes more than %d operations",
				k, b.n, len(b.classes), majorityWork)
		}
	}
	return maj, share, nil
}

// elections keeps the memory of elections from call to call: the next pool is likely
// to be of the same size, and to be asked for the same k.
var elections = sync.Pool{New: func() any { return new([]election) }}

// electionAt returns the i-th of some elections, an election at k.
func electionAt(held *[]election, i, k int) *election {
	for len(*held) <= i {
		*held = append(*held, election{})
	}
	e := &(*held)[i]
	if e.k != k {
		*e = election{k: k}
	}
	return e
}
