package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/plots"
)

// boardFigures is what --figures and --show were given.
type boardFigures struct {
	dir  *string
	show *[]string
}

func newBoardFigures(flags *pflag.FlagSet) boardFigures {
	return boardFigures{
		dir:  flags.String("figures", "", "folder to draw figures into"),
		show: flags.StringSlice("show", nil, "with --figures: the methods that stand out, at most eight (default: grpo and the first of the table)"),
	}
}

// check checks what they were given, before anything is run.
func (f boardFigures) check(shard string) error {
	switch {
	case *f.dir == "" && len(*f.show) > 0:
		return usagef("--show says what --figures draws, and there is no --figures")
	case *f.dir != "" && shard != "":
		return usagef("--figures draws all methods, and --shard runs a part of them: want one of the two")
	}
	return nil
}

// checkNumber refuses more methods than can stand out.
func (f boardFigures) checkNumber() error {
	if len(*f.show) > plots.MostShown {
		return usagef("--show %s: %d methods, want at most %d", strings.Join(*f.show, ","), len(*f.show), plots.MostShown)
	}
	return nil
}

// checkShown looks at the names of --show before methods are run: all, or those of --methods and
// the reference.
func (f boardFigures) checkShown(methods []string) error {
	grid, err := board.Published()
	if err != nil {
		return err
	}
	for _, name := range *f.show {
		if _, err := grid.Names([]string{name}); err != nil {
			return fmt.Errorf("--show: %w", err)
		}
		if len(methods) > 0 && name != board.Reference && !slices.Contains(methods, name) {
			return usagef("--show %s: it is not among --methods", name)
		}
	}
	return nil
}

// ready makes the figures of the board; none where they are not asked for.
func (f boardFigures) ready(results []*board.Result, table *board.Table) ([]plots.BoardFigure, error) {
	if *f.dir == "" {
		return nil, nil
	}
	b, err := plots.NewBoard(results, table, *f.show)
	if err != nil {
		return nil, err
	}
	return b.Figures()
}

// save saves the figures in the folder.
func (f boardFigures) save(s streams, figures []plots.BoardFigure) error {
	if *f.dir == "" {
		return nil
	}
	return saveFigures(s, *f.dir, figures)
}

// saveFigures saves each figure as SVG and as PNG in the folder, and says so.
func saveFigures(s streams, folder string, figures []plots.BoardFigure) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, figure := range figures {
		for _, ext := range []string{".svg", ".png"} {
			if err := figure.Save(filepath.Join(folder, figure.Name+ext)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(s.err, "figures: %s\n", folder)
	return nil
}
