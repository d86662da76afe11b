package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"modebench/experiments/claims"
	"modebench/internal/each"
)

// A claimForm is a form that verdicts are printed in.
type claimForm struct {
	name  string
	write func(s streams, verdicts []claims.Verdict) error
}

// claimForms are the forms of verdicts.
var claimForms = []claimForm{
	{formText, printed(claims.Table)},
	{formJSON, func(s streams, v []claims.Verdict) error { return printJSON(s.out, claims.JSON(v)) }},
	{"markdown", printed(claims.Markdown)},
	{"matrix", printed(claims.Matrix)},
	{formLaTeX, printed(claims.LaTeX)},
}

// printed writes a text.
func printed(text func([]claims.Verdict) string) func(streams, []claims.Verdict) error {
	return func(s streams, verdicts []claims.Verdict) error {
		_, err := fmt.Fprint(s.out, text(verdicts))
		return err
	}
}

// claimFormFlags are --format and --first.
type claimFormFlags struct{ name, first string }

func (o *claimFormFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.first, "first", "", "with --format markdown: also what the gates said that were written first, of this file (results/first-verdicts.json), and why an answer differs")
	addForm(flags, &o.name, each.Map(claimForms[1:], func(f claimForm) string { return f.name })...)
}

// form is the form that was asked for under a kind of policy.
func (o *claimFormFlags) form(policy string) (claimForm, error) {
	form := claimForms[slices.IndexFunc(claimForms, func(f claimForm) bool { return f.name == o.name })]
	if o.first == "" {
		return form, nil
	}
	if form.name != "markdown" {
		return form, usagef("--first is for --format markdown")
	}
	verdicts, err := claims.ReadFirst(o.first)
	form.write = printed(func(v []claims.Verdict) string { return claims.History(v, verdicts, cmp.Or(policy, "tabular")) })
	return form, err
}
