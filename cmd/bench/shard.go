package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/input"
)

// partFlags choose the cells of an experiment that a run makes.
type partFlags struct {
	flags *pflag.FlagSet
	shard sweep.Shard // N is 0 for the plan's number
	cells sweep.Numbers
}

func (p *partFlags) AddFlags(flags *pflag.FlagSet) {
	p.flags = flags
	addShard(flags, &p.shard, "run the cells whose number leaves I when divided by N: I/N, 0 <= I < N; in a Slurm array or an indexed Job auto, of as many as the plan has, or auto/N")
	cli.Parsed(flags, &p.cells, "cells", "run the cells of these numbers (bench run --plan): 3,7-9", sweep.ParseNumbers)
}

// addShard declares --shard.
func addShard(flags *pflag.FlagSet, to *sweep.Shard, doc string) {
	cli.Parsed(flags, to, "shard", doc, func(text string) (sweep.Shard, error) { return sweep.ParseShard(text, os.Getenv) })
}

// check refuses both flags together.
func (p *partFlags) check() error {
	if p.cells != nil {
		return cli.Refuse(p.flags, "--%s and --cells exclude each other", "shard")
	}
	return nil
}

// choose returns the cells of a spec that --shard and --cells choose; nil: every cell. out is the
// folder with its plan.
func (p *partFlags) choose(spec *spec.Spec, out string) (func(int) bool, error) {
	if p.flags.Changed("shard") {
		return p.shardOf(filepath.Join(out, spec.Name))
	}
	if p.cells == nil {
		return nil, nil
	}
	if last, all := p.cells[len(p.cells)-1], len(spec.Variants)*spec.Seeds; last >= all {
		return nil, usagef("--cells: there is no cell %d, the last one is %d", last, all-1)
	}
	return func(cell int) bool { _, found := slices.BinarySearch(p.cells, cell); return found }, nil
}

// shardOf is the share of --shard, with the number of shards of the plan in a folder unless it has its
// own.
func (p *partFlags) shardOf(dir string) (func(int) bool, error) {
	shard, text := p.shard, p.flags.Lookup("shard").Value.String()
	if shard.N > 0 {
		return shard.Has, nil
	}
	n, err := sweep.PlannedShards(dir)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, input.Errorf("--shard %s: no plan in %s has the number of shards: bench run SPEC --plan --out OUT writes one, or give it as in auto/20", text, dir)
	case shard.I >= n:
		return nil, usagef("--shard %s: this is number %d, and the plan in %s has %d shards, 0 to %d (bench status lists those left)", text, shard.I, dir, n, n-1)
	}
	shard.N = n
	return shard.Has, nil
}
