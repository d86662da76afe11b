package claims

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics/stats"
)

// A Verdict is a claim with the answer of the seeds.
type Verdict struct {
	Spec     string
	Source   string // of the spec; the claim has a source of its own
	Claim    record.Claim
	Settings []Setting
	// P is the p value of each answer to the claim as a whole, and Among the same after
	// Benjamini and Hochberg's correction over the claims of the paper.
	P, Among PValues
	Answer   stats.Answer
	Needs    int // seeds that an undecided claim needs; 0: it is not known
	// Pooled is the mean over settings, in units of delta, if the claim is about that.
	Pooled *stats.Finding
	Null   *Verdict // on the claim's null comparison, if it has one
}

// PValues are p values of the answers to a question. NaN: the answer cannot be given.
type PValues struct{ Supported, Opposed, NoDifference float64 }

// Judge judges every claim of a run: all of its settings, and the claims of each paper together.
func Judge(run *record.Run) ([]Verdict, error) {
	var out []Verdict
	ends := analysis.NewEnds(run)
	for _, c := range run.Claims {
		v := Verdict{Spec: run.Spec, Source: run.Source, Claim: c, Settings: settings(run.Variants, c)}
		if err := v.judge(ends, run.Variants); err != nil {
			return nil, fmt.Errorf("claim %s: %w", c.Name, err)
		}
		out = append(out, v)
	}
	Together(out)
	return out, nil
}

// judge answers the claim at each setting and as a whole, and checks the answer against its
// null comparison.
func (v *Verdict) judge(ends analysis.Ends, variants []record.Variant) error {
	if err := v.ask(ends, variants); err != nil {
		return err
	}
	claim, has := v.Claim.OfNull()
	if !has {
		return nil
	}
	null := []Verdict{{Claim: claim, Settings: settings(variants, claim)}}
	if err := null[0].ask(ends, variants); err != nil {
		return err
	}
	Together(null)
	v.Null = &null[0]
	if v.Null.Answer == stats.Supported {
		for i := range v.Settings {
			v.Settings[i].cannotTell("its null comparison is supported too: " + asked(claim))
		}
		v.combine()
	}
	return nil
}

// cannotTell makes the setting untestable, for a reason.
func (s *Setting) cannotTell(reason string) {
	s.Answer, s.Reason, s.Needs = stats.Untestable, reason, 0
	s.Finding = stats.Finding{Supported: math.NaN(), Opposed: math.NaN(), NoDifference: math.NaN()}
}

// ask answers the claim at each setting and as a whole.
func (v *Verdict) ask(ends analysis.Ends, variants []record.Variant) error {
	for i := range v.Settings {
		s := &v.Settings[i]
		x, err := s.measure(ends, v.Claim)
		if err != nil {
			return err
		}
		s.cannotTell(s.Reason)
		switch {
		case v.Claim.Says == "":
			s.Reason = "the record is too old to hold the question of the claim; run its spec again"
		case s.Reason != "":
		default:
			if s.Reason, err = s.untestable(ends, variants, x); err != nil {
				return err
			}
		}
		if s.Reason != "" {
			continue
		}
		s.Answer = stats.Undecided
		s.Finding = stats.Test(s.Contrast, question(v.Claim, s.Delta))
		if n := len(s.Contrast); n < stats.MinSeeds {
			s.Reason = fmt.Sprintf("%d %s, need %d at least", n, either(n == 1, "seed", "seeds"), stats.MinSeeds)
			s.Finding.Supported, s.Finding.Opposed, s.Finding.NoDifference = 1, 1, 1
		}
	}
	v.combine()
	return nil
}

// question is the claim's question about the mean of a contrast. Only a claim about a
// difference from 0 can be answered "no difference".
func question(c record.Claim, delta float64) stats.Question {
	return stats.Question{Direction: stats.Direction(c.Says), Within: c.By, Delta: delta, Threshold: threshold(c)}
}

// threshold reports whether the claim names a bound other than no difference.
func threshold(c record.Claim) bool { return len(c.B) == 0 || c.By != 0 || times(c) != 1 }

// testable are the settings where something could decide: those that have p values. A claim that was
// taken back has them.
func (v *Verdict) testable() []*Setting {
	var out []*Setting
	for i := range v.Settings {
		if !math.IsNaN(v.Settings[i].Finding.Supported) {
			out = append(out, &v.Settings[i])
		}
	}
	return out
}

// takeBack makes the claim untestable for the reason that it gives. Effects and p values stay as
// they were found, and the claims of its paper stay corrected for it: no other answer may come to
// be because this one went.
func (v *Verdict) takeBack() {
	if v.Claim.Untestable == "" {
		return
	}
	v.Answer, v.Needs = stats.Untestable, 0
	for i := range v.Settings {
		s := &v.Settings[i]
		s.Answer, s.Reason, s.Needs = stats.Untestable, v.Claim.Untestable, 0
	}
}

// correct answers each setting, with Holm's correction over the settings of the claim.
func (v *Verdict) correct() {
	list := v.testable()
	for i, p := range v.corrected() {
		s := list[i]
		s.Answer, s.Needs = p.answer(), 0
		if s.Answer == stats.Undecided && s.Reason == "" {
			s.Needs = needs(s.Contrast, s.unit(v.Claim), v.tests())
		}
	}
}

// corrected are the p values of the testable settings with Holm's correction. It marks the settings
// whose effect is surely too small to matter.
func (v *Verdict) corrected() []PValues {
	list := v.testable()
	ps := each.Map(list, func(s *Setting) PValues { return pValues(s.Finding) })
	ps = corrected(ps, stats.Holm)
	for i, s := range list {
		s.Small = ps[i].NoDifference <= stats.Alpha
	}
	return ps
}

func pValues(f stats.Finding) PValues { return PValues{f.Supported, f.Opposed, f.NoDifference} }

// corrected applies a rule to the p values of each answer by itself.
func corrected(ps []PValues, rule func([]float64) []float64) []PValues {
	var s, o, n []float64
	for _, p := range ps {
		s, o, n = append(s, p.Supported), append(o, p.Opposed), append(n, p.NoDifference)
	}
	s, o, n = rule(s), rule(o), rule(n)
	out := make([]PValues, len(ps))
	for i := range out {
		out[i] = PValues{s[i], o[i], n[i]}
	}
	return out
}

// answer is the answer whose p value is small enough: a sign before no difference.
func (p PValues) answer() stats.Answer {
	switch {
	case p.Supported <= stats.Alpha:
		return stats.Supported
	case p.Opposed <= stats.Alpha:
		return stats.Opposed
	case p.NoDifference <= stats.Alpha:
		return stats.NoDifference
	}
	return stats.Undecided
}

// Ways to combine settings.
const (
	mostOf = "most"
	anyOf  = "any"
	pooled = "pooled"
)

// wanted is at how many of m settings the claim has to hold.
func (v *Verdict) wanted(m int) int {
	switch v.Claim.Combine {
	case mostOf:
		return m/2 + 1
	case anyOf:
		return 1
	}
	return m
}

// tests is how many settings a setting's p value has to hold against for the claim to be
// supported: the step at which the partial conjunction needs it, least of all.
func (v *Verdict) tests() int {
	if v.Claim.Combine == pooled {
		return 1
	}
	m := len(v.testable())
	return m - v.wanted(m) + 1
}

// combine finds the p values of the whole claim. Of m settings the claim needs u. It is
// supported if u of them are, by the test of the partial conjunction (Benjamini and Heller
// 2008). It is opposed if fewer than u are left once the opposed ones are removed. It makes no
// difference if fewer than u are left once those opposed or too small to matter are removed;
// with several settings a supported one is never too small to matter, however small. A claim
// that names a threshold has no such answer, at a setting or as a whole.
func (v *Verdict) combine() {
	v.correct()
	list := v.testable()
	if len(list) == 0 {
		v.P = PValues{math.NaN(), math.NaN(), math.NaN()}
		return
	}
	if v.Claim.Combine == pooled {
		v.pool(list)
		return
	}
	var s, o, n []float64
	for _, setting := range list {
		f := setting.Finding
		none := min(f.NoDifference, f.Opposed)
		switch {
		case len(list) > 1 && setting.Answer == stats.Supported:
			none = 1
		case math.IsNaN(f.NoDifference):
			none = f.Opposed
		}
		s, o, n = append(s, f.Supported), append(o, f.Opposed), append(n, none)
	}
	u := v.wanted(len(list))
	rest := len(list) - u + 1
	v.P = PValues{stats.PartialConjunction(s, u), stats.PartialConjunction(o, rest), stats.PartialConjunction(n, rest)}
	if !slices.ContainsFunc(list, func(s *Setting) bool { return !math.IsNaN(s.Finding.NoDifference) }) {
		v.P.NoDifference = math.NaN()
	}
}

// pool tests the mean over the settings, in units of delta, of the seeds that all have.
func (v *Verdict) pool(list []*Setting) {
	mean := v.mean(list)
	q := question(v.Claim, 1)
	q.Within = 1
	f := stats.Test(mean, q)
	if len(mean) < stats.MinSeeds {
		f.Supported, f.Opposed, f.NoDifference = 1, 1, 1
	}
	v.Pooled, v.P = &f, pValues(f)
}

// mean is the contrast in units of delta, seed by seed, on average over the settings.
func (v *Verdict) mean(list []*Setting) []float64 {
	n := len(list[0].Contrast)
	for _, s := range list {
		n = min(n, len(s.Contrast))
	}
	mean := make([]float64, n)
	for i := range mean {
		xs := each.Map(list, func(s *Setting) float64 { return s.Contrast[i] / s.unit(v.Claim) })
		mean[i] = stats.Mean(xs)
	}
	return mean
}

// Together answers the claims, those of each paper with Benjamini and Hochberg's correction: of
// the claims of a paper that are called supported at most one in twenty is expected to be so
// wrongly, and of those that are called opposed, or no different, likewise.
func Together(verdicts []Verdict) {
	papers := map[string][]*Verdict{}
	for i := range verdicts {
		v := &verdicts[i]
		papers[Paper(v.Claim)] = append(papers[Paper(v.Claim)], v)
	}
	for _, list := range papers {
		ps := each.Map(list, func(v *Verdict) PValues { return v.P })
		for i, p := range corrected(ps, stats.BenjaminiHochberg) {
			list[i].Among = p
			list[i].answer()
		}
	}
}

// answer is that of the claim as a whole. It depends on p values alone, so that claims which
// were answered by themselves can be answered again among others.
func (v *Verdict) answer() {
	defer v.takeBack()
	v.correct()
	list := v.testable()
	v.Answer = v.whole(list)
	if v.Needs = 0; v.Answer == stats.Undecided {
		v.Needs = v.needs(list)
	}
	for _, s := range list {
		switch {
		// A claim about all of its settings tests each at the full level: if the claim is false
		// at all, it is false at a setting that fails its own test.
		case v.Answer == stats.Supported && v.Claim.Combine == "":
			s.Answer, s.Needs = stats.Supported, 0
		// Where the other claims of the paper take the claim's sign, and leave it no difference,
		// they take those of its settings too.
		case v.Answer == stats.NoDifference && v.Claim.Combine != pooled && min(v.P.Supported, v.P.Opposed) <= stats.Alpha && s.Small:
			s.Answer = stats.NoDifference
		}
	}
}

// whole is the answer to the whole claim: the first of these that is shown. A claim is mixed if
// it is not supported as a whole, but supported at some of its settings and opposed or without
// a difference at others. A claim that has to hold at any setting, or in their mean, is never
// mixed: it allows for settings that differ.
func (v *Verdict) whole(list []*Setting) stats.Answer {
	every := v.Claim.Combine == "" || v.Claim.Combine == mostOf
	answer, against := v.Among.answer(), v.Count(stats.Opposed)+v.Count(stats.NoDifference)
	switch {
	case len(list) == 0:
		return stats.Untestable
	case answer == stats.Supported:
		return answer
	case every && len(list) > 1 && v.Count(stats.Supported) > 0 && (against > 0 || answer == stats.Opposed):
		return stats.Mixed
	case answer == stats.NoDifference && !v.small(list):
		return stats.Undecided
	}
	return answer
}

// small reports whether the effect is known to be small: in the mean, or at a setting.
func (v *Verdict) small(list []*Setting) bool {
	taken := min(v.P.Supported, v.P.Opposed) <= stats.Alpha // the sign, if it is no answer here, by the other claims
	return v.Claim.Combine == pooled || slices.ContainsFunc(list, func(s *Setting) bool {
		return s.Answer == stats.NoDifference || taken && s.Small && (s.Answer != stats.Supported || len(list) == 1)
	})
}

// needs is how many seeds the undecided settings need that the claim waits for, or their mean.
func (v *Verdict) needs(list []*Setting) int {
	if v.Claim.Combine == pooled {
		return needs(v.mean(list), 1, 1)
	}
	var open []int
	for _, s := range list {
		if s.Answer == stats.Undecided && s.Needs > 0 {
			open = append(open, s.Needs)
		}
	}
	switch {
	case len(open) == 0:
		return 0
	case v.Claim.Combine == anyOf:
		return slices.Min(open)
	}
	return slices.Max(open)
}

// needs is the number of seeds that would decide, with the present scatter of the contrast:
// enough to show an effect of delta, or the measured effect if it is larger, with 90% power,
// and more than the present number. It is 0 if it is unknown.
func needs(contrast []float64, delta float64, tests int) int {
	n := stats.PlanAnswer(stats.Deviation(contrast), max(delta, math.Abs(stats.Mean(contrast))), tests)
	if n == 0 || len(contrast) < 2 {
		return 0
	}
	return max(n, len(contrast)+1)
}

// ourOwn is the paper of claims that are of no paper.
const ourOwn = "our own"

// Paper names the paper of a claim: the start of its source, up to the place in the paper.
func Paper(c record.Claim) string {
	paper := strings.TrimSpace(place.Split(c.Source, 2)[0])
	if paper == "" || paper == "none" || strings.HasPrefix(paper, "bench ") {
		return ourOwn
	}
	return paper
}

// place matches the start of a place in a paper.
var place = regexp.MustCompile(`\s+(figs?\.|tables?\b|secs?\.|app\.|eqs?\.)|[:,(]`)
