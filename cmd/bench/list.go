package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"modebench/experiments/spec"
	"modebench/metrics"

	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/internal/nearest"
	"modebench/internal/params"
	"modebench/internal/plural"
)

var listCommand = command{
	name: "list", args: "[envs|methods|specs|spec|policy|train|eval|figure|claim|metrics] [NAME] [flags]",
	summary: "list environments, methods and built-in specs",
	detail: `
With a kind, lists that kind alone; with a name too, everything that can be set
of it, with defaults:

  bench list methods poly-epo
  bench list envs bandit
  bench list train transformer
  bench list specs quick
  bench list specs mine.toml
  bench list specs quick --set train.lr=0.03

Of a built-in spec that is its text. Of a file, and of a spec with flags, it is what bench
run with the same words would run, and in which folder it would leave the results: that of
the spec's name with the changed fields behind it (and -seeds-N behind those where a result
of more seeds is there).

spec, policy, train, eval, figure and claim list what can be set in a spec and in
those tables of it, metrics what columns, figures and claims can name. policy, train
and eval stand with the defaults of tabular policies, or of the kind that is named.`,
	complete: listNames,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		spec := &specFlags{}
		spec.AddFlags(flags)
		return func(ctx context.Context, s streams, args []string) error {
			var b strings.Builder
			err := error(nil)
			if flags.NFlag() > 0 || isSpecFile(args) {
				err = listRun(ctx, &b, spec, args)
			} else {
				err = list(&b, args)
			}
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.out, b.String())
			return err
		}
	},
}

// isSpecFile says whether the arguments name a spec of the user's, whose text is known.
func isSpecFile(args []string) bool {
	return len(args) == 2 && args[0] == "specs" && strings.HasSuffix(args[1], ".toml")
}

// listRun says what bench run would run of a spec under the flags, and where to.
func listRun(ctx context.Context, b *strings.Builder, flags *specFlags, args []string) error {
	if len(args) != 2 || args[0] != "specs" {
		return usagef("flags of bench list change a spec: bench list specs NAME --set FIELD=VALUE")
	}
	if err := flags.check(); err != nil {
		return err
	}
	spec, err := flags.load(ctx, args[1])
	if err != nil {
		return err
	}
	title := spec.Name
	if spec.Title != "" {
		title += ": " + spec.Title
	}
	fmt.Fprintf(b, "%s\nfolder: results/%s (--name NAME: another one)\n", title, spec.Name)
	seeds := "seeds"
	if spec.Seeds == 1 {
		seeds = "seed"
	}
	if spec.FirstSeed > 0 {
		seeds += fmt.Sprintf(", from %d on,", spec.FirstSeed)
	}
	if n := spec.Nested; n != nil {
		fmt.Fprintf(b, "nested: %s in turn share a draw of problems, and %d a base policy if there is one\n", plural.Of(n[0], "seed"), n[1])
	}
	fmt.Fprintf(b, "%d cells: %d %s of each of\n", len(spec.Variants)*spec.Seeds, spec.Seeds, seeds)
	for _, v := range spec.Variants {
		fmt.Fprintf(b, "  %s\n", v.Label)
	}
	for _, note := range spec.Notes {
		fmt.Fprintf(b, "note: %s\n", note)
	}
	return nil
}

// listExceptions lists the defaults of a kind of policy that go by environment.
func listExceptions(b *strings.Builder, policy string) error {
	lines, err := spec.PolicyExceptions(policy)
	if len(lines) > 0 {
		fmt.Fprintf(b, "\nother defaults by environment:\n  %s\n", strings.Join(lines, "\n  "))
	}
	return err
}

func list(b *strings.Builder, args []string) error {
	switch len(args) {
	case 0:
		for i, kind := range []string{"envs", "methods", "specs"} {
			if i > 0 {
				b.WriteString("\n")
			}
			if err := listKind(b, kind); err != nil {
				return err
			}
		}
		b.WriteString("\nFields of one of them: bench list methods grpo, bench list envs bandit; of a\nspec: bench list spec, policy, train, eval, figure, claim, metrics; what may\nstand in an expression: bench list expressions.\n")
		return nil
	case 1:
		return listKind(b, args[0])
	case 2:
		return listOne(b, args[0], args[1])
	}
	return usagef("bench list takes a kind and a name at most; see bench help list")
}

func listKind(b *strings.Builder, kind string) error {
	switch kind {
	case "envs":
		b.WriteString("Environments:\n")
		for _, name := range envs.Names() {
			d, err := envs.Lookup(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "  %-17s %s (%s)\n", d.Name, d.Summary, d.Source)
		}
	case "methods":
		width := 0
		for _, m := range estimators.Methods() {
			width = max(width, len(m.Name))
		}
		for i, f := range estimators.Families() {
			if i > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(b, "Methods: %s\n", f.Name)
			for _, m := range f.Methods {
				fmt.Fprintf(b, "  %-*s %s (%s)\n", width, m.Name, m.Summary, m.Source)
			}
		}
		own, err := estimators.Lookup(plugin.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\nMethods: Your own\n  %-*s %s (%s)\n", width, own.Name, own.Summary, own.Source)
	case "specs":
		specs, err := spec.Builtins()
		if err != nil {
			return err
		}
		b.WriteString("Specs:\n")
		width := 0
		for _, spec := range specs {
			width = max(width, len(spec.Name))
		}
		for _, spec := range specs {
			source := ""
			if spec.Source != "" {
				source = " (" + spec.Source + ")"
			}
			fmt.Fprintf(b, "  %-*s %s%s%s\n", width, spec.Name, spec.Title, source, overlays(spec.Overlays))
		}
	case "spec":
		b.WriteString("A spec is a TOML file of these fields and of the tables [env] (or several\n[[env]]), [policy], [train], [eval], [[method]], [[figure]] and [[claim]]:\n")
		listFields(b, spec.Fields(kind))
	case "policy":
		b.WriteString("name in [policy] of a spec:\n")
		names, summaries := spec.Policies()
		for i, name := range names {
			fmt.Fprintf(b, "  %-11s %s\n", name, summaries[i])
		}
		b.WriteString("\n")
		return listOne(b, kind, names[0])
	case "train", "eval":
		names, _ := spec.Policies()
		return listOne(b, kind, names[0])
	case "figure", "claim":
		fmt.Fprintf(b, "[[%s]] of a spec:\n", kind)
		listFields(b, spec.Fields(kind))
		b.WriteString(lists[kind])
	case "expressions":
		return listExpressions(b)
	case "metrics":
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
	default:
		kinds := []string{"envs", "methods", "specs", "spec", "policy", "train", "eval", "figure", "claim", "metrics", "expressions"}
		return usagef("unknown kind %q; %skinds: %s", kind, nearest.Hint(kind, kinds), strings.Join(kinds, ", "))
	}
	return nil
}

// listExpressions says what the fields that take expressions may read and call.
func listExpressions(b *strings.Builder) error {
	method, err := estimators.Lookup("set-rl")
	if err != nil {
		return err
	}
	b.WriteString("Expressions (https://expr-lang.org) stand in fields of [[method]]: objective in set-rl\nalone, the others in every method that learns from scalar rewards.\n")
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

// overlays says under which other kinds of policies a spec has settings of its own.
func overlays(kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	return " [--policy " + strings.Join(kinds, ", ") + "]"
}

// lists are the fields that hold a value or a list, which no other table has.
var lists = map[string]string{
	"figure": `  where = { }  (table)
      keeps the variants whose fields take one of these values: where = { method = ["grpo", "vpo"], "train.lr" = 0.1 }
`,
	"claim": `  metric =   (text or list of texts)
      the metrics that the claim is about, each by itself
  b =   (text or list of texts)
      what a is compared with, one after the other; none: a is above or below by
  null = { }  (table)
      a comparison that ought not to hold: null = { a = "base again" }; where it holds too, the
      claim is untestable; of a, b and metric it has those that are not the claim's own
`,
}

const metricsHelp = `Metrics. At k they are unbiased estimates for k answers: floor(k/m) whole chains of
m answers and the first k mod m of another one, so pass@1 of chains is about first
answers, while accuracy is about all. ew_best@k averages over the draws of [eval]
(128; the same for all methods, and the first ones of go doc ./metrics
Scalarisations), of which no interval over seeds shows the error. Of votes, k counts
rollouts. Where a word stands in brackets, measure in [eval] has to list it. What has a
star takes the policy itself: bench metrics, of judged answers, has all others. The number
is the metric's delta, the smallest effect that matters to claims: a twentieth of the way
from a base policy to the best of all, rounded.
`

func listOne(b *strings.Builder, kind, name string) error {
	switch kind {
	case "envs":
		d, err := envs.Lookup(name)
		if err != nil {
			return &usageError{err}
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
	case "methods":
		m, err := estimators.Lookup(name)
		if err != nil {
			return &usageError{err}
		}
		fmt.Fprintf(b, "%s: %s\nsource: %s\n", m.Name, m.Summary, m.Source)
		instance := m.New()
		needs := instance.Requirements()
		fmt.Fprintf(b, "reads:    %s; groups of at least %d\n", orNothing(append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...)), needs.MinGroup)
		fmt.Fprintf(b, "rollouts: %s\n", m.Rollouts())
		fmt.Fprintf(b, "laws:     %s\n", propertiesText(m.Properties))
		if fields := instance.Fields(); len(fields) > 0 {
			b.WriteString("\nfields:\n")
			listFields(b, fields)
		}
	case "policy", "train", "eval":
		fields, err := spec.PolicyFields(kind, name)
		if err != nil {
			return &usageError{err}
		}
		fmt.Fprintf(b, "[%s] of a spec under policy %s:\n", kind, name)
		listFields(b, fields)
		if len(fields) == 0 {
			names, summaries := spec.Policies()
			fmt.Fprintf(b, "  nothing to set: %s\n", summaries[slices.Index(names, name)])
		}
		if kind == "policy" {
			return listExceptions(b, name)
		}
	case "specs":
		text, err := spec.BuiltinText(name)
		if err != nil {
			return err
		}
		b.Write(text)
	default:
		return usagef("%q has no parts of its own to list; envs, methods, specs, policy, train and eval have", kind)
	}
	return nil
}

// propertiesText says how a method's advantages follow its rewards.
func propertiesText(l estimators.Properties) string {
	var words []string
	if l.ShiftInvariant {
		words = append(words, "a constant added to the rewards changes nothing")
	}
	switch l.Scale {
	case estimators.Invariant:
		words = append(words, "their scale changes nothing")
	case estimators.Linear:
		words = append(words, "linear in their scale")
	}
	if l.ZeroSum {
		words = append(words, "the advantages sum to 0")
	}
	if l.AcrossGroups {
		words = append(words, "the groups of a batch are normalised together")
	}
	if l.OrderMatters {
		words = append(words, "the order of the rollouts matters")
	}
	if len(words) == 0 {
		return l.Why
	}
	return strings.Join(words, "; ") + " (" + l.Why + ")"
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
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
