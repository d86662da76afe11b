package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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

// AddFlags declares the flags.
func (f *boardFigures) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "figures", "", "folder to draw figures into")
	addFigureFormat(flags, &f.formats)
	flags.StringVar(&f.html, "html", "", "file to write the board to, as one HTML page with interactive figures")
	flags.StringSliceVar(&f.show, "show", nil, "with --figures or --html: the methods that stand out, at most eight (default: grpo and the first of the table)")
}

// addFigureFormat declares --figure-format, for commands whose --format is of a table.
func addFigureFormat(flags *pflag.FlagSet, formats *[]string) {
	*formats = []string{"svg", "png"}
	cli.Choices(flags, formats, "figure-format", "with --figures: svg, png, pdf, pgf (for LaTeX)", figureFormats, "")
}

// checkFigureFormat refuses --figure-format without a folder for figures.
func checkFigureFormat(flags *pflag.FlagSet, dir string) error {
	if dir != "" {
		return nil
	}
	return cli.Refuse(flags, "--%s says how --figures draws, and there is no --figures", "figure-format")
}

// check checks the flags, before anything is run.
func (f *boardFigures) check(flags *pflag.FlagSet) error {
	switch err := checkFigureFormat(flags, f.dir); {
	case err != nil:
		return err
	case !f.wanted():
		return cli.Refuse(flags, "--%s says what --figures and --html draw, and there is no --figures and no --html", "show")
	case f.dir != "":
		return cli.Refuse(flags, "--figures draws all methods, and --%s runs a part of them: want one of the two", "shard")
	}
	return cli.Refuse(flags, "--html shows all methods, and --%s runs a part of them: want one of the two", "shard")
}

// wanted reports whether anything is drawn.
func (f *boardFigures) wanted() bool { return f.dir != "" || f.html != "" }

// checkNumber refuses more methods than can stand out.
func (f *boardFigures) checkNumber() error {
	if len(f.show) > boardplot.MostShown {
		return usagef("--show %s: %d methods, want at most %d", strings.Join(f.show, ","), len(f.show), boardplot.MostShown)
	}
	return nil
}

// checkShown looks at the names of --show before methods are run: all, or those of --methods and
// the reference.
func (f *boardFigures) checkShown(methods []string) error {
	grid, err := board.Published()
	if err != nil {
		return err
	}
	for _, name := range f.show {
		if _, err := grid.Names([]string{name}); err != nil {
			return fmt.Errorf("--show: %w", err)
		}
		if len(methods) > 0 && name != board.Reference && !slices.Contains(methods, name) {
			return usagef("--show %s: it is not among --methods", name)
		}
	}
	return nil
}

// A drawnBoard is what --figures and --html write: nothing of what is not asked for.
type drawnBoard struct {
	figures []boardplot.Figure
	page    []byte
}

// ready makes the figures and the page of the board, as far as they are asked for.
func (f *boardFigures) ready(results []*board.Result, table *board.Table) (drawn drawnBoard, err error) {
	if !f.wanted() {
		return drawn, nil
	}
	b, err := boardplot.New(results, table, f.show)
	if err != nil {
		return drawn, err
	}
	if f.dir != "" {
		if drawn.figures, err = b.Figures(); err != nil {
			return drawn, err
		}
	}
	if f.html != "" {
		var buf bytes.Buffer
		err = page.WriteBoard(&buf, b)
		drawn.page = buf.Bytes()
	}
	return drawn, err
}

// save saves the figures in the folder, and the page.
func (f *boardFigures) save(s streams, drawn drawnBoard) error {
	if f.html != "" {
		if err := os.MkdirAll(filepath.Dir(f.html), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(f.html, drawn.page); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "page: %s\n", f.html)
	}
	if f.dir == "" {
		return nil
	}
	return saveFigures(s, f.dir, f.formats, drawn.figures)
}

// saveFigures saves each figure in each format in the folder, and names it.
func saveFigures(s streams, folder string, formats []string, figures []boardplot.Figure) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, figure := range figures {
		if _, err := saveFigure(figure.Figure, folder, figure.Name, formats); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.err, "figures: %s\n", folder)
	return nil
}
