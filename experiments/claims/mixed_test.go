package claims

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// anyFinding draws p values as tests give them: one sign at most is shown, and equivalence or not.
func anyFinding(t *rapid.T) stats.Finding {
	p := rapid.SampledFrom([]float64{.0001, .004, .012, .02, .03, .045, .049, .06, .2, .7, 1})
	f := found(p.Draw(t, "sign"), 1, p.Draw(t, "none"))
	if rapid.Bool().Draw(t, "other side") {
		f.Supported, f.Opposed = f.Opposed, f.Supported
	}
	return f
}

// alone is the answer to a claim whose settings have these findings, in a paper of its own.
func alone(combine string, findings ...stats.Finding) Verdict {
	list := []Verdict{*verdictOf(record.Claim{Says: "above", Combine: combine}, findings...)}
	Together(list)
	return list[0]
}

// For all settings of a claim:
//   - their order changes nothing,
//   - one more that is supported never turns "supported" into "no difference" or "opposed",
//   - a sign that is shown, after correction, is never "no difference", of a setting or of the
//     claim: no claim is that or opposed at a setting's cost which is supported,
//   - a mixed claim has both a supported setting and an unsupported setting.
func TestAnswerLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		combine := rapid.SampledFrom([]string{"", mostOf, anyOf}).Draw(t, "combine")
		findings := rapid.SliceOfN(rapid.Custom(anyFinding), 1, 7).Draw(t, "findings")
		v := alone(combine, findings...)

		order := rapid.Permutation(findings).Draw(t, "order")
		if w := alone(combine, order...); w.Answer != v.Answer || w.P != v.P || strings.Split(w.Outcome(), ", needs")[0] != strings.Split(v.Outcome(), ", needs")[0] {
			t.Fatalf("%s, and in another order %s", v.Outcome(), w.Outcome())
		}

		w := alone(combine, append(slices.Clone(findings), rapid.Custom(anyFinding).Draw(t, "one more"))...)
		if added := w.Settings[len(findings)].Answer; v.Answer == stats.Supported && added == stats.Supported && (w.Answer == stats.NoDifference || w.Answer == stats.Opposed) {
			t.Fatalf("%s, and with one more setting that is supported %s", v.Outcome(), w.Outcome())
		}

		s, o, n := v.Count(stats.Supported), v.Count(stats.Opposed), v.Count(stats.NoDifference)
		supported, opposed := v.P.Supported <= stats.Alpha, v.P.Opposed <= stats.Alpha
		switch v.Answer {
		case stats.NoDifference:
			if supported || opposed || s > 0 || n == 0 {
				t.Fatalf("a sign is shown: %s, %+v", v.Outcome(), v.P)
			}
		case stats.Opposed:
			if combine != anyOf && s > 0 {
				t.Fatalf("hides that it is supported somewhere: %s", v.Outcome())
			}
		case stats.Mixed:
			if s == 0 || o+n == 0 && !opposed || supported || combine == anyOf {
				t.Fatalf("%s", v.Outcome())
			}
		}
		var ps, po []float64
		for _, f := range findings {
			ps, po = append(ps, f.Supported), append(po, f.Opposed)
		}
		ps, po = stats.Holm(ps), stats.Holm(po)
		for i, setting := range v.Settings {
			if setting.Answer == stats.NoDifference && min(ps[i], po[i]) <= stats.Alpha {
				t.Fatalf("setting %d: its sign is shown (%v, %v), and it is %s", i, ps[i], po[i], setting.Answer)
			}
		}
	})
}

// TestSignOutlivesCorrection: the case of pkpo-keeps-more. Its effect is surely above 0 and, before the
// correction for the other claims of the paper, surely below delta. The correction takes the
// second away, and the first stays.
func TestSignOutlivesCorrection(t *testing.T) {
	list := []Verdict{*verdictOf(record.Claim{Says: "above"}, found(.0001, 1, .0264))}
	for range 43 {
		list = append(list, *verdictOf(record.Claim{Says: "above"}, found(.03, 1, .5)))
	}
	Together(list)
	if v := list[0]; v.Answer != stats.Supported || v.Outcome() != "supported, by less than delta" {
		t.Errorf("%s: %+v", v.Outcome(), v.Among)
	}
}

// TestNoDifferenceOutlivesCorrection: the opposite case. The other claims of the paper take the
// sign, and the effect is still too small to matter, at the settings too.
func TestNoDifferenceOutlivesCorrection(t *testing.T) {
	for _, of := range [][]stats.Finding{
		{found(.03, 1, .0001)},
		{found(1, .03, .0001)},
		{found(1, .0103, .0001), found(1, .0115, .0001)},
	} {
		list := []Verdict{*verdictOf(record.Claim{Says: "above"}, of...)}
		for range 9 {
			list = append(list, *verdictOf(record.Claim{Says: "above"}, found(.9, .9, .0001)))
		}
		Together(list)
		if v := list[0]; v.Outcome() != "no difference" {
			t.Errorf("%+v: %s: %+v", of, v.Outcome(), v.Among)
		}
	}
}

// TestOpposedIsNotSmall: an effect against the claim that may be large is not "no difference", also
// where the correction among the claims of a paper, answer by answer, would leave that.
func TestOpposedIsNotSmall(t *testing.T) {
	list := []Verdict{*verdictOf(record.Claim{Says: "above"}, found(1, .03, .9))}
	for range 9 {
		list = append(list, *verdictOf(record.Claim{Says: "above"}, found(.9, .9, .0001)))
	}
	Together(list)
	if v := list[0]; v.Answer != stats.Undecided {
		t.Errorf("%s: %+v", v.Outcome(), v.Among)
	}
}

// TestMixedIsCounted: a mixed claim counts its settings by answer, in every form.
func TestMixedIsCounted(t *testing.T) {
	findings := []stats.Finding{found(1, .0001, .9)}
	for range 3 {
		findings = append(findings, found(.0001, 1, .9))
	}
	for range 4 {
		findings = append(findings, found(.6, 1, .0001))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(findings), func(i, j int) { findings[i], findings[j] = findings[j], findings[i] })
	v := alone("", findings...)
	v.Claim.Name, v.Claim.Metrics, v.Claim.A, v.Claim.B = "c", []string{"pass@1"}, "a", []string{"b"}
	const want = "mixed: 3 of 8 supported, 1 opposed, 4 no difference"
	if got := v.Outcome(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	list := []Verdict{v}
	for name, text := range map[string]string{"text": Text(v), "table": Table(list), "Markdown": Markdown(list)} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", name, want, text)
		}
	}
	if text := LaTeX(list); !strings.Contains(text, "mixed") || !strings.Contains(text, "8: 3 supported, 1 opposed, 4 no difference") {
		t.Errorf("LaTeX:\n%s", text)
	}
	if text := Tally(list); text != "1 claim: 1 mixed" {
		t.Error(text)
	}
}

// TestLessThanDelta: for a sign, the outcome counts the settings whose effect is surely too
// small to matter.
func TestLessThanDelta(t *testing.T) {
	large, small := found(.0001, 1, .9), found(.0001, 1, .0001)
	for _, c := range []struct {
		combine  string
		findings []stats.Finding
		want     string
	}{
		{"", []stats.Finding{large}, "supported"},
		{"", []stats.Finding{small}, "supported, by less than delta"},
		{"", []stats.Finding{small, small}, "supported, by less than delta"},
		{"", []stats.Finding{small, large, large}, "supported, at 1 of 3 by less than delta"},
		{mostOf, []stats.Finding{small, large, found(1, .0001, .0001)}, "supported, at 1 of 2 by less than delta (2 supported, 1 opposed of 3)"},
		{"", []stats.Finding{found(1, .0001, .0001)}, "opposed, by less than delta"},
	} {
		if v := alone(c.combine, c.findings...); v.Outcome() != c.want {
			t.Errorf("%q, want %q", v.Outcome(), c.want)
		}
	}
}
