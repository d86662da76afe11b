package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// partFlags say which cells of an experiment a run makes.
type partFlags struct {
	flags        *pflag.FlagSet
	shard, cells string
}

func (p *partFlags) AddFlags(flags *pflag.FlagSet) {
	p.flags = flags
	flags.StringVar(&p.shard, "shard", "", "run the cells whose number leaves I when divided by N: I/N, 0 <= I < N; in a Slurm array or an indexed Job auto, of as many as the plan says, or auto/N")
	flags.StringVar(&p.cells, "cells", "", "run the cells of these numbers (bench run --plan): 3,7-9")
}

// check looks at what needs no spec.
func (p *partFlags) check() error {
	_, _, err := p.parse()
	return err
}

// parse reads --shard or --cells; cells is nil where --cells is not given.
func (p *partFlags) parse() (shard sweep.Shard, cells sweep.Numbers, err error) {
	switch { // an empty text is a variable that is not set, and not every cell
	case p.flags.Changed("shard") && p.flags.Changed("cells"):
		return shard, nil, usagef("--shard and --cells exclude each other")
	case p.flags.Changed("shard"):
		if shard, err = sweep.ParseShard(p.shard, os.Getenv); err != nil {
			return shard, nil, usagef("--shard %s: %w", p.shard, err)
		}
	case p.flags.Changed("cells"):
		if cells, err = sweep.ParseNumbers(p.cells); err != nil {
			return shard, nil, usagef("--cells: %w", err)
		}
	}
	return shard, cells, nil
}

// of is what --shard and --cells choose of a spec; nil: every cell. out is the folder with
// its plan.
func (p *partFlags) of(spec *spec.Spec, out string) (func(int) bool, error) {
	shard, cells, err := p.parse()
	if err != nil {
		return nil, err
	}
	if p.flags.Changed("shard") {
		if shard.N == 0 {
			if shard.N, err = plannedShards(filepath.Join(out, spec.Name), p.shard); err != nil {
				return nil, err
			}
			if shard.I >= shard.N {
				return nil, usagef("--shard %s: this is number %d, and the plan in %s has %d shards, 0 to %d (bench status says which are left)", p.shard, shard.I, filepath.Join(out, spec.Name), shard.N, shard.N-1)
			}
		}
		return shard.Has, nil
	}
	if cells == nil {
		return nil, nil
	}
	if all := len(spec.Variants) * spec.Seeds; cells[len(cells)-1] >= all {
		return nil, usagef("--cells: there is no cell %d, the last one is %d", cells[len(cells)-1], all-1)
	}
	return func(cell int) bool { _, found := slices.BinarySearch(cells, cell); return found }, nil
}

// plannedShards is how many shards the plan in a folder has, for --shard auto.
func plannedShards(dir, flag string) (int, error) {
	n, err := sweep.PlannedShards(dir)
	if err == nil && n == 0 {
		err = inputError(fmt.Errorf("--shard %s: no plan in %s says how many shards there are: bench run SPEC --plan --out OUT writes one, or say it as in auto/20", flag, dir))
	}
	return n, err
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
