package ledger

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"modebench/metrics/stats"
)

// sure is a board on which all differences are the same, without doubt.
func sure(x float64) Difference {
	return func(string, string, string) (stats.Interval, bool) {
		return stats.Interval{N: 9, Mean: x, Low: x, High: x}, true
	}
}

// TestByHand: five rows, of which one has no question and one no answer.
func TestByHand(t *testing.T) {
	l := &Ledger{Signs: []Sign{
		{Kind: Diversity, Checked: true, Method: "a", Against: "grpo", Metric: "entropy", Signs: []int{1}},   // +.2 [.1, .3]: right
		{Kind: Diversity, Checked: true, Method: "b", Against: "grpo", Metric: "entropy", Signs: []int{1}},   // -.1 [-.3, .1]: undecided, does not agree
		{Kind: Accuracy, Checked: false, Method: "b", Against: Base, Metric: "accuracy", Signs: []int{0, 1}}, // -.04 [-.06, -.02]: agrees within .05, undecided
		{Kind: Accuracy, Checked: true, Method: "c", Against: "a", Metric: "accuracy", Signs: []int{-1}},     // +.5 [.4, .6]: wrong
		{Kind: Accuracy, Checked: true, Method: "d", Against: "a", Metric: "accuracy", Signs: []int{-1}},     // no answer
		{Kind: Phenomenon, Checked: true},
	}}
	answers := map[string]stats.Interval{
		"a grpo entropy":  {N: 9, Mean: .2, Low: .1, High: .3},
		"b grpo entropy":  {N: 9, Mean: -.1, Low: -.3, High: .1},
		"b base accuracy": {N: 9, Mean: -.04, Low: -.06, High: -.02},
		"c a accuracy":    {N: 9, Mean: .5, Low: .4, High: .6},
	}
	got := Score(l, .05, func(method, against, metric string) (stats.Interval, bool) {
		d, ok := answers[method+" "+against+" "+metric]
		return d, ok
	})
	want := []Count{
		{Part: "all", Rows: 6, Asked: 5, Answered: 4, Agree: 2, Right: 1, Wrong: 1, Undecided: 2},
		{Part: Phenomenon, Rows: 1},
		{Part: Diversity, Rows: 2, Asked: 2, Answered: 2, Agree: 1, Right: 1, Undecided: 1},
		{Part: Accuracy, Rows: 3, Asked: 3, Answered: 2, Agree: 1, Wrong: 1, Undecided: 1},
		{Part: "checked", Rows: 5, Asked: 4, Answered: 3, Agree: 1, Right: 1, Wrong: 1, Undecided: 1},
	}
	if diff := cmp.Diff(want, got.Counts, cmpopts.IgnoreFields(Count{}, "Share")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if share := got.Counts[0].Share; share.Mean != .5 || share.N != 3 {
		t.Errorf("two of four rows about three methods agree: %+v", share)
	}
	if share := got.Counts[1].Share; !math.IsNaN(share.Mean) || !math.IsNaN(share.Low) {
		t.Errorf("no answer: %+v", share)
	}
	verdicts := []Verdict{Right, Undecided, Undecided, Wrong}
	for i, a := range got.Answers {
		if a.Verdict != verdicts[i] {
			t.Errorf("answer %d: %+v, want verdict %d", i, a, verdicts[i])
		}
	}
}

// TestJudge compares verdicts with a walk through the interval, point by point.
func TestJudge(t *testing.T) {
	sign := func(x, margin float64, signs []int) bool {
		for _, s := range signs {
			if s == 0 && x >= -margin && x <= margin || s == 1 && x > 0 || s == -1 && x < 0 {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(t *rapid.T) {
		// All numbers are whole, and so are the points between them that matter, or halves.
		ends := []int{rapid.IntRange(-6, 6).Draw(t, "a"), rapid.IntRange(-6, 6).Draw(t, "b"), rapid.IntRange(-6, 6).Draw(t, "c")}
		slices.Sort(ends)
		margin := float64(rapid.IntRange(0, 3).Draw(t, "margin"))
		s := &Sign{Signs: rapid.SampledFrom(accepted).Draw(t, "signs")}
		d := stats.Interval{Low: float64(ends[0]), Mean: float64(ends[1]), High: float64(ends[2])}
		with, without := 0, 0
		for x := d.Low; x <= d.High; x += .5 {
			if sign(x, margin, s.Signs) {
				with++
			} else {
				without++
			}
		}
		want := Undecided
		if without == 0 {
			want = Right
		} else if with == 0 {
			want = Wrong
		}
		agrees, got := s.judge(d, margin)
		if got != want || agrees != sign(d.Mean, margin, s.Signs) {
			t.Fatalf("%+v, signs %v, margin %v: %v, verdict %d, want %d", d, s.Signs, margin, agrees, got, want)
		}
	})
	for _, signs := range accepted {
		s := &Sign{Signs: signs}
		if _, v := s.judge(stats.Interval{Mean: 1, Low: math.NaN(), High: math.NaN()}, 1); v != Undecided {
			t.Errorf("signs %v: an answer without bounds has verdict %d", signs, v)
		}
		if _, v := s.judge(stats.Interval{Mean: 1, Low: math.Inf(-1), High: math.Inf(1)}, 1); v != Undecided {
			t.Errorf("signs %v: an answer without finite bounds has verdict %d", signs, v)
		}
	}
}

// TestRowsOfAMethod: ten rows that repeat one answer tell no more than the row itself, and neither their
// order nor the order of methods matters.
func TestRowsOfAMethod(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	side := map[string]float64{}
	var rows, repeated []Sign
	for i := range 30 {
		s := Sign{Kind: Kinds[i%3], Method: fmt.Sprint("m", i), Against: Base, Metric: "accuracy", Signs: []int{1}}
		side[s.Method] = float64(r.IntN(3) - 1)
		rows = append(rows, s)
		for range 10 {
			repeated = append(repeated, s)
		}
	}
	board := func(method, _, _ string) (stats.Interval, bool) { return sure(side[method])("", "", "") }
	want := Score(&Ledger{Signs: rows}, 0, board).Counts[0]
	r.Shuffle(len(repeated), func(i, j int) { repeated[i], repeated[j] = repeated[j], repeated[i] })
	got := Score(&Ledger{Signs: repeated}, 0, board).Counts[0]
	if got.Agree != 10*want.Agree || got.Right != 10*want.Right {
		t.Errorf("ten times the rows: %+v, were %+v", got, want)
	}
	if diff := cmp.Diff(want.Share, got.Share, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("share of repeated rows (-want +got):\n%s", diff)
	}
	// One row a method: the share is a mean of zeros and ones.
	var ones []float64
	for _, s := range rows {
		ones = append(ones, float64(b2i(side[s.Method] > 0)))
	}
	if mean := stats.MeanInterval(ones); math.Abs(mean.Mean-want.Share.Mean) > 1e-12 || math.Abs(mean.Low-want.Share.Low) > .03 || math.Abs(mean.High-want.Share.High) > .03 {
		t.Errorf("share %+v, as a mean %+v", want.Share, mean)
	}
}

// TestShareIsWithinOne: the interval of a share near 1 or 0 does not leave what a share can be.
func TestShareIsWithinOne(t *testing.T) {
	for _, sign := range []int{1, -1} {
		var rows []Sign
		for i := range 20 {
			rows = append(rows, Sign{Kind: Kinds[0], Method: fmt.Sprint("m", i), Against: Base, Metric: "accuracy", Signs: []int{sign}})
		}
		rows[0].Signs = []int{-sign}
		share := Score(&Ledger{Signs: rows}, 0, sure(1)).Counts[0].Share
		if !(share.Low >= 0 && share.Low < share.Mean && share.Mean < share.High && share.High <= 1) {
			t.Errorf("19 of 20 rows with sign %d: %+v", sign, share)
		}
	}
}

// TestKeepsDiversity compares the area with a count over pairs of methods.
func TestKeepsDiversity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers, known := map[string]float64{}, map[string]bool{}
		l := &Ledger{}
		for i := range rapid.IntRange(0, 12).Draw(t, "methods") {
			name := fmt.Sprint("m", i)
			keeps := rapid.Bool().Draw(t, "keeps")
			l.Methods = append(l.Methods, Method{Name: name, KeepsDiversity: &keeps})
			numbers[name], known[name] = float64(rapid.IntRange(0, 4).Draw(t, "number")), rapid.IntRange(0, 4).Draw(t, "known") > 0
			if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
				numbers[name] = math.NaN()
			}
		}
		won, pairs := 0.0, 0.0
		for _, a := range l.Methods {
			for _, b := range l.Methods {
				x, y := numbers[a.Name], numbers[b.Name]
				if !*a.KeepsDiversity || *b.KeepsDiversity || !known[a.Name] || !known[b.Name] || math.IsNaN(x) || math.IsNaN(y) {
					continue
				}
				pairs++
				if x > y {
					won++
				} else if x == y {
					won += .5
				}
			}
		}
		got := l.KeepsDiversity(func(method string) (float64, bool) { return numbers[method], known[method] })
		if float64(got.Keeps*got.Loses) != pairs {
			t.Fatalf("%d and %d methods, want %v pairs", got.Keeps, got.Loses, pairs)
		}
		if want := won / pairs; math.Abs(got.AUC.Mean-want) > 1e-12 || math.IsNaN(got.AUC.Mean) != math.IsNaN(want) {
			t.Errorf("area %+v, want %v", got.AUC, want)
		}
		if pairs > 0 && !(0 <= got.AUC.Low && got.AUC.Low <= got.AUC.Mean && got.AUC.Mean <= got.AUC.High && got.AUC.High <= 1) {
			t.Errorf("bounds of %+v", got.AUC)
		}
	})
}
