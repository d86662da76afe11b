package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/plots"
	"modebench/plots/draw"
	"modebench/plots/sources"
)

// conclude writes and prints the results of all cells of a spec: table, answers to claims, figures.
func conclude(ctx context.Context, s streams, spec *spec.Spec, run *record.Run, formats []string) error {
	table, err := writeSummary(ctx, run)
	if err != nil {
		return err
	}
	// These are the seeds of the spec, which may have been looked at before its claims were written.
	verdicts, err := claims.Judge(run)
	if err != nil {
		return err
	}
	answers := strings.Join(each.Map(verdicts, func(v claims.Verdict) string { return claims.Text(v) + "\n" }), "")
	if answers != "" {
		if err := writeText(run, claimsFile, answers); err != nil {
			return err
		}
	}
	timings := ""
	if spec.Timings || spec.Plugins() {
		if timings, err = analysis.TimingText(run); err != nil {
			return err
		}
	}
	if spec.Timings { // the user asked for them; the table is in its file
		if err := writeText(run, timingsFile, timings); err != nil {
			return err
		}
		table, timings = timings, ""
	}
	fmt.Fprintln(s.out, table)
	printRough(s, run)
	fmt.Fprint(s.out, answers)
	if timings != "" {
		fmt.Fprintln(s.out, timings)
	}
	if err := drawAndList(ctx, s, run, answers != "", formats); err != nil {
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

// writeText writes a file beside the manifest.
func writeText(run *record.Run, file, text string) error {
	return atomicfile.Write(filepath.Join(run.Dir, file), []byte(text))
}

// writeSummary writes the table of a run, unless the context ends, and returns it.
func writeSummary(ctx context.Context, run *record.Run) (string, error) {
	text, err := analysis.Summary(ctx, run)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return "", err
	}
	return text, writeText(run, summaryFile, text)
}

// drawAndList draws the figures of a run, and lists the files that it left.
func drawAndList(ctx context.Context, s streams, run *record.Run, claims bool, formats []string) error {
	files, err := drawRun(ctx, run, run.Dir, formats)
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

// printRough qualifies the intervals of a table if its seeds are few.
func printRough(s streams, run *record.Run) {
	if rough := analysis.Rough(run); rough != "" {
		fmt.Fprintf(s.out, "%s\n\n", rough)
	}
}

// saveFigure saves a figure in a folder in each format, and lists the files.
func saveFigure(figure *draw.Figure, dir, name string, formats []string) (files []string, err error) {
	if slices.Contains(formats, "none") {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, format := range formats {
		path := filepath.Join(dir, name+"."+format)
		if err := figure.Save(path); err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// drawRun writes every figure of the run into dir, in every format, unless the context ends.
func drawRun(ctx context.Context, run *record.Run, dir string, formats []string) ([]string, error) {
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
			return nil, input.UnlessFile(err)
		}
		written, err := sources.Save(data, dir, formats)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	return files, nil
}
