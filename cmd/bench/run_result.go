package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	"modebench/plots"
)

// conclude writes and prints the results of all cells of a spec: table, answers to claims, figures.
func conclude(ctx context.Context, s streams, spec *spec.Spec, run *record.Run, formats []string) error {
	table, err := writeSummary(ctx, run)
	if err != nil {
		return err
	}
	verdicts, err := writeAnswers(run)
	if err != nil {
		return err
	}
	if spec.Timings { // the user asked for them; the table is in its file
		if table, err = writeTimings(run); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.out, table)
	printRough(s, run)
	fmt.Fprint(s.out, verdicts)
	if err := overhead(s, spec, run); err != nil {
		return err
	}
	if err := drawAndList(ctx, s, run, verdicts != "", formats); err != nil {
		return err
	}
	if s.json {
		s.tellNotes() // the result is the last line
		return printJSON(s.err, map[string]string{"result": run.Dir})
	}
	return nil
}

// Files of an experiment beside its manifest.
const (
	summaryFile = "summary.txt"
	claimsFile  = "claims.txt"
	timingsFile = "timings.txt"
)

// writeSummary writes the table of a run, unless the context ends, and returns it.
func writeSummary(ctx context.Context, run *record.Run) (string, error) {
	text, err := analysis.Summary(ctx, run)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return "", err
	}
	return text, atomicfile.Write(filepath.Join(run.Dir, summaryFile), []byte(text))
}

// writeAnswers writes what the seeds of a run answer to its claims, and returns it: "" if it makes
// no claims. They are the seeds of the spec, which may have been looked at before the claims were
// written.
func writeAnswers(run *record.Run) (string, error) {
	verdicts, err := claims.Judge(run)
	if err != nil || len(verdicts) == 0 {
		return "", err
	}
	var text strings.Builder
	for _, v := range verdicts {
		text.WriteString(claims.Text(v) + "\n")
	}
	return text.String(), atomicfile.Write(filepath.Join(run.Dir, claimsFile), []byte(text.String()))
}

// writeTimings writes how long steps took, and returns it.
func writeTimings(run *record.Run) (string, error) {
	text, err := analysis.TimingText(run)
	if err != nil {
		return "", err
	}
	return text, atomicfile.Write(filepath.Join(run.Dir, timingsFile), []byte(text))
}

// drawAndList draws the figures of a run, and lists the files that it left.
func drawAndList(ctx context.Context, s streams, run *record.Run, claims bool, formats []string) error {
	files, err := draw(ctx, run, run.Dir, formats)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "records: %s\ntable:   %s\n", filepath.Join(run.Dir, "..", record.CellsDir), filepath.Join(run.Dir, summaryFile))
	if claims {
		fmt.Fprintf(s.out, "claims:  %s\n", filepath.Join(run.Dir, claimsFile))
	}
	if len(files) > 0 {
		fmt.Fprintf(s.out, "figures: %s\n", strings.Join(files, " "))
	}
	return nil
}

// printRough says below a table how far to trust its intervals, where that is not far.
func printRough(s streams, run *record.Run) {
	if rough := analysis.Rough(run); rough != "" {
		fmt.Fprintf(s.out, "%s\n\n", rough)
	}
}

// overhead says what a step takes where an estimator is a program of the user's.
func overhead(s streams, spec *spec.Spec, run *record.Run) error {
	if !spec.Plugins() || spec.Timings {
		return nil
	}
	text, err := analysis.TimingText(run)
	if err == nil {
		fmt.Fprintln(s.out, text)
	}
	return err
}

var figureFormats = []string{"svg", "png", "pdf", "pgf"}

// dataFormat is the format of a figure's numbers, from which bench plot draws it again.
const dataFormat = "json"

// checkFormats checks what --format was given; more are formats beside those of pictures.
func checkFormats(formats []string, more ...string) error {
	known := slices.Concat(figureFormats, more)
	for i, f := range formats {
		if f == "none" && len(formats) == 1 {
			return nil
		}
		if !slices.Contains(known, f) || slices.Contains(formats[:i], f) {
			return usagef("--format %q, want some of %s, each once, or none alone", strings.Join(formats, ","), strings.Join(known, ", "))
		}
	}
	return nil
}

// draw writes every figure of the run into dir, in every format, unless the context ends.
func draw(ctx context.Context, run *record.Run, dir string, formats []string) ([]string, error) {
	var files []string
	for _, fig := range run.Figures {
		if slices.Contains(formats, "none") {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := plots.Gather(run, fig)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		written, err := drawData(data, dir, formats)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	return files, nil
}
