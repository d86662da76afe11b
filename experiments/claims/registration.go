package claims

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/lined"
	"modebench/metrics"
)

// A Registration fixes the seeds that decide, before they run, and the rule that judges them.
// Its file has one possible text, so that no byte of it can change unnoticed: ReadRegistration
// accepts only the text that lined.Text would write, and Hash is the SHA-256 of the lines
// before its own.
type Registration struct {
	Version  int                 `json:"version"` // of this form: registrationVersion
	Rule     Rule                `json:"rule"`
	Spec     string              `json:"spec"`        // with the policy if it differs from the spec's own: maze-bestk-transformer
	Policy   string              `json:"policy"`      // kind
	TextSum  string              `json:"spec_sha256"` // of the spec's file
	Claims   []RegisteredClaim   `json:"claims"`
	Pilot    Pilot               `json:"pilot"`
	Seeds    Seeds               `json:"seeds"` // that decide
	Variants []RegisteredVariant `json:"variants"`
	CellsSum string              `json:"cells_sha256"` // of the ids of all cells, a line each: variant by variant, and of each the seeds
	Hash     string              `json:"hash"`
}

// A Rule is how claims are judged. Its version is raised by hand whenever a claim could come
// to another answer from the same seeds.
type Rule struct {
	Version int    `json:"version"`
	Text    string `json:"text"`
}

// CurrentRule is the rule that Judge follows.
var CurrentRule = Rule{2, "A claim is a question of the mean of a contrast, one value a seed; every seed that decides has a draw of problems of its own, and a base policy of its own where the policy has one. " +
	"Supported or opposed: the mean is on the claimed or the other side of 0 (two-sided level 0.05: the larger p value of a sign-flip test and a studentised bootstrap); units that agree on a value within delta of 0 decide nothing when few others differ. " +
	"No difference: neither sign is shown, and it is within delta of 0 (two one-sided tests, level 0.05). A claim that names a threshold (a bound, a multiple, or no second side) has no such answer. " +
	"Undecided: none of these. Untestable: both sides within 0.01 of the metric's exact optimum in the mean, or equal to 1e-9 in every seed, or not defined for most seeds, or the claim's null comparison supported too, by this rule and by itself. " +
	"Settings of a claim are corrected by Holm's rule; the claim as a whole is tested by the partial conjunction of its testable settings (Benjamini and Heller 2008), at all, most or any of them, or by their mean. " +
	"Mixed: at all or most of several settings it is not supported, and at some of them it is, and at others it is opposed or no difference. " +
	"The claims of a paper that are judged together are corrected by Benjamini and Hochberg's rule, supported, opposed and no difference each by itself. " +
	"The seeds are planned from the pilot's variance (90% power at delta, and at no effect for no difference), and are run once, all of them, before the claims are judged."}

// earlierRules are those that claims were registered under before. They find the same effects and
// p values at a setting as the current one, and other answers, so that what was registered under
// them can still be judged, by the current rule.
var earlierRules = []Rule{{1, "A claim is a question of the mean of a contrast, one value a seed; every seed that decides has a draw of problems of its own, and a base policy of its own where the policy has one. " +
	"Supported or opposed: the mean is on the claimed or the other side of 0 (two-sided level 0.05: the larger p value of a sign-flip test and a studentised bootstrap); units that agree on a value within delta of 0 decide nothing when few others differ. " +
	"No difference: it is within delta of 0 (two one-sided tests, level 0.05); a sign is no answer then. A claim that names a threshold (a bound, a multiple, or no second side) has no such answer. " +
	"Undecided: none of these. Untestable: both sides within 0.01 of the metric's exact optimum in the mean, or equal to 1e-9 in every seed, or not defined for most seeds. " +
	"Settings of a claim are corrected by Holm's rule; the claim as a whole is tested by the partial conjunction of its testable settings (Benjamini and Heller 2008), at all, most or any of them, or by their mean. " +
	"The claims of a paper that are judged together are corrected by Benjamini and Hochberg's rule, each of the three answers by itself. " +
	"The seeds are planned from the pilot's variance (90% power at delta, and at no effect for no difference), and are run once, all of them, before the claims are judged."}}

// A RegisteredClaim is a claim with the smallest effects that matter, one for each of its
// metrics, in the unit of the contrast.
type RegisteredClaim struct {
	record.Claim
	Deltas []float64 `json:"deltas"`
	// Of a claim at equal values of a metric: at how many values it is judged, and their least range.
	EqualPlaces int     `json:"equal_places,omitempty"`
	EqualLeast  float64 `json:"equal_least,omitempty"`
}

// A RegisteredVariant is a variant with the cell of the first seed that decides. The cell's id
// is a hash of all that can change its records.
type RegisteredVariant struct {
	Label string `json:"label"`
	Cell  string `json:"cell"`
}

// Seeds are Count seeds from the first on, nested as in record.Nested.
type Seeds struct {
	First  int           `json:"first"`
	Number int           `json:"number"`
	Nested record.Nested `json:"nested"`
}

// A Pilot is the seeds that a plan was made from, and the plan.
type Pilot struct {
	Seeds  Seeds       `json:"seeds"`
	Limit  int         `json:"at_most"` // seeds that decide
	Claims []ClaimPlan `json:"claims"`
}

const registrationVersion = 1

// Register registers the plan of a manifest: its variants with the cells of the seeds that
// decide. text is the SHA-256 of the spec's file, policy its kind of policy.
func Register(spec, policy, text string, planned record.Manifest, pilot Pilot) Registration {
	r := Registration{Version: registrationVersion, Rule: CurrentRule, Spec: spec, Policy: policy, TextSum: text, Pilot: pilot}
	for _, c := range planned.Claims {
		registered := RegisteredClaim{Claim: c}
		registered.Gate, registered.Untestable = "", "" // a gate decides nothing, and Untestable only takes an answer back
		for _, metric := range c.Metrics {
			registered.Deltas = append(registered.Deltas, delta(c, metric))
		}
		if c.Equal != "" {
			registered.EqualPlaces, registered.EqualLeast = metrics.PathPlaces, deltaOf(c.Equal)
		}
		r.Claims = append(r.Claims, registered)
	}
	sum := sha256.New()
	for _, v := range planned.Variants {
		r.Variants = append(r.Variants, RegisteredVariant{v.Label, v.Cells[0].ID})
		for _, ref := range v.Cells {
			fmt.Fprintln(sum, ref.ID)
		}
		r.Seeds = Seeds{v.Cells[0].Seed, len(v.Cells), planned.Nested}
	}
	r.CellsSum = hex.EncodeToString(sum.Sum(nil))
	r.Hash = r.sum()
	return r
}

// hashLine begins the line of the hash, which is the last one but the bracket.
const hashLine = `"hash": "`

// sum is the SHA-256 of the text before the line of the hash, as by
// sed '/^"hash"/,$d' FILE | sha256sum.
func (r Registration) sum() string {
	text := lined.Text(r)
	sum := sha256.Sum256(text[:bytes.LastIndex(text, []byte("\n"+hashLine))+1])
	return hex.EncodeToString(sum[:])
}

// ReadRegistration reads a registration's file and verifies its hash. Errors name file and line.
func ReadRegistration(path string) (Registration, error) {
	data, err := record.ReadFile(path)
	if err != nil {
		return Registration{}, err
	}
	return parseRegistration(path, data)
}

func parseRegistration(path string, data []byte) (r Registration, err error) {
	if err := lined.Read(path, data, &r, "b", "of_draws"); err != nil {
		return r, err
	}
	if key, err := r.check(); err != nil {
		return r, input.Errorf("%s:%d: %s: %w", path, lined.LineOf(data, key+":"), key, err)
	}
	if err := lined.Same(path, data, lined.Text(r), "bench claims --register"); err != nil {
		return r, err
	}
	if sum := r.sum(); sum != r.Hash {
		return r, input.Errorf("%s:%d: hash: got %s, want %s, which is that of the lines before: the file was edited", path, lined.LineOf(data, "hash:"), r.Hash, sum)
	}
	return r, nil
}

var sums = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check returns the first member that no registration can have, and its fault.
func (r Registration) check() (key string, err error) {
	const digits = "want 64 hexadecimal digits"
	for _, member := range []struct {
		faulty     bool
		key, fault string
	}{
		{r.Version != registrationVersion, "version", fmt.Sprintf("got %d, and this program reads %d", r.Version, registrationVersion)},
		{r.Rule.Version < 1 || r.Rule.Text == "", "rule", "want a version from 1 and a text"},
		{!record.IsSpecName(r.Spec), "spec", fmt.Sprintf("got %q, want the name of a folder: %s", r.Spec, record.NameRule)},
		{len(r.Claims) == 0, "claims", "there are no claims"},
		{len(r.Variants) == 0, "variants", "there are no variants"},
		{!sums.MatchString(r.TextSum), "spec_sha256", digits},
		{!sums.MatchString(r.CellsSum), "cells_sha256", digits},
	} {
		if member.faulty {
			return member.key, errors.New(member.fault)
		}
	}
	for i, v := range r.Variants {
		if v.Label == "" || !record.IsID(v.Cell) {
			return fmt.Sprintf("variants[%d]", i), fmt.Errorf("got label %q, cell %q, want a label and the id of a cell", v.Label, v.Cell)
		}
	}
	for i, c := range r.Claims {
		if c.Name == "" || len(c.Deltas) != len(c.Metrics) || len(c.Metrics) == 0 {
			return fmt.Sprintf("claims[%d]", i), errors.New("want a name, metrics, and a delta for each")
		}
	}
	if key, err := r.Seeds.check(); err != nil {
		return "seeds", fmt.Errorf("%s: %w", key, err)
	}
	if key, err := r.Pilot.Seeds.check(); err != nil {
		return "pilot", fmt.Errorf("seeds.%s: %w", key, err)
	}
	return "", nil
}

func (s Seeds) check() (key string, err error) {
	switch {
	case s.First < 0:
		return "first", fmt.Errorf("got %d, want 0 or more", s.First)
	case s.Number < 1:
		return "number", fmt.Errorf("got %d, want 1 or more", s.Number)
	}
	return "nested", s.Nested.Check()
}

// Match describes in a line the first difference between the present plan and the registered
// one; "" if they match. The pilot does not count, and of the spec's text only the plan that it
// expands to.
func (r Registration) Match(present Registration) string {
	switch {
	case r.Rule != present.Rule && !slices.Contains(earlierRules, r.Rule):
		return fmt.Sprintf("the rule differs: it was version %d, and this program judges by version %d", r.Rule.Version, present.Rule.Version)
	case r.Spec != present.Spec || r.Policy != present.Policy:
		return fmt.Sprintf("it is of %s under policy %s, and not of %s under policy %s", r.Spec, r.Policy, present.Spec, present.Policy)
	case fmt.Sprint(r.Seeds) != fmt.Sprint(present.Seeds):
		return fmt.Sprintf("the seeds differ: %v were registered, and now it is %v", r.Seeds, present.Seeds)
	}
	text := cmp.Or(
		differ("claim", r.Claims, present.Claims, func(c RegisteredClaim) string { return c.Name }),
		differ("variant", r.Variants, present.Variants, func(v RegisteredVariant) string { return v.Label }),
	)
	if text == "" && r.CellsSum != present.CellsSum {
		return "the cells differ, or their order"
	}
	return text
}

// Overruled explains in words that claims were registered under another rule than the rule that
// judges them; "" if the rules are the same.
func (r Registration) Overruled() string {
	if r.Rule == CurrentRule {
		return ""
	}
	return fmt.Sprintf("%s was registered under rule %d, and is judged by rule %d: the same p values at settings, and other answers (docs/claims.md)", r.Spec, r.Rule.Version, CurrentRule.Version)
}

// differ names the first entry, by name, that two lists do not share; "" if they are the same.
func differ[T any](noun string, before, after []T, name func(T) string) string {
	keyed := func(list []T) map[string]string {
		out := map[string]string{}
		for _, x := range list {
			out[name(x)] = string(lined.Compact(x))
		}
		return out
	}
	old, present := keyed(before), keyed(after)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		switch text, found := present[name]; {
		case !found:
			return fmt.Sprintf("the %s %q is there no longer", noun, name)
		case text != old[name]:
			return fmt.Sprintf("the %s %q differs", noun, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(present)) {
		if _, found := old[name]; !found {
			return fmt.Sprintf("the %s %q is new", noun, name)
		}
	}
	return ""
}
