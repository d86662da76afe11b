package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/internal/nearest"
	"modebench/internal/params"
	"modebench/policies"
	"modebench/policies/tabular"
)

// A policyKind is a kind of policy that a spec can name.
type policyKind struct {
	name    string
	summary string
	// config returns fresh parameters with the defaults for an environment; those of
	// no environment ("") have the same fields.
	config func(env string) Policy
	// train and eval are the defaults of [train] and [eval] that suit the kind.
	train func() Train
	eval  func() Eval
}

// The kinds of policies.
const (
	policyTabular     = "tabular"
	policyTransformer = "transformer"
	policyBaseline    = "baseline"
)

var policyKinds = []policyKind{
	{
		policyTabular, "a table of logits for each problem, on top of the demonstrator's",
		func(string) Policy { return &TabularPolicy{*tabular.Default()} }, tabularTrain, tabularEval,
	},
	{
		policyTransformer, "a small transformer, pre-trained on demonstrations; held-out problems",
		transformerConfig, transformerTrain, transformerEval,
	},
	{
		policyBaseline, "a fixed policy of the environment's own that sees less than it could (maze: blind to walls); for methods that do not train",
		func(string) Policy { return &baselinePolicy{} }, tabularTrain, tabularEval,
	},
}

// Policies lists the kinds of policies with a line on each, by name.
func Policies() (names, summaries []string) {
	for _, k := range policyKinds {
		names, summaries = append(names, k.name), append(summaries, k.summary)
	}
	return names, summaries
}

// lookupPolicy returns the kind of that name, or an error that lists the known ones.
func lookupPolicy(name string) (*policyKind, error) {
	for i := range policyKinds {
		if policyKinds[i].name == name {
			return &policyKinds[i], nil
		}
	}
	names, _ := Policies()
	return nil, fmt.Errorf("unknown policy %q; %sknown policies: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// policyFields are the fields of [train] and [eval] that suit one kind of policy and not
// another: a learning rate for a table ruins a network, and a network learns twenty
// problems by heart.
func policyFields(part string) []string {
	if part == "eval" {
		return []string{"every", "split", "problems", "enumerate"}
	}
	fields := []string{"steps", "problems", "batch", "schedule", "warmup"}
	return slices.Concat(fields, params.Names(&policies.Optimizer{}))
}

// overlayNames are the keys of overlays.
func overlayNames() []string {
	var out []string
	for _, k := range policyKinds {
		if k.name != policyBaseline { // for rows of a spec alone
			out = append(out, k.name)
		}
	}
	return out
}
