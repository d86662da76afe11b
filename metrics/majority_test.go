package metrics

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rat is a quotient of integers.
func rat(num, den int) *big.Rat { return big.NewRat(int64(num), int64(den)) }

// votesOf lists the votes of a pool one by one: the number of the answer, or -1.
func votesOf(answers []answerCount, abstained int) []int {
	votes := slices.Repeat([]int{-1}, abstained)
	for i, a := range answers {
		votes = append(votes, slices.Repeat([]int{i}, a.Count)...)
	}
	return votes
}

// elect is a vote by the definition: the share of the correct, given that of each
// answer, and the highest count.
func elect(votes []int, right []*big.Rat) (maj *big.Rat, most int) {
	count := make([]int, len(right))
	for _, v := range votes {
		if v >= 0 {
			count[v]++
			most = max(most, count[v])
		}
	}
	maj, ties := new(big.Rat), int64(0)
	for i, c := range count {
		if c == most && most > 0 {
			maj.Add(maj, right[i])
			ties++
		}
	}
	if ties > 0 {
		maj.Quo(maj, big.NewRat(ties, 1))
	}
	return maj, most
}

// rights is the share of each answer's votes that are correct.
func rights(answers []answerCount) []*big.Rat {
	right := make([]*big.Rat, len(answers))
	for i, a := range answers {
		right[i] = rat(a.Correct, max(1, a.Count))
	}
	return right
}

// allSubsets is the mean of elect over all k-subsets.
func allSubsets(answers []answerCount, abstained, k int) (maj, share float64) {
	votes, right := votesOf(answers, abstained), rights(answers)
	sum, most := new(big.Rat), 0
	all := eachSubset(len(votes), k, func(members []int) {
		chosen := make([]int, k)
		for i, member := range members {
			chosen[i] = votes[member]
		}
		win, highest := elect(chosen, right)
		sum.Add(sum, win)
		most += highest
	})
	maj, _ = sum.Quo(sum, rat(all, 1)).Float64()
	return maj, ratio(most, all*k)
}

// An answerCount counts an answer in a pool.
type answerCount struct {
	Count   int // rollouts that vote for the answer
	Correct int // those of them that are correct
}

// majorityAtK is a vote among k of a pool's rollouts, abstained of which have no answer.
func majorityAtK(answers []answerCount, abstained, k int) (maj, share float64, err error) {
	majs, shares, err := majorityAtKs(answers, abstained, []int{k})
	if err != nil {
		return 0, 0, err
	}
	return majs[0], shares[0], nil
}

// majorityAtKs is majorityAtK for each of ks, as Table counts votes.
func majorityAtKs(answers []answerCount, abstained int, ks []int) (maj, share []float64, err error) {
	b := ballot{n: abstained, abstained: float64(abstained)}
	for _, a := range answers {
		b.n += a.Count
		b.add(float64(a.Count), float64(a.Correct))
	}
	b.close()
	for _, k := range ks {
		if err := checkSize(b.n, k); err != nil {
			return nil, nil, err
		}
		e := election{k: k}
		m, s, ok := e.hold(&b)
		if !ok {
			return nil, nil, fmt.Errorf("the majority of %d among %d votes takes more than %d operations", k, b.n, majorityWork)
		}
		maj, share = append(maj, m), append(share, s)
	}
	return maj, share, nil
}

func TestMajorityAgainstAllSubsets(t *testing.T) {
	for _, test := range []struct {
		reason    string
		answers   []answerCount
		abstained int
	}{
		{"nobody answers: no majority", nil, 3},
		{"one answer, correct", []answerCount{{4, 4}}, 0},
		{"one answer, wrong, and abstainers", []answerCount{{3, 0}}, 4},
		{"the correct one in the minority", []answerCount{{2, 2}, {5, 0}}, 0},
		{"equal answers: everything is a tie", []answerCount{{3, 3}, {3, 0}, {3, 0}}, 0},
		{"every answer once: k ways to tie", []answerCount{{1, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}, 0},
		{"two correct answers, tied with a wrong one", []answerCount{{3, 3}, {3, 3}, {3, 0}, {1, 0}}, 0},
		{"an answer that is right by luck half of the time", []answerCount{{4, 2}, {3, 3}, {2, 0}}, 1},
		{"all answers partly right", []answerCount{{4, 3}, {3, 1}, {2, 1}, {1, 1}}, 0},
		{"an answer that nobody gives", []answerCount{{0, 0}, {5, 5}, {4, 0}}, 1},
		{"many abstain", []answerCount{{1, 1}, {2, 0}}, 7},
		{"more than half for one", []answerCount{{7, 7}, {2, 0}, {1, 0}}, 0},
	} {
		n := len(votesOf(test.answers, test.abstained))
		for k := 1; k <= n; k++ {
			maj, share, err := majorityAtK(test.answers, test.abstained, k)
			if err != nil {
				t.Fatal(err)
			}
			wantMaj, wantShare := allSubsets(test.answers, test.abstained, k)
			near(t, fmt.Sprintf("%s: maj@%d of %d", test.reason, k, n), maj, wantMaj, 2e-15)
			near(t, fmt.Sprintf("%s: majority_share@%d of %d", test.reason, k, n), share, wantShare, 2e-15)
		}
	}
}

func drawAnswers(t *rapid.T, classes, votes int) (answers []answerCount, abstained int) {
	for i := range rapid.IntRange(0, classes).Draw(t, "classes") {
		count := rapid.IntRange(0, votes).Draw(t, fmt.Sprint("count", i))
		correct := rapid.SampledFrom([]int{0, 0, count, count / 2}).Draw(t, fmt.Sprint("correct", i))
		answers = append(answers, answerCount{count, correct})
	}
	return answers, rapid.IntRange(0, votes).Draw(t, "abstained")
}

func TestMajorityOfRandomPools(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers, abstained := drawAnswers(t, 4, 3)
		n := len(votesOf(answers, abstained))
		if n > 11 {
			answers, abstained, n = answers[:1], 3, 3+answers[0].Count
		}
		for k := 1; k <= n; k++ {
			maj, share, err := majorityAtK(answers, abstained, k)
			if err != nil {
				t.Fatal(err)
			}
			wantMaj, wantShare := allSubsets(answers, abstained, k)
			near(t, fmt.Sprint("maj@", k), maj, wantMaj, 2e-15)
			near(t, fmt.Sprint("majority_share@", k), share, wantShare, 2e-15)
		}
	})
}

// TestMajorityProperties hold for pools of any size, far too large to enumerate.
func TestMajorityProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers, abstained := drawAnswers(t, 7, 40)
		n, correct, answered := abstained, 0, 0
		for _, a := range answers {
			n, correct, answered = n+a.Count, correct+a.Correct, answered+a.Count
		}
		if n == 0 {
			return
		}
		ks := []int{1}
		for k := 2; k <= n; k += 1 + k/5 {
			ks = append(ks, k)
		}
		maj, share, err := majorityAtKs(answers, abstained, ks)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "maj@1, the accuracy", maj[0], ratio(correct, n), 1e-14)
		near(t, "majority_share@1, all but those who abstain", share[0], ratio(answered, n), 1e-14)
		againMaj, againShare, _ := majorityAtKs(rapid.Permutation(answers).Draw(t, "permuted"), abstained, ks)
		if !slices.Equal(maj, againMaj) || !slices.Equal(share, againShare) {
			t.Errorf("another order of the answers: %v %v, %v %v", maj, againMaj, share, againShare)
		}
		for i, k := range ks {
			if !(maj[i] >= 0 && maj[i] <= 1 && share[i] >= 0 && share[i] <= 1) {
				t.Errorf("k %d: maj %v, share %v", k, maj[i], share[i])
			}
			// Of k votes, those for the majority's answer are on average as frequent among
			// any k-1, whose own majority has as many at least.
			if i > 0 && share[i] > share[i-1]+1e-14 {
				t.Errorf("the share grows from %v at %d to %v at %d", share[i-1], ks[i-1], share[i], k)
			}
			if alone, alsoAlone, _ := majorityAtK(answers, abstained, k); alone != maj[i] || alsoAlone != share[i] {
				t.Errorf("k %d alone %v %v, among others %v %v", k, alone, alsoAlone, maj[i], share[i])
			}
		}
	})
}

// TestOrderOfEqualAnswers: answers with as many votes but not as many correct ones
// have one order as well.
func TestOrderOfEqualAnswers(t *testing.T) {
	ks := []int{2, 3, 7, 11, 20, 31}
	answers := []answerCount{{9, 9}, {9, 7}, {9, 4}, {9, 1}, {9, 0}}
	maj, share, err := majorityAtKs(answers, 3, ks)
	if err != nil {
		t.Fatal(err)
	}
	eachOrderedChoice(len(answers), len(answers), func(order []int) {
		var permuted []answerCount
		for _, i := range order {
			permuted = append(permuted, answers[i])
		}
		again, againShare, _ := majorityAtKs(permuted, 3, ks)
		if !slices.Equal(maj, again) || !slices.Equal(share, againShare) {
			t.Fatalf("%v: %v %v, want %v %v", permuted, again, againShare, maj, share)
		}
	})
}

// slowElection is maj@k and majority_share@k by polynomials in integers: for every
// highest count m, the product over all answers but the last of their possible votes below m,
// and of m exactly, counted by the number of ties.
func slowElection(answers []answerCount, abstained, k int) (maj, share float64) {
	right := rights(answers)
	n := abstained
	for _, a := range answers {
		n += a.Count
	}
	win, most := new(big.Rat), new(big.Rat)
	chosen := map[[2]int]*big.Int{}
	choose := func(n, k int) *big.Int {
		if chosen[[2]int{n, k}] == nil {
			chosen[[2]int{n, k}] = binomialInt(n, k)
		}
		return chosen[[2]int{n, k}]
	}
	for m := 1; m <= k; m++ {
		for one, a := range answers {
			if m > a.Count {
				continue
			}
			// ways[ties][votes]
			ways := [][]*big.Int{make([]*big.Int, k+1)}
			for votes := range ways[0] {
				ways[0][votes] = binomialInt(abstained, votes)
			}
			for other, b := range answers {
				if other == one {
					continue
				}
				next := make([][]*big.Int, len(ways)+1)
				for ties := range next {
					next[ties] = make([]*big.Int, k+1)
					for votes := range next[ties] {
						next[ties][votes] = new(big.Int)
					}
				}
				term := new(big.Int)
				for ties := range ways {
					for votes, w := range ways[ties] {
						if w.Sign() == 0 {
							continue
						}
						for j := 0; j <= min(m, b.Count, k-votes); j++ {
							to := ties
							if j == m {
								to++
							}
							next[to][votes+j].Add(next[to][votes+j], term.Mul(w, choose(b.Count, j)))
						}
					}
				}
				ways = next
			}
			for ties := range ways {
				cases := new(big.Int).Mul(ways[ties][k-m], choose(a.Count, m))
				part := new(big.Rat).SetFrac(cases, big.NewInt(int64(ties+1)))
				most.Add(most, new(big.Rat).Mul(part, rat(m, k)))
				win.Add(win, part.Mul(part, right[one]))
			}
		}
	}
	all := new(big.Rat).SetInt(binomialInt(n, k))
	maj, _ = win.Quo(win, all).Float64()
	share, _ = most.Quo(most, all).Float64()
	return maj, share
}

func binomialInt(n, k int) *big.Int { return new(big.Int).Binomial(int64(n), int64(k)) }

// TestMajorityOfLargePools holds pools beyond enumeration against integers.
func TestMajorityOfLargePools(t *testing.T) {
	for _, test := range []struct {
		reason    string
		answers   []answerCount
		abstained int
		ks        []int
	}{
		{"a usual pool", []answerCount{{22, 22}, {15, 0}, {9, 0}, {6, 0}, {4, 0}, {2, 0}, {1, 0}, {1, 0}}, 4, []int{2, 3, 8, 31, 32, 33, 63}},
		{"answers that differ", slices.Repeat([]answerCount{{2, 0}, {1, 1}}, 8), 0, []int{2, 5, 8, 12, 23}},
		{"equal answers, two of them right", []answerCount{{8, 0}, {8, 8}, {8, 0}, {8, 0}, {8, 0}, {8, 8}, {8, 0}, {8, 0}}, 0, []int{4, 16, 32, 48}},
		{"answers too large and too small to look at each count", []answerCount{{300, 0}, {150, 100}, {100, 0}, {30, 30}, {3, 3}}, 17, []int{7, 40}},
		{"a rare correct answer", []answerCount{{500, 0}, {400, 0}, {1, 1}}, 99, []int{2, 20, 41}},
		{"one answer and few others at nearly full size", []answerCount{{90, 90}, {60, 0}}, 0, []int{120, 148, 149}},
	} {
		n := len(votesOf(test.answers, test.abstained))
		for _, k := range test.ks {
			maj, share, err := majorityAtK(test.answers, test.abstained, k)
			if err != nil {
				t.Fatal(err)
			}
			wantMaj, wantShare := slowElection(test.answers, test.abstained, k)
			within := float64(n) * 0x1p-50
			closeTo(t, fmt.Sprintf("%s: maj@%d of %d", test.reason, k, n), maj, wantMaj, within)
			closeTo(t, fmt.Sprintf("%s: majority_share@%d of %d", test.reason, k, n), share, wantShare, within)
		}
	}
}

// closeTo fails unless got has a small relative error.
func closeTo(t reporter, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: got %.17g, want %.17g (relative error %.2g, limit %.2g)", what, got, want, math.Abs(got/want-1), relative)
	}
}

// TestMajorityOfThousands: between two answers the vote is a sum of hypergeometric
// chances, at sizes whose binomials no float64 holds.
func TestMajorityOfThousands(t *testing.T) {
	for _, test := range []struct{ n, c, k int }{{4000, 2040, 500}, {2000, 950, 1000}, {3000, 1510, 2999}, {3000, 20, 64}} {
		maj, share, err := majorityAtK([]answerCount{{test.c, test.c}, {test.n - test.c, 0}}, 0, test.k)
		if err != nil {
			t.Fatal(err)
		}
		win, most := new(big.Int), new(big.Int) // twice the wins
		for j := max(0, test.k-(test.n-test.c)); j <= min(test.k, test.c); j++ {
			ways := binomialInt(test.c, j)
			ways.Mul(ways, binomialInt(test.n-test.c, test.k-j))
			most.Add(most, new(big.Int).Mul(ways, big.NewInt(int64(max(j, test.k-j)))))
			if 2*j >= test.k {
				win.Add(win, ways)
			}
			if 2*j > test.k {
				win.Add(win, ways)
			}
		}
		all := binomialInt(test.n, test.k)
		wantMaj, _ := new(big.Rat).SetFrac(win, new(big.Int).Mul(all, big.NewInt(2))).Float64()
		wantShare, _ := new(big.Rat).SetFrac(most, new(big.Int).Mul(all, big.NewInt(int64(test.k)))).Float64()
		what := fmt.Sprintf("%d of %d at %d", test.c, test.n, test.k)
		near(t, "maj: "+what, maj, wantMaj, float64(test.n)*0x1p-50)
		closeTo(t, "share: "+what, share, wantShare, float64(test.n)*0x1p-50)
	}
}

// TestMajorityOfHugePools: the memory follows the answers and k, not the votes, and no
// product of counts overflows. Draws from a huge pool are as good as independent.
func TestMajorityOfHugePools(t *testing.T) {
	for _, half := range []int{1 << 32, 1 << 60} {
		maj, share, err := majorityAtK([]answerCount{{half, half}, {half, 0}}, 0, 33)
		if err != nil {
			t.Fatal(err)
		}
		wantMaj, wantShare := held(t, []answerShare{{0.5, 0.5}, {0.5, 0}}, 0, 33)
		closeTo(t, fmt.Sprint("maj of ", half), maj, wantMaj, 1e-6)
		closeTo(t, fmt.Sprint("share of ", half), share, wantShare, 1e-6)
	}
}

func TestVotesThatCannotBeCounted(t *testing.T) {
	for _, test := range []struct {
		reason       string
		answers      []answerCount
		abstained, k int
		want         string
	}{
		{"too much work", slices.Repeat([]answerCount{{256, 0}}, 32), 0, 4096,
			"the majority of 4096 among 8192 votes takes more than 134217728 operations"},
	} {
		if _, _, err := majorityAtK(test.answers, test.abstained, test.k); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestBootstrapOfVotesIsBiased: of the 27 resamples of 3 votes, 2 of them correct, 20
// have a correct majority; the vote of the three always has.
func TestBootstrapOfVotesIsBiased(t *testing.T) {
	correct := 0
	for code := range 27 {
		right := 0
		for digits, i := code, 0; i < 3; digits, i = digits/3, i+1 {
			if digits%3 < 2 {
				right++
			}
		}
		if right >= 2 {
			correct++
		}
	}
	if correct != 20 {
		t.Errorf("%d resamples have a correct majority, want 20", correct)
	}
	if maj, _, err := majorityAtK([]answerCount{{2, 2}, {1, 0}}, 0, 3); err != nil || maj != 1 {
		t.Errorf("maj@3 is %v (%v), want 1", maj, err)
	}
}
