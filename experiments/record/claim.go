package record

import (
	"fmt"
	"slices"

	"modebench/internal/params"
)

// A Claim is a sentence of a paper as data. For every metric, and at every setting that A
// and one of B share, it places the mean of a contrast on one side of a bound:
//
//	a - Times*b - By                      with B
//	a - By                                without
//	log(deviation of a / deviation of b)  Of deviations
//
// "above": the mean is above 0; "below": below 0; "same": that of a - Times*b is
// within By of 0. See package analysis for how it is judged.
type Claim struct {
	Name    string   `json:"name" param:"name" doc:"short name"`
	Text    string   `json:"text" param:"text" doc:"the claim in words"`
	Source  string   `json:"source" param:"source" doc:"paper and figure"`
	Paper   string   `json:"paper,omitempty" param:"paper" doc:"the paper's own numbers"`
	Metrics []string `json:"metrics"`
	A       string   `json:"a" param:"a" doc:"what it is about: the label of a variant, or a method (by the label it is given) at all its settings"`
	B       []string `json:"b"` // likewise; empty for a claim about A alone
	// Says is empty in records of the first versions.
	Says string  `json:"says,omitempty" param:"says" doc:"a is above b, below it, or the same within by; without b a is above or below by" choices:"above,below,same"`
	By   float64 `json:"by,omitempty" param:"by" doc:"above: a - b is more than by; below: less; same: it is within by of 0. In the unit of the metric"`
	// Times of 0 is 1, Of of "" the mean, and Combine of "" all.
	Times float64 `json:"times,omitempty" param:"times" doc:"multiplies b (times = 5: more than five times b)" min:"0"`
	Of    string  `json:"of,omitempty" param:"of" doc:"what of the seeds is compared: their mean, or their deviation" choices:"mean,deviation"`
	// Equal of "" compares the ends of training.
	Equal   string  `json:"equal,omitempty" param:"equal" doc:"a metric that training raises, such as pass@1: a and b are compared during training, at equal values of it, and the mean over all values that both had counts; left out: after training"`
	Delta   float64 `json:"delta,omitempty" param:"delta" doc:"smallest effect that matters, in the unit of the metric (of a deviation: of the logarithm of the ratio); 0: the metric's own, which bench list metrics has" min:"0"`
	Why     string  `json:"delta_why,omitempty" param:"delta_why" doc:"the reason of delta"`
	Combine string  `json:"combine,omitempty" param:"combine" doc:"at how many of its settings the claim holds: all, most (more than half), any, or pooled (one effect, the mean over the settings in units of delta)" choices:"all,most,any,pooled"`
	Gate    string  `json:"gate,omitempty" param:"gate" doc:"the condition that was written first, on the means and 95% intervals of a and b (a.low > b.high); kept for the record, it decides nothing"`
	Null    *Null   `json:"null,omitempty"` // a comparison that ought not to hold
	// Untestable is "" of a claim that seeds may answer.
	Untestable string `json:"untestable,omitempty" param:"untestable" doc:"why no seeds can answer the claim, found out after it was registered; the answer is untestable then"`
}

// A Null is a comparison of which a claim ought not to hold: of the base policy with a second
// pool of its own answers, of a method with itself at other seeds. Fields that are left out are
// those of the claim.
type Null struct {
	Metrics []string `json:"metrics,omitempty"`
	A       string   `json:"a,omitempty" param:"a"`
	B       []string `json:"b,omitempty"`
}

// OfNull returns the claim with its null comparison in place of its own; false without a null
// comparison.
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

// Names lists the variants of the claim and of its null comparison, by any of their names.
func (c Claim) Names() []string {
	out := append([]string{c.A}, c.B...)
	if null, has := c.OfNull(); has {
		out = append(out, null.Names()...)
	}
	return out
}

// check refuses a value that is out of range, or not among the choices of its field.
func (c *Claim) check() error {
	for _, f := range params.Fields(c) {
		if value, isText := f.Value.(string); isText && value != "" && f.Choices != nil && !slices.Contains(f.Choices, value) {
			return fmt.Errorf("claim %q: %s: got %q, want one of %q", c.Name, f.Name, value, f.Choices)
		}
	}
	if c.Times < 0 || c.Delta < 0 {
		return fmt.Errorf("claim %q: times and delta: got %v and %v, want 0 or more", c.Name, c.Times, c.Delta)
	}
	if c.Says == "same" && !(c.By > 0) {
		return fmt.Errorf("claim %q: by: got %v, want more than 0 for \"same\"", c.Name, c.By)
	}
	if c.Null != nil && len(c.B) == 0 && len(c.Null.B) > 0 {
		return fmt.Errorf("claim %q: null: got b = %q, and the claim compares with nothing", c.Name, c.Null.B)
	}
	return nil
}
