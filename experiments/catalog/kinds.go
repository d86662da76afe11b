package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/experiments/spec"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/params"
	"modebench/metrics"
)

// A kind is a kind of things to list.
type kind struct {
	name  string
	all   func(b *strings.Builder) error
	part  func(b *strings.Builder, name string) error // nil: it has no parts with names
	names func() []string                             // of the parts, for completion
}

// kinds are the kinds. Without arguments the first three are listed.
var kinds = []kind{
	{"envs", listEnvs, listEnv, envs.Names},
	{"methods", listMethods, listMethod, Methods},
	{"specs", listSpecs, listSpec, spec.BuiltinNames},
	fieldsKind("spec", "A spec is a TOML file of these fields and of the tables [env] (or several\n[[env]]), [policy], [train], [eval], [[method]], [[figure]] and [[claim]]:\n"),
	{"policy", listPolicies, policyPart("policy"), Policies},
	policyKind("train"),
	policyKind("eval"),
	fieldsKind("figure", "[[figure]] of a spec:\n"),
	fieldsKind("claim", "[[claim]] of a spec:\n"),
	{"metrics", listMetrics, nil, nil},
	{"expressions", listExpressions, nil, nil},
}

// fieldsKind lists the fields of a table of a spec under a text.
func fieldsKind(name, head string) kind {
	return kind{name: name, all: func(b *strings.Builder) error {
		b.WriteString(head)
		listFields(b, spec.Fields(name))
		return nil
	}}
}

// policyKind lists the fields of a table of a spec that depend on the kind of policy.
func policyKind(name string) kind {
	part := policyPart(name)
	return kind{name, func(b *strings.Builder) error { return part(b, Policies()[0]) }, part, Policies}
}

// Methods are the names of methods, each with a tab and its summary, as completions have them.
func Methods() []string {
	return each.Map(estimators.Methods(), func(m estimators.Method) string { return m.Name + "\t" + m.Summary })
}

// Policies are the kinds of policies.
func Policies() []string {
	names, _ := spec.Policies()
	return names
}

func listEnvs(b *strings.Builder) error {
	b.WriteString("Environments:\n")
	for _, name := range envs.Names() {
		d, err := envs.Lookup(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "  %-17s %s (%s)\n", d.Name, d.Summary, d.Source)
	}
	return nil
}

func listEnv(b *strings.Builder, name string) error {
	d, err := envs.Lookup(name)
	if err != nil {
		return &input.Usage{Err: err}
	}
	config := d.Default()
	env, err := config.Build()
	if err != nil {
		return err
	}
	info := env.Info()
	fmt.Fprintf(b, "%s: %s\nsource: %s\n", d.Name, d.Summary, d.Source)
	fmt.Fprintf(b, "reward: %s\ngives:  %s\n\nfields:\n", strings.Join(info.Components, ", "), strings.Join(info.Provides().Names(), ", "))
	listFields(b, params.Fields(config))
	return nil
}

func listMethods(b *strings.Builder) error {
	width := each.Largest(estimators.Methods(), func(m estimators.Method) int { return len(m.Name) })
	for i, f := range estimators.Families() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "Methods: %s\n", f.Name)
		for _, m := range f.Methods {
			fmt.Fprintf(b, "  %-*s %s (%s)\n", width, m.Name, m.Summary, m.Source)
		}
	}
	plugged, err := estimators.Lookup(plugin.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\nMethods: Your own\n  %-*s %s (%s)\n", width, plugged.Name, plugged.Summary, plugged.Source)
	return nil
}

func listMethod(b *strings.Builder, name string) error {
	m, err := estimators.Lookup(name)
	if err != nil {
		return &input.Usage{Err: err}
	}
	fmt.Fprintf(b, "%s: %s\nsource: %s\n", m.Name, m.Summary, m.Source)
	instance := m.New()
	needs := instance.Requirements()
	fmt.Fprintf(b, "reads:    %s; groups of at least %d\n", cmp.Or(strings.Join(append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...), ", "), "nothing"), needs.MinGroup)
	fmt.Fprintf(b, "rollouts: %s\n", m.Rollouts())
	fmt.Fprintf(b, "laws:     %s\n", propertiesText(m.Properties))
	if fields := instance.Fields(); len(fields) > 0 {
		b.WriteString("\nfields:\n")
		listFields(b, fields)
	}
	return nil
}

func listSpecs(b *strings.Builder) error {
	specs, err := spec.Builtins()
	if err != nil {
		return err
	}
	b.WriteString("Specs:\n")
	width := each.Largest(specs, func(spec spec.Builtin) int { return len(spec.Name) })
	for _, spec := range specs {
		text := spec.Title
		if spec.Source != "" {
			text += " (" + spec.Source + ")"
		}
		if len(spec.Overlays) > 0 { // settings of its own under other kinds of policies
			text += " [--policy " + strings.Join(spec.Overlays, ", ") + "]"
		}
		fmt.Fprintf(b, "  %-*s %s\n", width, spec.Name, text)
	}
	return nil
}

func listSpec(b *strings.Builder, name string) error {
	text, err := spec.BuiltinText(name)
	b.Write(text)
	return err
}

func listPolicies(b *strings.Builder) error {
	b.WriteString("name in [policy] of a spec:\n")
	names, summaries := spec.Policies()
	for i, name := range names {
		fmt.Fprintf(b, "  %-11s %s\n", name, summaries[i])
	}
	b.WriteString("\n")
	return policyPart("policy")(b, names[0])
}

// policyPart lists the fields of a table under a kind of policy.
func policyPart(table string) func(b *strings.Builder, name string) error {
	return func(b *strings.Builder, name string) error {
		fields, err := spec.PolicyFields(table, name)
		if err != nil {
			return &input.Usage{Err: err}
		}
		fmt.Fprintf(b, "[%s] of a spec under policy %s:\n", table, name)
		listFields(b, fields)
		if len(fields) == 0 {
			names, summaries := spec.Policies()
			fmt.Fprintf(b, "  nothing to set: %s\n", summaries[slices.Index(names, name)])
		}
		if table != "policy" {
			return nil
		}
		exceptions, err := spec.PolicyExceptions(name)
		if len(exceptions) > 0 {
			fmt.Fprintf(b, "\nother defaults by environment:\n  %s\n", strings.Join(exceptions, "\n  "))
		}
		return err
	}
}

func listMetrics(b *strings.Builder) error {
	b.WriteString(metricsHelp)
	for _, m := range metrics.All() {
		group := ""
		if m.Measure != "" {
			group = " [" + m.Measure + "]"
		}
		if m.Policy {
			group += " *"
		}
		fmt.Fprintf(b, "  %-20s %5g  %s%s\n", m.Name, m.Delta.Size, m.Doc, group)
	}
	return nil
}

// listExpressions lists what the fields that take expressions may read and call.
func listExpressions(b *strings.Builder) error {
	method, err := estimators.Lookup("set-rl")
	if err != nil {
		return err
	}
	b.WriteString("Fields of [[method]] hold expressions (https://expr-lang.org): objective in set-rl\nalone, the others in every method that learns from scalar rewards.\n")
	for _, name := range estimators.ExpressionFields {
		f, _ := method.New().Field(name)
		fmt.Fprintf(b, "\n%s: %s\n%s", name, f.Doc, indented(estimators.ExpressionDoc(name)))
	}
	fmt.Fprintf(b, "\nAny of them may call\n%s", indented(estimators.ExpressionFunctions()))
	return nil
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

const metricsHelp = `Metrics. At k they are unbiased estimates for k answers: floor(k/m) whole chains of
m answers and the first k mod m of one more chain, so pass@1 of chains is about first
answers, while accuracy is about all. ew_best@k averages over the draws of [eval]
(128; the same for all methods, and the first ones of go doc ./metrics
Scalarisations), of which no interval over seeds shows the error. Of votes, k counts
rollouts. A metric with a word in brackets needs that word in measure of [eval]. Metrics with a
star take the policy itself; bench metrics computes all others from judged answers. The number
is the metric's delta, the smallest effect that matters to claims: a twentieth of the way
from a base policy to the best of all, rounded.
`

// propertiesText describes how a method's advantages follow its rewards.
func propertiesText(l estimators.Properties) string {
	var words []string
	for _, p := range []struct {
		holds bool
		text  string
	}{
		{l.ShiftInvariant, "a constant added to the rewards changes nothing"},
		{l.Scale == estimators.Invariant, "their scale changes nothing"},
		{l.Scale == estimators.Linear, "linear in their scale"},
		{l.ZeroSum, "the advantages sum to 0"},
		{l.AcrossGroups, "the groups of a batch are normalised together"},
		{l.OrderMatters, "the order of the rollouts matters"},
	} {
		if p.holds {
			words = append(words, p.text)
		}
	}
	if words == nil {
		return l.Why
	}
	return strings.Join(words, "; ") + " (" + l.Why + ")"
}

func listFields(b *strings.Builder, fields []params.Field) {
	for _, f := range fields {
		kind := f.Type
		if f.Choices != nil {
			kind = strings.Join(f.Choices, "|")
		}
		fmt.Fprintf(b, "  %s = %v  (%s)\n      %s\n", f.Name, f.Value, kind, f.Doc)
	}
}
