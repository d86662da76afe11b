package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// Reproduction is what a claim came to.
type Reproduction string

// What a claim may come to: its gate holds at every setting, at some or at none of
// those that have a verdict, or none has one: its metric is defined nowhere, or seeds are
// too few.
const (
	Reproduced    Reproduction = "reproduced"
	PartlySo      Reproduction = "in part"
	NotReproduced Reproduction = "not reproduced"
	Underpowered  Reproduction = "underpowered"
	Undefined     Reproduction = "undefined"
)

// A ClaimVerdict is a claim with what all of its settings came to.
type ClaimVerdict struct {
	Spec, Source string // of the spec; the claim has a source of its own
	Claim        record.Claim
	Settings     []Setting
	Verdict      Reproduction
	Holds        int // settings where the gate holds
	Judged       int // settings with a verdict
}

// Verdicts judges every claim of a run.
func Verdicts(run *record.Run) ([]ClaimVerdict, error) {
	var out []ClaimVerdict
	f := newEnds(run)
	for _, c := range run.Claims {
		settings, err := f.judge(c)
		if err != nil {
			return nil, err
		}
		v := ClaimVerdict{Spec: run.Spec, Source: run.Source, Claim: c, Settings: settings}
		for _, s := range settings {
			if s.Reason == "" {
				v.Judged++
			}
			if s.Holds {
				v.Holds++
			}
		}
		switch {
		case v.Judged == 0 && !v.few():
			v.Verdict = Undefined
		case v.Judged == 0:
			v.Verdict = Underpowered
		case v.Holds == v.Judged:
			v.Verdict = Reproduced
		case v.Holds == 0:
			v.Verdict = NotReproduced
		default:
			v.Verdict = PartlySo
		}
		out = append(out, v)
	}
	return out, nil
}

// few says that some setting has too few seeds for a verdict.
func (v *ClaimVerdict) few() bool {
	return slices.ContainsFunc(v.Settings, func(s Setting) bool { return s.few() })
}

// SeedsReason says why a verdict takes the seeds it takes, in a line, where some setting of
// the claims has fewer; "" where none has.
func SeedsReason(verdicts []ClaimVerdict) string {
	if slices.ContainsFunc(verdicts, func(v ClaimVerdict) bool { return v.few() }) {
		return seedsReason
	}
	return ""
}

// Outcome is the verdict in words, with counts where settings disagree or some have none:
// "in part: 2 of 6 (1 without a verdict)".
func (v *ClaimVerdict) Outcome() string {
	text := string(v.Verdict)
	if v.Verdict == PartlySo {
		text += fmt.Sprintf(": %d of %d", v.Holds, v.Judged)
	}
	if without := len(v.Settings) - v.Judged; without > 0 && v.Judged > 0 {
		text += fmt.Sprintf(" (%d without a verdict)", without)
	}
	return text
}

// Effect is the effect in words: at the one setting with its interval, or the least and the
// largest of several, in the unit of the metric; "n/a" where it is not defined.
func (v *ClaimVerdict) Effect() string {
	var means []float64
	for _, s := range v.Settings {
		if !math.IsNaN(s.Effect.Mean) {
			means = append(means, s.Effect.Mean)
		}
	}
	sign := len(v.Claim.B) > 0
	switch {
	case len(means) == 0:
		return "n/a"
	case len(v.Settings) == 1:
		return effectOf(v.Settings[0].Effect, sign)
	}
	format := "%.3g to %.3g (%d settings)"
	if sign {
		format = "%+.3g to %+.3g (%d settings)"
	}
	if ofDeviations(v.Claim) {
		format = "sd " + format
	}
	return fmt.Sprintf(format, slices.Min(means), slices.Max(means), len(v.Settings))
}

func effectOf(i stats.Interval, sign bool) string {
	if math.IsNaN(i.Low) {
		return fmt.Sprintf("sd %+.3g", i.Mean)
	}
	mean, bounds := "%.3g", " [%.3g, %.3g]"
	if sign {
		mean, bounds = "%+.3g", " [%+.3g, %+.3g]"
	}
	text := fmt.Sprintf(mean, i.Mean)
	if !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) { // few seeds have no interval
		text += fmt.Sprintf(bounds, i.Low, i.High)
	}
	return text
}

// metricText names the metrics of the claim.
func (v *ClaimVerdict) metricText() string { return strings.Join(v.Claim.Metrics, ", ") }

// verdictHead says how the table is to be read.
const verdictHead = `reproduced: the claim's gate holds at every setting of its spec; in part: at some; not
reproduced: at none; underpowered: too few seeds for a verdict. The effect is that of a
less b after training in the unit of the metric, over seeds that share problems [95%
interval], or a's value where a claim compares with nothing; sd: that of the deviations
over seeds, where the gate is about nothing else. Of several settings it is the least and
the largest. Below it is the paper's own number, of its own models and tasks. bench run
SPEC shows every setting.
`

// VerdictText is the table of claims, spec by spec, for a terminal. The paper's own
// number, where a claim has one, stands below the effect.
func VerdictText(verdicts []ClaimVerdict) string {
	var b strings.Builder
	b.WriteString(verdictHead)
	last := "\n" + tally(verdicts) + "\n"
	if why := SeedsReason(verdicts); why != "" {
		last = "\n" + why + last
	}
	for len(verdicts) > 0 {
		n := slices.IndexFunc(verdicts, func(v ClaimVerdict) bool { return v.Spec != verdicts[0].Spec })
		if n < 0 {
			n = len(verdicts)
		}
		b.WriteString("\n" + verdicts[0].Spec)
		if source := verdicts[0].Source; source != "" {
			fmt.Fprintf(&b, " (%s)", source)
		}
		b.WriteString("\n" + specText(verdicts[:n]))
		verdicts = verdicts[n:]
	}
	return b.String() + last
}

// specText is the table of one spec's claims.
func specText(verdicts []ClaimVerdict) string {
	var rows [][]string
	width := 0 // of the verdicts, before which the effects stand
	for _, v := range verdicts {
		text := v.Claim.Text
		if v.Claim.Source != "" {
			text += " (" + v.Claim.Source + ")"
		}
		rows = append(rows, []string{v.Outcome(), v.Effect(), v.metricText(), text})
		width = max(width, utf8.RuneCountInString(v.Outcome()))
	}
	var b strings.Builder
	for i, line := range slices.Collect(strings.Lines(indent(alignColumns(rows)))) {
		b.WriteString(line)
		if paper := verdicts[i].Claim.Paper; paper != "" {
			fmt.Fprintf(&b, "  %*s  paper: %s\n", width, "", paper)
		}
	}
	return b.String()
}

// VerdictMarkdown is the table of claims as Markdown.
func VerdictMarkdown(verdicts []ClaimVerdict) string {
	var b strings.Builder
	b.WriteString("| spec | claim | paper | metric | verdict | effect |\n|---|---|---|---|---|---|\n")
	for _, v := range verdicts {
		cells := []string{v.Claim.Text, sourceText(v.Claim), v.metricText(), v.Outcome(), v.Effect()}
		for i := range cells {
			cells[i] = markdownText(cells[i])
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Spec, strings.Join(cells, " | "))
	}
	b.WriteString("\n" + tally(verdicts) + "\n")
	return b.String()
}

// tally counts the verdicts.
func tally(verdicts []ClaimVerdict) string {
	var words []string
	for _, kind := range []Reproduction{Reproduced, PartlySo, NotReproduced, Underpowered, Undefined} {
		n := 0
		for _, v := range verdicts {
			if v.Verdict == kind {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, kind))
		}
	}
	noun := "claims"
	if len(verdicts) == 1 {
		noun = "claim"
	}
	return fmt.Sprintf("%d %s: %s", len(verdicts), noun, strings.Join(words, ", "))
}
