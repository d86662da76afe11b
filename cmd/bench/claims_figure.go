package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/plots"
)

// A claimsFigure is what --figure and --paper were given.
type claimsFigure struct{ file, paper *string }

func newClaimsFigure(flags *pflag.FlagSet) claimsFigure {
	return claimsFigure{
		file:  flags.String("figure", "", "draw the claims into this file too: .svg, .png, .pdf, .pgf, or .json for its numbers"),
		paper: flags.String("paper", "", "with --figure: draw the claims of this paper, every setting"),
	}
}

// check checks what they were given, before anything is run.
func (f claimsFigure) check() error {
	known := append(slices.Clone(figureFormats), dataFormat)
	format, name := formatOf(*f.file)
	switch {
	case *f.file == "" && *f.paper != "":
		return usagef("--paper says what --figure draws, and there is no --figure")
	case *f.file == "":
		return nil
	case !slices.Contains(known, format) || name == "":
		return usagef("--figure %q, want a file that ends in .%s", *f.file, strings.Join(known, ", ."))
	case format == dataFormat && !record.IsFigureName(name):
		return usagef("--figure %q, want %s in the name of a .%s file", *f.file, record.FigureNameRule, dataFormat)
	}
	return nil
}

// checkPaper checks that some claim of the specs is the paper's.
func (f claimsFigure) checkPaper(specs []*spec.Spec) error {
	var all []claims.Verdict
	for _, s := range specs {
		for _, c := range s.Claims {
			all = append(all, claims.Verdict{Claim: c})
		}
	}
	if *f.paper != "" && len(claims.OfPaper(all, *f.paper)) == 0 {
		return usagef("--paper %q, want one of: %s", *f.paper, strings.Join(claims.Papers(all), ", "))
	}
	return nil
}

// formatOf is the format of a figure's file and its name without it.
func formatOf(path string) (format, name string) {
	ext := filepath.Ext(path)
	return strings.ToLower(strings.TrimPrefix(ext, ".")), strings.TrimSuffix(filepath.Base(path), ext)
}

// draw draws verdicts into the file: with --paper every setting of the paper's claims, else
// settings where they are few, and of the claims of several specs one line each.
func (f claimsFigure) draw(verdicts []claims.Verdict) error {
	format, name := formatOf(*f.file)
	title, detail := "What the seeds say of the claims", plots.FewSettings
	switch {
	case *f.paper != "":
		verdicts = claims.OfPaper(verdicts, *f.paper)
		title, detail = "Claims of "+claims.Paper(verdicts[0].Claim), plots.EverySetting
	case slices.ContainsFunc(verdicts, func(v claims.Verdict) bool { return v.Spec != verdicts[0].Spec }):
		detail = plots.EveryClaim
	}
	data := plots.ClaimsData(name, title, verdicts, detail)
	if format == dataFormat {
		return saveData(data, *f.file)
	}
	picture, err := data.Draw()
	if err != nil {
		return err
	}
	return picture.Save(*f.file)
}
