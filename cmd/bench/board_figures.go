package main

import (
	"fmt"
	"os"
	"path/filepath"

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

// draw draws the figures of the board into the folder, each as SVG and as PNG.
func (f boardFigures) draw(s streams, results []*board.Result, table *board.Table) error {
	if *f.dir == "" {
		return nil
	}
	b, err := plots.NewBoard(results, table, *f.show)
	if err != nil {
		return err
	}
	figures, err := b.Figures()
	if err != nil {
		return err
	}
	return f.save(s, figures)
}

// save writes figures into the folder.
func (f boardFigures) save(s streams, figures []plots.BoardFigure) error {
	if err := os.MkdirAll(*f.dir, 0o755); err != nil {
		return err
	}
	for _, figure := range figures {
		for _, ext := range []string{".svg", ".png"} {
			if err := figure.Save(filepath.Join(*f.dir, figure.Name+ext)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(s.err, "figures: %s\n", *f.dir)
	return nil
}
