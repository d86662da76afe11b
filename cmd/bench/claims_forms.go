package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/claims"
)

// A claimForm is a form that verdicts are printed in.
type claimForm struct {
	name, doc string
	write     func(s streams, verdicts []claims.Verdict) error
}

// claimForms are the forms that a flag asks for.
var claimForms = []claimForm{
	{"json", "print one JSON document", func(s streams, v []claims.Verdict) error { return printJSON(s.out, claims.JSON(v)) }},
	{"markdown", "print the table as Markdown", printed(claims.Markdown)},
	{"matrix", "print a row for each spec, with a sign for each claim, as Markdown", printed(claims.Matrix)},
	{"latex", "print the table as LaTeX (booktabs)", printed(claims.LaTeX)},
}

// printed writes a text.
func printed(text func([]claims.Verdict) string) func(streams, []claims.Verdict) error {
	return func(s streams, verdicts []claims.Verdict) error {
		_, err := fmt.Fprint(s.out, text(verdicts))
		return err
	}
}

// claimFormFlags are a flag for each form, and --first.
type claimFormFlags struct {
	asked []bool // by form
	first string
}

func (o *claimFormFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.first, "first", "", "with --markdown: also what the gates said that were written first, of this file (results/first-verdicts.json), and why an answer differs")
	o.asked = make([]bool, len(claimForms))
	for i, f := range claimForms {
		flags.BoolVar(&o.asked[i], f.name, false, f.doc)
	}
}

// form is the form that was asked for under a kind of policy, by default the table of a terminal; two
// are an error.
func (o *claimFormFlags) form(policy string) (claimForm, error) {
	form := claimForm{write: printed(claims.Table)}
	var names []string
	for i, f := range claimForms {
		if o.asked[i] {
			form = f
			names = append(names, "--"+f.name)
		}
	}
	if len(names) > 1 {
		return form, usagef("%s are forms of one table: one of them", strings.Join(names, " and "))
	}
	if o.first == "" {
		return form, nil
	}
	if form.name != "markdown" {
		return form, usagef("--first is for --markdown")
	}
	verdicts, err := claims.ReadFirst(o.first)
	form.write = printed(func(v []claims.Verdict) string { return claims.History(v, verdicts, cmp.Or(policy, "tabular")) })
	return form, err
}
