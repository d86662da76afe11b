package claims

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// synthetic is a run with these values of a metric after training, seed by seed, of each variant.
func synthetic(t *testing.T, metric string, values map[string][]float64, claims ...record.Claim) *record.Run {
	t.Helper()
	run := &record.Run{Dir: t.TempDir()}
	run.Cells, run.Claims = "cells", claims
	for label, of := range values {
		v := record.Variant{Label: label, Name: label, Method: label}
		for seed, x := range of {
			ref := record.Ref{Seed: seed, ID: fmt.Sprintf("%s-%d", label, seed)}
			line, err := json.Marshal(record.Eval{Metrics: map[string]float64{metric: x}})
			if err == nil {
				err = os.MkdirAll(run.Folder(ref), 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(run.Folder(ref), record.EvalFile), append(line, '\n'), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			v.Cells = append(v.Cells, ref)
		}
		run.Variants = append(run.Variants, v)
	}
	return run
}

// TestNullComparison: a claim is untestable where its null comparison is supported too, by the
// same rule at the same seeds, and otherwise its answer does not change.
func TestNullComparison(t *testing.T) {
	around := func(mean float64) (out []float64) {
		for i := range 12 {
			out = append(out, mean+float64(i%5-2)/200+float64(i)/1000)
		}
		return out
	}
	loses := func(by float64) record.Claim {
		return record.Claim{Name: "c", Text: "GRPO loses problems", A: "grpo", Says: "above", By: by, Metrics: []string{"lost"}, Null: &record.Null{A: "again"}}
	}
	than := record.Claim{Name: "c", Text: "GRPO loses more", A: "grpo", B: []string{"poly-epo"}, Says: "above", Metrics: []string{"lost"}, Null: &record.Null{A: "again", B: []string{"base"}}}
	values := map[string][]float64{"grpo": around(.25), "poly-epo": around(.06), "again": around(.1), "base": around(.02)}
	for _, c := range []struct {
		reason string
		claim  record.Claim
		again  float64
		want   stats.Answer
	}{
		{"both hold: a fresh pool of the base loses as much", loses(.02), .1, stats.Untestable},
		{"the claim alone holds", loses(.15), .1, stats.Supported},
		{"the null comparison alone holds", loses(.4), .5, stats.Untestable},
		{"neither holds", loses(.4), .1, stats.Opposed},
		{"the null comparison is the other way round", than, -.1, stats.Supported},
		{"against a side of its own", than, .1, stats.Untestable},
	} {
		values["again"] = around(c.again)
		plain := c.claim
		plain.Name, plain.Null = "plain", nil
		run := synthetic(t, "lost", values, c.claim, plain)
		verdicts, err := Judge(run)
		if err != nil {
			t.Fatal(err)
		}
		v, without := verdicts[0], verdicts[1]
		if v.Answer != c.want {
			t.Errorf("%s: %s, want %s: %s", c.reason, v.Outcome(), c.want, Text(v))
		}
		if untestable := c.want == stats.Untestable; untestable != strings.Contains(v.Outcome(), "its null comparison is supported too: again above ") || untestable != (v.Null.Answer == stats.Supported) {
			t.Errorf("%s: %s, and of the null comparison %s", c.reason, v.Outcome(), v.Null.Outcome())
		}
		if c.want != stats.Untestable && (without.Answer != v.Answer || fmt.Sprint(without.P) != fmt.Sprint(v.P)) {
			t.Errorf("%s: %s with a null comparison, %s without", c.reason, v.Outcome(), without.Outcome())
		}
		if c.want == stats.Untestable {
			// It counts neither way.
			if fmt.Sprint(without.Among) != fmt.Sprint(without.P) {
				t.Errorf("%s: the other claim is corrected for it: %+v, by itself %+v", c.reason, without.Among, without.P)
			}
			plans, _, err := Plan(synthetic(t, "lost", values, c.claim), MaxTabular)
			if err != nil || plans[0].Testable != 0 {
				t.Errorf("%s: planned as testable at %d settings (%v)", c.reason, plans[0].Testable, err)
			}
		}
	}
}

// TestNullOfFewSeeds: as a claim is not supported by less than six seeds, so is its null
// comparison not.
func TestNullOfFewSeeds(t *testing.T) {
	claim := record.Claim{Name: "c", A: "grpo", Says: "above", Metrics: []string{"lost"}, Null: &record.Null{A: "again"}}
	verdicts, err := Judge(synthetic(t, "lost", map[string][]float64{"grpo": {.1, .2, .3}, "again": {.1, .2, .3}}, claim))
	if err != nil || verdicts[0].Answer != stats.Undecided {
		t.Errorf("%s (%v)", verdicts[0].Outcome(), err)
	}
}

// TestTakenBack: a claim that names a reason why it is untestable is untestable whatever the
// result of the seeds, with its effects and p values unchanged. Nothing else moves: not the
// other claims of its paper, nor the registration.
func TestTakenBack(t *testing.T) {
	values := map[string][]float64{"grpo": {}, "poly-epo": {}}
	for i := range 12 {
		values["grpo"] = append(values["grpo"], .25+float64(i)/1000)
		values["poly-epo"] = append(values["poly-epo"], .25+float64(i*i%7-3)/50)
	}
	asked := record.Claim{Name: "c", A: "grpo", Says: "above", By: .02, Metrics: []string{"lost"}}
	other := record.Claim{Name: "other", A: "grpo", B: []string{"poly-epo"}, Says: "above", Metrics: []string{"lost"}}
	taken := asked
	taken.Untestable = "the base policy loses as much against itself"
	judged := func(c record.Claim) (*record.Run, []Verdict) {
		run := synthetic(t, "lost", values, c, other)
		verdicts, err := Judge(run)
		if err != nil {
			t.Fatal(err)
		}
		Together(verdicts) // as among the claims of several specs
		return run, verdicts
	}
	run, was := judged(asked)
	without, is := judged(taken)
	if got := is[0].Outcome(); was[0].Answer != stats.Supported || is[0].Answer != stats.Untestable || got != "untestable here: the base policy loses as much against itself" {
		t.Errorf("it was %s and is %s", was[0].Outcome(), got)
	}
	if a, b := fmt.Sprint(was[0].P, was[0].Among, was[0].Effect(), was[0].Settings[0].Finding), fmt.Sprint(is[0].P, is[0].Among, is[0].Effect(), is[0].Settings[0].Finding); a != b {
		t.Errorf("numbers moved from %s to %s", a, b)
	}
	if a, b := fmt.Sprint(was[1].P, was[1].Among, was[1].Outcome()), fmt.Sprint(is[1].P, is[1].Among, is[1].Outcome()); a != b {
		t.Errorf("the other claim moved from %s to %s", a, b)
	}
	for i := range run.Variants { // the parts that a registration reads
		run.Variants[i].Cells, without.Variants[i].Cells = run.Variants[i].Cells[:1], without.Variants[i].Cells[:1]
	}
	before := Register("s", "transformer", "", run.Manifest, Pilot{})
	now := Register("s", "transformer", "", record.Manifest{Variants: run.Variants, Claims: without.Claims}, Pilot{})
	if diff := before.Match(now); diff != "" {
		t.Errorf("the registration does not hold: %s", diff)
	}
	doc, old := NewDocument(now, is, is), NewDocument(before, was, was)
	if doc.Claims[0].Family != old.Claims[0].Family || fmt.Sprint(doc.Claims[0].P) != fmt.Sprint(old.Claims[0].P) || doc.Settings[0].Reason != taken.Untestable || doc.Settings[0].Effect != old.Settings[0].Effect {
		t.Errorf("the document has %+v, %+v, and had %+v, %+v", doc.Claims[0], doc.Settings[0], old.Claims[0], old.Settings[0])
	}
	kept, err := doc.Verdicts(now)
	if err != nil {
		t.Fatal(err)
	}
	Together(kept) // an answer that is kept stays taken back
	if got, want := kept[0].Outcome(), is[0].Outcome(); got != want || len(kept) != 2 || kept[1].Outcome() != is[1].Outcome() {
		t.Errorf("of the document: %s, want %s", got, want)
	}
}
