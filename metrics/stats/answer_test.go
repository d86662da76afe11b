package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// same reports whether two numbers are equal, NaN to NaN.
func same(a, b float64) bool { return a == b || a != a && b != b }

// same12 are twelve units that agree.
func same12(x float64) []float64 { return slices.Repeat([]float64{x}, 12) }

func TestAnswers(t *testing.T) {
	up := []float64{1.1, 0.9, 1.3, 0.7, 1.05, 0.95, 1.2, 0.8, 1.15, 0.85}
	none := []float64{0.1, -0.1, 0.15, -0.05, 0, 0.02, -0.12, 0.08, -0.03, 0.05}
	for _, test := range []struct {
		reason string
		x      []float64
		ask    Question
		want   Answer
	}{
		{"ten of ten above", up, Question{Direction: Above, Delta: 0.5}, Supported},
		{"the claim says below", up, Question{Direction: Below, Delta: 0.5}, Opposed},
		{"below, as claimed", negated(up), Question{Direction: Below, Delta: 0.5}, Supported},
		{"surely above 0, and surely too small to matter", up, Question{Direction: Above, Delta: 3}, NoDifference},
		{"around 0, and near it", none, Question{Direction: Above, Delta: 0.5}, NoDifference},
		{"around 0, but not near enough", none, Question{Direction: Above, Delta: 0.02}, Undecided},
		{"no smallest effect that matters", none, Question{Direction: Above}, Undecided},
		{"five units: 2/32 is above .05", up[:5], Question{Direction: Above, Delta: 0.5}, Undecided},
		{"the same, within a margin", none, Question{Direction: Same, Within: 0.5}, Supported},
		{"not the same", up, Question{Direction: Same, Within: 0.5}, Opposed},
		{"not the same, below", negated(up), Question{Direction: Same, Within: 0.5}, Opposed},
		{"near the margin", up, Question{Direction: Same, Within: 1}, Undecided},
		{"the same within nothing", none, Question{Direction: Same}, Undecided},
		{"ten units that agree say nothing of a rare event", make([]float64, 10), Question{Direction: Above, Delta: 1}, Undecided},
		{"18 of 20 that agree: (18/20)^20 = .12", append(make([]float64, 18), 0.1, -0.1), Question{Direction: Above, Delta: 1}, Undecided},
		{"17 of 20 that agree: (17/20)^20 = .04", append(make([]float64, 17), 0.1, 0.2, -0.1), Question{Direction: Above, Delta: 1}, NoDifference},
		{"units that agree on an effect that does not matter", same12(0.1), Question{Direction: Above, Delta: 0.5}, Undecided},
		{"nor a threshold", same12(0.1), Question{Direction: Above, Delta: 0.5, Threshold: true}, Undecided},
		{"nor against the claim", same12(0.1), Question{Direction: Below, Delta: 0.5, Threshold: true}, Undecided},
		{"nor where a few differ: (10/12)^12 = .11", append(same12(0.3)[:10], 0.9, 1), Question{Direction: Above, Delta: 0.5}, Undecided},
		{"where more do they say something: (9/12)^12 = .03", append(same12(0.3)[:9], 0.9, 0.95, 1), Question{Direction: Above, Delta: 0.5}, Supported},
		{"units that agree on an effect that matters", same12(1), Question{Direction: Above, Delta: 0.5}, Supported},
		{"on one as large as what matters", same12(0.52 - 0.5), Question{Direction: Above, Delta: 0.02}, Supported},
		{"without a delta nothing is near 0", same12(0.1), Question{Direction: Above}, Supported},
		{"a threshold has no answer but its sides", none, Question{Direction: Above, Delta: 0.5, Threshold: true}, Undecided},
		{"above a threshold by less than delta", []float64{0.1, 0.12, 0.09, 0.11, 0.13, 0.08}, Question{Direction: Above, Delta: 0.5, Threshold: true}, Supported},
		{"no direction", up, Question{Delta: 1}, Undecided},
		{"no units", nil, Question{Direction: Above, Delta: 1}, Undecided},
		{"a NaN", append(none, math.NaN()), Question{Direction: Above, Delta: 1}, Undecided},
		{"an infinity", append(up, math.Inf(1)), Question{Direction: Above, Delta: 1}, Undecided},
		{"the mean overflows", []float64{1e308, 1e308, 1e308}, Question{Direction: Above, Delta: 1}, Undecided},
	} {
		if got := Test(test.x, test.ask); got.answer() != test.want || got.N != len(test.x) {
			t.Errorf("%s: got %s of %+v, want %s", test.reason, got.answer(), got, test.want)
		}
	}
}

// TestTestAgainstPairedTest: neither of two tests may be passed over. Nearly equal
// values are as far from 0 as can be to Student's test, and not to the sign-flip test.
func TestTestAgainstPairedTest(t *testing.T) {
	x := []float64{1, 1, 1, 1, 1, 1, 2}
	got := Test(x, Question{Direction: Above, Delta: 1})
	if want := PairedTest(x); got.Supported != want || got.Opposed != 1 || got.Effect != MeanInterval(x) {
		t.Errorf("got %+v, want p = %v", got, want)
	}
	// Six values above 0, with a tail towards it: 2/64 by their signs.
	x = []float64{2, 2.1, 2.2, 2.3, 0.3, 0.02}
	if got, least := Test(x, Question{Direction: Above}), PairedTest(x); least != 2.0/64 || !(got.Supported > 1.5*least) {
		t.Errorf("got %+v, want p well above %v", got, least)
	}
}

// TestTestLaws: the order of the units does not matter; nor does which side is called
// new; a shift of claim and values neither, up to rounding.
func TestTestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 16).Draw(t, "n")
		whole := rapid.SliceOfN(rapid.IntRange(-8, 9), n, n).Draw(t, "x")
		x, sum := make([]float64, n), 0
		for i, v := range whole {
			x[i] = float64(v) / 8
			sum += v
		}
		ask := Question{Direction: rapid.SampledFrom([]Direction{Above, Below, Same}).Draw(t, "says"), Delta: 0.5, Within: 0.75, Threshold: rapid.Bool().Draw(t, "threshold")}
		found := Test(x, ask)
		for _, p := range []float64{found.Supported, found.Opposed, found.NoDifference} {
			if !(p > 0 && p <= 1) && !((ask.Direction == Same || ask.Threshold) && math.IsNaN(p)) {
				t.Errorf("%+v", found)
			}
		}
		shuffled := rapid.Permutation(x).Draw(t, "shuffled")
		if got := Test(shuffled, ask); !same(got.NoDifference, found.NoDifference) || got.Supported != found.Supported || got.Opposed != found.Opposed {
			t.Errorf("shuffled: %+v, was %+v", got, found)
		}
		if sum == 0 {
			return
		}
		other := ask
		switch ask.Direction {
		case Above:
			other.Direction = Below
		case Below:
			other.Direction = Above
		}
		if got := Test(negated(x), other); !same(got.NoDifference, found.NoDifference) || got.Supported != found.Supported || got.Opposed != found.Opposed {
			t.Errorf("negated: %+v, was %+v", got, found)
		}
	})
}

// answer is the answer to one question alone, for the published error rates: no difference before
// a sign, so that an effect that is surely too small to matter counts as that.
func (f Finding) answer() Answer {
	switch {
	case f.NoDifference <= Alpha:
		return NoDifference
	case f.Supported <= Alpha:
		return Supported
	case f.Opposed <= Alpha:
		return Opposed
	}
	return Undecided
}
