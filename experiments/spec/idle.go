package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators/loss"
	"modebench/internal/each"
	"modebench/internal/params"
	"modebench/metrics"
)

// This file finds the idle fields of a setup: the records are the same whatever the value of
// such a field.

// idle returns why a field of a part is idle; "": it may make a difference.
func (p *Setup) idle(part, field string) string {
	if unmet := p.unmet(part, field); unmet != "" {
		return "it is read only where " + spaced(unmet)
	}
	switch part {
	case "env":
		return p.idleEnv(field)
	case "policy":
		if c, ok := p.Policy.(*TabularPolicy); ok {
			return c.idle(p, field)
		}
		return ""
	case "train":
		return p.idleTrain(field)
	case "eval":
		return p.idleEval(field)
	}
	if field == "scalarisation" && p.Method.Rewards.ScalarUnread() {
		return "the shaping reads no reward"
	}
	if part == "method" && loss.Corrects(field) {
		return p.idleCorrection()
	}
	if p.onPolicy() && p.Method.Loss.ByRatio(field) {
		return onePerBatch
	}
	return ""
}

// Idle explains why a field of the method, by its key as in Set, is idle in this setup: the records are the
// same whatever its value. "": it may make a difference.
func (p *Setup) Idle(key string) string {
	if part, field, dotted := strings.Cut(key, "."); dotted {
		return p.idle(part, field)
	}
	return p.idle("method", key)
}

// idleCorrection returns why a correction has nothing to correct; "": it may have.
func (p *Setup) idleCorrection() string {
	off, current := p.Train.OffPolicy(), p.Method.Loss.Current()
	switch {
	case !p.Method.Loss.Neutral(), p.Train.TopP < 1, current && (off || p.Train.Epochs*p.Train.Minibatches > 1):
		return ""
	case !off:
		return "rollouts are drawn by the policy that learns (lag, top_p and sampler_... in train), so every weight is 1"
	case p.Train.Old != "learner":
		return "old = sampler in train, so the old log-probabilities are the sampler's, and every weight is 1; want learner"
	}
	return ""
}

const onePerBatch = "at one update a batch (epochs and minibatches of 1) every ratio is 1"

// onPolicy reports whether the old log-probabilities are always those of the policy that is updated.
func (p *Setup) onPolicy() bool {
	t := &p.Train
	return t.Epochs == 1 && t.Minibatches == 1 && (!t.OffPolicy() || t.Old == "learner")
}

// unmet is the condition of the field's own part that does not hold.
func (p *Setup) unmet(part, field string) string {
	holder := map[string]any{"env": p.EnvConfig, "policy": p.Policy, "train": &p.Train, "eval": &p.Eval}[part]
	if holder != nil {
		return params.Unmet(holder, params.When(holder, field), nil)
	}
	reward := struct {
		Components int `param:"components"`
	}{len(p.Env.Info().Components)}
	return p.Method.Unmet(field, map[string]any{"train": &p.Train, "reward": &reward})
}

// spaced writes a condition as a spec would: start = zipf.
func spaced(condition string) string {
	var comparisons []string
	for text := range strings.SplitSeq(condition, "|") {
		field, operator, value := params.Comparison(text)
		comparisons = append(comparisons, field+" "+operator+" "+value)
	}
	return strings.Join(comparisons, " or ")
}

// idleEnv is of a field of the environment that some read alone.
func (p *Setup) idleEnv(field string) string {
	f, _ := params.Lookup(p.EnvConfig, field)
	readers, who := []string{envs.ReadByJudge}, "policy "+p.policyName
	if p.Method.Method.Optimum { // which has no policy
		who = "method " + p.Method.Method.Name
	} else {
		readers = append(readers, p.Policy.readers(p.Env)...)
	}
	if envs.Reads(readers, f) {
		return ""
	}
	return fmt.Sprintf("it is read by the %s of %s alone, from which %s does not start", strings.Join(f.Readers, " and the "), p.EnvName, who)
}

// untrained are the fields of [train] that a method which does not train heeds: they set the
// problems of its evaluation and the form of a rollout.
var untrained = []string{"problems", "candidates", "stops"}

func (p *Setup) idleTrain(field string) string {
	method, reads := p.Method.Method, p.Method.Requirements().CandidateFields
	switch {
	case !method.Trains:
		if !slices.Contains(untrained, field) || field == "problems" && p.ownProblems {
			return fmt.Sprintf("method %s does not train", method.Name)
		}
	case field == "judge_noise" && reads&envs.HasMode == 0:
		return fmt.Sprintf("method %s reads no modes", method.Name)
	case field == "reward_noise" && !p.ReadsRewards():
		return fmt.Sprintf("method %s reads no rewards", method.Name)
	}
	return ""
}

// ReadsRewards reports whether training learns anything of rewards or correctness: from the
// estimator, the objective, or the groups dropped for their rewards.
func (p *Setup) ReadsRewards() bool {
	want := p.Method.Loss.Want()
	return p.Method.Requirements().CandidateFields&(envs.HasReward|envs.HasCorrect) != 0 || want.Correct || want.Stored || p.Method.Protocol.Generations > 0
}

func (p *Setup) idleEval(field string) string {
	method := p.Method.Method
	switch {
	case (field == "every" || field == "interpolate") && !method.Trains:
		return fmt.Sprintf("method %s does not train", method.Name)
	case field == "goals" && !method.Goals:
		return fmt.Sprintf("method %s is asked for no goal", method.Name)
	case field == "draws" && len(p.Env.Info().Components) == 1:
		return fmt.Sprintf("a reward of %s has one component", p.EnvName)
	case field == "delta" && !slices.Contains(p.Eval.Measure, metrics.MeasureEmbeddings):
		return fmt.Sprintf("%q is not in measure", metrics.MeasureEmbeddings)
	}
	return ""
}

// A list of several values for an idle field is a mistake, since rows would be labelled as if
// they differed; a single value gets a note.

// assess finds the fields that the variant sets in vain.
func (v *Variant) assess(p *Setup) {
	v.idle = map[*node]string{}
	for _, a := range v.set {
		v.idle[a.node] = p.idle(a.part, a.field)
	}
	if v.Trains && p.onPolicy() {
		v.unmoved = p.Method.Loss.Unmoved()
	}
}

type setField struct {
	assignment
	method string // name in the spec of the method that has the field; "": the spec's
	why    string // it is idle in every variant; "": in some it is not
}

func (s *Spec) setFields() []*setField {
	var out []*setField
	known := map[*node]*setField{}
	for _, v := range s.Variants {
		for _, a := range v.set {
			f := known[a.node]
			if f == nil {
				f = &setField{assignment: a, why: v.idle[a.node]}
				if strings.Contains(a.node.path, "method[") {
					f.method = v.Name
				}
				known[a.node] = f
				out = append(out, f)
			}
			if v.idle[a.node] == "" {
				f.why = ""
			}
		}
	}
	return out
}

// String is the field as notes call it.
func (f *setField) String() string {
	name := f.part + "." + f.field
	if f.part == "method" {
		name = f.field
	}
	if f.method != "" {
		name += fmt.Sprintf(" of %q", f.method)
	}
	return name
}

// heedIdle refuses idle fields of several values and notes those of one. In an adapted spec lists
// get a note too, unless they were set from outside.
func (d document) heedIdle(s *Spec) error {
	for _, f := range s.setFields() {
		switch {
		case f.why == "":
		case f.listed && (!d.adapted || f.node.from != nil):
			return d.errorf(f.node, "field %q: several values make no difference: %s; give it one value, or none", f.field, f.why)
		case f.why != onePerBatch: // of which there is one note for all
			s.Notes = append(s.Notes, fmt.Sprintf("%s makes no difference: %s", f, f.why))
		}
	}
	s.noteUnmoved()
	return nil
}

// mostNamed is how many methods a note names.
const mostNamed = 6

// noteUnmoved notes the fields of objectives that one update a batch leaves without effect.
func (s *Spec) noteUnmoved() {
	moved := map[string]bool{} // by one variant at least
	for _, v := range s.Variants {
		moved[v.Name] = moved[v.Name] || v.unmoved == nil
	}
	var fields, methods []string
	for _, v := range s.Variants {
		if !moved[v.Name] {
			methods, fields = append(methods, v.Name), append(fields, v.unmoved...)
		}
	}
	methods, fields = each.Distinct(methods), each.Distinct(fields)
	if len(methods) == 0 {
		return
	}
	in := fmt.Sprintf("%d methods", len(methods))
	if len(methods) <= mostNamed {
		in = `"` + strings.Join(methods, `", "`) + `"`
	}
	verb := "make"
	if len(fields) == 1 {
		verb = "makes"
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s, so %s of %s %s no difference", onePerBatch, strings.Join(fields, ", "), in, verb))
}
