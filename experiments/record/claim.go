package record

import (
	"fmt"
	"slices"
)

// A Claim is a sentence of a paper as data. For every metric, and at every setting that A
// and one of B share, it says on which side of a bound a contrast lies in the mean:
//
//	a - Times*b - By                      with B
//	a - By                                without
//	log(deviation of a / deviation of b)  Of deviations
//
// "above": the mean is above 0; "below": below 0; "same": that of a - Times*b is
// within By of 0. See package analysis for how it is judged.
type Claim struct {
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Source  string   `json:"source"`
	Paper   string   `json:"paper,omitempty"` // the paper's own numbers
	Metrics []string `json:"metrics"`
	A       string   `json:"a"`                   // a method, or what the spec calls one
	B       []string `json:"b"`                   // likewise; empty for a claim about A alone
	Says    string   `json:"says,omitempty"`      // one of ClaimSays; "": written before claims had it
	By      float64  `json:"by,omitempty"`        // in the unit of the metric
	Times   float64  `json:"times,omitempty"`     // 0: 1
	Of      string   `json:"of,omitempty"`        // one of ClaimOf; "": the mean
	Delta   float64  `json:"delta,omitempty"`     // the smallest effect that matters; 0: the metric's own
	Why     string   `json:"delta_why,omitempty"` // the reason of Delta
	Combine string   `json:"combine,omitempty"`   // one of ClaimCombine; "": all
	Gate    string   `json:"gate,omitempty"`      // the condition that was written first; kept, and no longer judged by
	Null    *Null    `json:"null,omitempty"`      // a comparison that ought not to hold
	// Untestable is why no seeds can answer the claim, where that was found out after it had been
	// registered; "": nothing was.
	Untestable string `json:"untestable,omitempty"`
}

// A Null is a comparison of which a claim ought not to hold: of the base policy with a second
// pool of its own answers, of a method with itself at other seeds. What it leaves out is the
// claim's own.
type Null struct {
	Metrics []string `json:"metrics,omitempty"`
	A       string   `json:"a,omitempty"`
	B       []string `json:"b,omitempty"`
}

// OfNull is the claim asked of its null comparison; false where it names none.
func (c Claim) OfNull() (Claim, bool) {
	if c.Null == nil {
		return Claim{}, false
	}
	null := *c.Null
	c.Null = nil
	if null.Metrics != nil {
		c.Metrics = null.Metrics
	}
	if null.A != "" {
		c.A = null.A
	}
	if null.B != nil {
		c.B = null.B
	}
	return c, true
}

// Names lists what the claim and its null comparison are about: variants, by whatever name.
func (c Claim) Names() []string {
	out := append([]string{c.A}, c.B...)
	if null, has := c.OfNull(); has {
		out = append(out, null.Names()...)
	}
	return out
}

// What a claim may say of the contrast, what it may be of, and at how many of its settings
// it has to hold.
var (
	ClaimSays    = []string{"above", "below", "same"}
	ClaimOf      = []string{"mean", "deviation"}
	ClaimCombine = []string{"all", "most", "any", "pooled"}
)

// check says what of a claim is none of the choices that it has, or out of range.
func (c *Claim) check() error {
	for _, field := range []struct {
		name, value string
		choices     []string
	}{{"says", c.Says, ClaimSays}, {"of", c.Of, ClaimOf}, {"combine", c.Combine, ClaimCombine}} {
		if field.value != "" && !slices.Contains(field.choices, field.value) {
			return fmt.Errorf("claim %q: %s: got %q, want one of %q", c.Name, field.name, field.value, field.choices)
		}
	}
	if c.Times < 0 || c.Delta < 0 {
		return fmt.Errorf("claim %q: times and delta: got %v and %v, want 0 or more", c.Name, c.Times, c.Delta)
	}
	if c.Says == "same" && !(c.By > 0) {
		return fmt.Errorf("claim %q: by: got %v, want more than 0 for a claim that says \"same\"", c.Name, c.By)
	}
	if c.Null != nil && len(c.B) == 0 && len(c.Null.B) > 0 {
		return fmt.Errorf("claim %q: null: got b = %q, and the claim compares with nothing", c.Name, c.Null.B)
	}
	return nil
}
