package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// partFlags say which cells of an experiment a run makes.
type partFlags struct {
	flags        *pflag.FlagSet
	shard, cells *string
}

func newPartFlags(flags *pflag.FlagSet) partFlags {
	return partFlags{
		flags: flags,
		shard: flags.String("shard", "", "run the cells whose number leaves I when divided by N: I/N, 0 <= I < N; auto/N or auto in a Slurm array or an indexed Job"),
		cells: flags.String("cells", "", "run the cells of these numbers (bench run --plan): 3,7-9"),
	}
}

// part is what --shard and --cells choose; nil: every cell.
func (p partFlags) part() (func(int) bool, error) {
	switch { // an empty text is a variable that is not set, and not every cell
	case p.flags.Changed("shard") && p.flags.Changed("cells"):
		return nil, usagef("--shard and --cells exclude each other")
	case p.flags.Changed("shard"):
		shard, err := sweep.ParseShard(*p.shard, os.Getenv)
		if err != nil {
			return nil, usagef("--shard %s: %w", *p.shard, err)
		}
		return shard.Has, nil
	case p.flags.Changed("cells"):
		cells, err := p.numbers()
		if err != nil {
			return nil, err
		}
		return func(cell int) bool { _, found := slices.BinarySearch(cells, cell); return found }, nil
	}
	return nil, nil
}

func (p partFlags) numbers() (sweep.Numbers, error) {
	cells, err := sweep.ParseNumbers(*p.cells)
	if err != nil {
		return nil, usagef("--cells: %w", err)
	}
	return cells, nil
}

// check says whether the cells that are chosen are among all of the spec's.
func (p partFlags) check(all int) error {
	if !p.flags.Changed("cells") {
		return nil
	}
	cells, err := p.numbers()
	if err == nil && cells[len(cells)-1] >= all {
		err = usagef("--cells: there is no cell %d, the last one is %d", cells[len(cells)-1], all-1)
	}
	return err
}

// printPlan lists the cells of a run, and writes the list to a file where save asks for it.
func printPlan(s streams, spec *spec.Spec, out string, part func(int) bool, save bool) error {
	states := map[int]cells.State{}
	status, err := sweep.StatusOf(filepath.Join(out, record.CellsDir), sweep.CellsOf(spec), false)
	if err != nil {
		return err
	}
	for _, c := range status.Cells {
		states[c.Cell] = c.State
	}
	var text bytes.Buffer
	err = sweep.CellsOf(spec)(func(c sweep.PlannedCell) error {
		if part == nil || part(c.Cell) {
			fmt.Fprintf(&text, "%6d  %-9s  %s  %s, seed %d\n", c.Cell, states[c.Cell], c.ID, c.Label, c.Seed)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if save {
		path, err := sweep.SavePlan(spec, out)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "plan: %s\n", path)
	}
	_, err = s.out.Write(text.Bytes())
	return err
}

// again adds to the failures of a run what runs only those cells.
func again(err error, flags *pflag.FlagSet, spec string) error {
	cells := failedCells(err)
	if len(cells) == 0 {
		return err
	}
	slices.Sort(cells)
	noun := "cells"
	if len(cells) == 1 {
		noun = "cell"
	}
	return errors.Join(err, fmt.Errorf("%d %s failed, the others are kept; to run what failed again: %s", len(cells), noun, runOnly(flags, spec, cells)))
}

// failedCells lists the numbers of the cells that an error is about.
func failedCells(err error) sweep.Numbers {
	switch e := err.(type) {
	case *sweep.CellError:
		return append(sweep.Numbers{e.Cell}, e.Rest...)
	case interface{ Unwrap() []error }:
		var all sweep.Numbers
		for _, one := range e.Unwrap() {
			all = append(all, failedCells(one)...)
		}
		return all
	}
	return nil
}
