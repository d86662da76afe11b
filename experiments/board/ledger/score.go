package ledger

import (
	"maps"
	"math"
	"slices"

	"modebench/metrics/stats"
)

// A Difference is a board's answer to a question: how far a method is above another method, or above
// Base, in a metric, with an interval. A board that pairs its runs gives a paired interval. The answer is
// false if the board does not have it: a method that was not run, or a metric that is not kept.
type Difference func(method, against, metric string) (stats.Interval, bool)

// Scored are the answers of a board to a ledger, and counts of them.
type Scored struct {
	Answers []Answer // to the rows that the board can answer, in the order of the ledger
	// Counts are of all rows, of each of Kinds, and of the rows whose source was seen.
	Counts []Count
}

// An Answer is that of a board to a row of the ledger.
type Answer struct {
	Sign    *Sign
	Agrees  bool // the difference itself has a published sign
	Verdict Verdict
}

// A Verdict is the decision of a difference's interval.
type Verdict int

// The verdicts. A difference without bounds is undecided.
const (
	Undecided Verdict = iota
	Right             // the whole interval has a published sign
	Wrong             // no part of the interval has one
)

// A Count has the rows of a part of the ledger, and the answers of a board to them.
type Count struct {
	Part     string // "all", a kind, or "checked"
	Rows     int
	Asked    int // rows with a question
	Answered int // rows that the board can answer
	Agree    int // answers that agree by the difference itself

	Right, Wrong, Undecided int // verdicts: Answered in all

	// Share is Agree/Answered with its 95% interval over methods: rows about one method share its runs, so
	// they are drawn together (stats.RatioInterval of the counts of each method). Its bounds are clipped to
	// [0, 1], where the share is anyway. N is the number of methods. The bounds are NaN if there are few methods, or if most rows
	// are about one of them. The share is NaN without an answer.
	Share stats.Interval
}

// Score asks a board all questions of a ledger. The margin is in the unit of the differences, 0 or more:
// a sign of 0 agrees up to it, on either side. A margin of 0 leaves nothing level but equal numbers.
func Score(l *Ledger, margin float64, difference Difference) *Scored {
	out := &Scored{}
	for i := range l.Signs {
		s := &l.Signs[i]
		if !s.Asked() {
			continue
		}
		d, ok := difference(s.Method, s.Against, s.Metric)
		if !ok || math.IsNaN(d.Mean) {
			continue
		}
		agrees, verdict := s.judge(d, margin)
		out.Answers = append(out.Answers, Answer{Sign: s, Agrees: agrees, Verdict: verdict})
	}
	out.Counts = append(out.Counts, out.count(l, "all", func(*Sign) bool { return true }))
	for _, kind := range Kinds {
		out.Counts = append(out.Counts, out.count(l, kind, func(s *Sign) bool { return s.Kind == kind }))
	}
	out.Counts = append(out.Counts, out.count(l, "checked", func(s *Sign) bool { return s.Checked }))
	return out
}

// judge compares a difference with the signs of the row. The differences that have one of them lie in one
// piece.
func (s *Sign) judge(d stats.Interval, margin float64) (agrees bool, v Verdict) {
	has := func(x float64) bool {
		return x > 0 && slices.Contains(s.Signs, 1) || x < 0 && slices.Contains(s.Signs, -1) || math.Abs(x) <= margin && slices.Contains(s.Signs, 0)
	}
	around := d.Low <= 0 && d.High >= 0 && has(0) // level alone may lie between the ends
	switch low, high := has(d.Low), has(d.High); {
	case math.IsNaN(d.Low) || math.IsNaN(d.High):
		v = Undecided
	case low && high:
		v = Right
	case !low && !high && !around:
		v = Wrong
	}
	return has(d.Mean), v
}

// count counts a part of the ledger and the answers to it.
func (r *Scored) count(l *Ledger, part string, in func(*Sign) bool) Count {
	c := Count{Part: part}
	for i := range l.Signs {
		if s := &l.Signs[i]; in(s) {
			c.Rows++
			c.Asked += b2i(s.Asked())
		}
	}
	agree, answered := map[string]int{}, map[string]int{}
	for _, a := range r.Answers {
		if !in(a.Sign) {
			continue
		}
		c.Answered++
		c.Agree += b2i(a.Agrees)
		c.Right += b2i(a.Verdict == Right)
		c.Wrong += b2i(a.Verdict == Wrong)
		c.Undecided += b2i(a.Verdict == Undecided)
		answered[a.Sign.Method]++
		agree[a.Sign.Method] += b2i(a.Agrees)
	}
	var x, y []float64
	for _, method := range slices.Sorted(maps.Keys(answered)) {
		x, y = append(x, float64(agree[method])), append(y, float64(answered[method]))
	}
	c.Share = stats.RatioInterval(x, y)
	c.Share.Low, c.Share.High = max(c.Share.Low, 0), min(c.Share.High, 1)
	return c
}

// A Separation is how well a number of a board separates methods that are published as keeping diversity
// from those that are published as losing it.
type Separation struct {
	Keeps, Loses int // methods with a number
	// AUC is the area under the ROC curve, in [0, 1]: the probability that of two methods, one of each
	// side, the keeping method has the larger number, ties counted half. Its 95% interval is over methods
	// (stats.Improvement). All is NaN if a side is empty.
	AUC stats.Interval
}

// KeepsDiversity separates methods by a number of a board, as the diversity at equal accuracy. It leaves
// out methods without a number: the answer is false, or NaN.
func (l *Ledger) KeepsDiversity(number func(method string) (float64, bool)) Separation {
	var keeps, loses []float64
	for _, m := range l.Methods {
		x, ok := number(m.Name)
		switch {
		case !ok || math.IsNaN(x):
		case *m.KeepsDiversity:
			keeps = append(keeps, x)
		default:
			loses = append(loses, x)
		}
	}
	return Separation{Keeps: len(keeps), Loses: len(loses), AUC: stats.Improvement(loses, keeps)}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
