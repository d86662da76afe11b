package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/cli"
	"modebench/plots"
	"modebench/plots/forest"
	"modebench/plots/sources"
)

// claimsFigure are the flags of the figure of claims.
type claimsFigure struct{ file, paper, kept string }

func (f *claimsFigure) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "draw", "", "draw the claims into this file too: .svg, .png, .pdf, .pgf, or .json for its numbers")
	flags.StringVar(&f.paper, "paper", "", "with --draw: draw the claims of this paper, every setting")
	flags.StringVar(&f.kept, "kept", "", "with --draw: run nothing, and draw the answers that this folder has from --verdicts; --registered DIR has their claims (default: registered beside the folder)")
}

// check checks the flags, before anything is run.
func (f *claimsFigure) check(flags *pflag.FlagSet) error {
	known := append(slices.Clone(figureFormats), sources.DataFormat)
	format, name := formatOf(f.file)
	switch {
	case f.file == "":
		return cli.Refuse(flags, "--%s is for --draw, which is missing", "paper", "kept")
	case !slices.Contains(known, format) || name == "":
		return usagef("--draw %q, want a file that ends in .%s", f.file, strings.Join(known, ", ."))
	case format == sources.DataFormat && !record.IsFigureName(name):
		return usagef("--draw %q, want %s in the name of a .%s file", f.file, record.FigureNameRule, sources.DataFormat)
	}
	return nil
}

// checkPaper checks that some claim of the specs is the paper's.
func (f *claimsFigure) checkPaper(specs []*spec.Spec) error {
	var all []claims.Verdict
	for _, s := range specs {
		for _, c := range s.Claims {
			all = append(all, claims.Verdict{Claim: c})
		}
	}
	return f.checkPaperOf(all)
}

// checkPaperOf checks that some verdict is on a claim of the paper's.
func (f *claimsFigure) checkPaperOf(verdicts []claims.Verdict) error {
	if f.paper != "" && len(claims.OfPaper(verdicts, f.paper)) == 0 {
		return usagef("--paper %q, want one of: %s", f.paper, strings.Join(claims.Papers(verdicts), ", "))
	}
	return nil
}

// drawKept draws the answers that a folder has: of the named specs or of all, under that kind of
// policy or under any.
func (f *claimsFigure) drawKept(names []string, policy, registered string) error {
	files, err := filepath.Glob(filepath.Join(f.kept, "*.json"))
	if err != nil || len(files) == 0 {
		return usagef("--kept %q, want a folder that bench claims --verdicts has written", f.kept)
	}
	var all []claims.Verdict
	found := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		found[name] = true
		verdicts, err := claims.ReadKept(file, filepath.Join(registered, name+".json"), policy)
		if err != nil {
			return err
		}
		all = append(all, verdicts...)
	}
	for _, name := range names {
		if !found[name] {
			return usagef("%s has no answers to the claims of %s", f.kept, name)
		}
	}
	if len(all) == 0 {
		return usagef("%s has no answers under the policy %q", f.kept, policy)
	}
	if err := f.checkPaperOf(all); err != nil {
		return err
	}
	return f.draw(all)
}

// formatOf is the format of a figure's file and its name without it.
func formatOf(path string) (format, name string) {
	ext := filepath.Ext(path)
	return strings.ToLower(strings.TrimPrefix(ext, ".")), strings.TrimSuffix(filepath.Base(path), ext)
}

// draw draws verdicts into the file: with --paper every setting of the paper's claims, else
// settings if they are few, and of the claims of several specs one line each.
func (f *claimsFigure) draw(verdicts []claims.Verdict) error {
	format, name := formatOf(f.file)
	title, detail := "What the seeds say of the claims", forest.FewSettings
	switch {
	case f.paper != "":
		verdicts = claims.OfPaper(verdicts, f.paper)
		title, detail = "Claims of "+claims.Paper(verdicts[0].Claim), forest.EverySetting
	case slices.ContainsFunc(verdicts, func(v claims.Verdict) bool { return v.Spec != verdicts[0].Spec }):
		detail = forest.EveryClaim
	}
	data := plots.ClaimsData(name, title, verdicts, detail)
	if format == sources.DataFormat {
		return sources.SaveData(data, f.file)
	}
	picture, err := data.Draw()
	if err != nil {
		return err
	}
	return picture.Save(f.file)
}
