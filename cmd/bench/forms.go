package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/internal/cli"
	"modebench/plots/sources"
)

// figureFormats are the formats of pictures.
var figureFormats = []string{"svg", "png", "pdf", "pgf"}

// addFigureFormats declares the flag of figure formats, "none" for no figures; more are formats beside those
// of pictures.
func addFigureFormats(flags *pflag.FlagSet, formats *[]string, more ...string) {
	*formats = []string{"svg", "png"}
	doc := "svg, png, pdf, pgf (for LaTeX); none for no figures"
	if slices.Contains(more, sources.DataFormat) {
		doc = "svg, png, pdf, pgf (for LaTeX), json (its numbers, for bench plot); none for no figures"
	}
	cli.Choices(flags, formats, "figure-format", doc, slices.Concat(figureFormats, more), "none")
}

// Forms that commands print in.
const (
	formText  = "text"
	formJSON  = "json"
	formLaTeX = "latex"
)

// addForm declares the flag of the form that a command prints in: text unless another is named.
func addForm(flags *pflag.FlagSet, form *string, forms ...string) {
	forms = append([]string{formText}, forms...)
	*form = formText
	cli.Choice(flags, form, "format", "form of the output: "+strings.Join(forms, ", "), forms...)
}
