package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/internal/atomicfile"
	"modebench/internal/cli"
	"modebench/plots/boardplot"
	page "modebench/plots/report"
)

// boardFigures are the flags of the figures of a board.
type boardFigures struct {
	dir, html     string
	formats, show []string
}

func (f *boardFigures) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "draw", "", "folder to draw figures into")
	addFigureFormats(flags, &f.formats)
	flags.StringVar(&f.html, "html", "", "file to write the board to, as one HTML page with interactive figures")
	flags.StringSliceVar(&f.show, "show", nil, "with --draw or --html: the methods to highlight, at most eight (default: grpo and the first of the table)")
}

// checkFigureFormat refuses --figure-format without a folder for figures, and a folder for none.
func checkFigureFormat(flags *pflag.FlagSet, dir string, formats []string) error {
	if dir != "" && slices.Contains(formats, "none") {
		return usagef("--draw %s --figure-format none: want a format, or no --draw", dir)
	}
	if dir != "" {
		return nil
	}
	return cli.Refuse(flags, "--%s is the format of --draw, which is missing", "figure-format")
}

// check checks the flags, before anything is run.
func (f *boardFigures) check(flags *pflag.FlagSet) error {
	switch err := checkFigureFormat(flags, f.dir, f.formats); {
	case err != nil:
		return err
	case !f.wanted():
		return cli.Refuse(flags, "--%s is for --draw and --html, and both are missing", "show")
	case f.dir != "":
		return cli.Refuse(flags, "--draw draws all methods, and --%s runs a part of them: want one of the two", "shard")
	}
	return cli.Refuse(flags, "--html shows all methods, and --%s runs a part of them: want one of the two", "shard")
}

// wanted reports whether anything is drawn.
func (f *boardFigures) wanted() bool { return f.dir != "" || f.html != "" }

// checkNumber refuses more methods than can be highlighted.
func (f *boardFigures) checkNumber() error {
	if len(f.show) > boardplot.MostShown {
		return usagef("--show %s: %d methods, want at most %d", strings.Join(f.show, ","), len(f.show), boardplot.MostShown)
	}
	return nil
}

// checkShown checks the names of --show before methods are run: all, or those of --methods and the
// reference.
func (f *boardFigures) checkShown(methods []string) error {
	grid, err := board.Published()
	if err != nil {
		return err
	}
	if _, err := grid.Names(f.show); err != nil {
		return fmt.Errorf("--show: %w", err)
	}
	for _, name := range f.show {
		if len(methods) > 0 && name != board.Reference && !slices.Contains(methods, name) {
			return usagef("--show %s: it is not among --methods", name)
		}
	}
	return nil
}

// draw makes the figures and the page of the board, if they are asked for. save saves them.
func (f *boardFigures) draw(results []*board.Result, table *board.Table) (save func(streams) error, err error) {
	if !f.wanted() {
		return func(streams) error { return nil }, nil
	}
	b, err := boardplot.New(results, table, f.show)
	if err != nil {
		return nil, err
	}
	var figures []boardplot.Figure
	if f.dir != "" {
		if figures, err = b.Figures(); err != nil {
			return nil, err
		}
	}
	var html bytes.Buffer
	if f.html != "" {
		if err := page.WriteBoard(&html, b); err != nil {
			return nil, err
		}
	}
	return func(s streams) error {
		if f.html != "" {
			if err := atomicfile.Put(f.html, html.Bytes()); err != nil {
				return err
			}
			fmt.Fprintf(s.err, "page: %s\n", f.html)
		}
		return saveFigures(s, f.dir, f.formats, figures...)
	}, nil
}

// saveFigures saves each figure in each format in the folder, and names it. Without a folder it saves
// nothing.
func saveFigures(s streams, folder string, formats []string, figures ...boardplot.Figure) error {
	if folder == "" {
		return nil
	}
	for _, figure := range figures {
		if _, err := saveFigure(figure.Figure, folder, figure.Name, formats); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.err, "figures: %s\n", folder)
	return nil
}
