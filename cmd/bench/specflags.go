package main

import (
	"context"
	"errors"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/catalog"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/cli"
	"modebench/internal/input"
)

// specFlags change a spec when it is read. They are the same for every command that asks which
// cells it has.
type specFlags struct {
	flags  *pflag.FlagSet
	seeds  int
	policy string
	set    []string
	quick  bool
	name   string
}

func (f *specFlags) AddFlags(flags *pflag.FlagSet) {
	f.flags = flags
	cli.Int(flags, &f.seeds, "seeds", "run N seeds instead of the spec's number: 0 to N-1, or from its first_seed on", 1, spec.MaxSeeds)
	addPolicy(flags, &f.policy, "run under this kind of policy: ", "; default: the spec's")
	flags.StringArrayVar(&f.set, "set", nil, "change a field of the spec: --set train.lr=0.03, --set method.vpo.draws=4")
	flags.BoolVar(&f.quick, "quick", false, "run the quick form of the spec, which shows the direction of its effects within minutes")
	flags.StringVar(&f.name, "name", "", "name of the run and of its folder; default: the spec's, with the changes of --set and --policy (bench list specs SPEC with the same flags prints it)")
}

// addPolicy declares --policy, with the kinds of policies between two halves of its text.
func addPolicy(flags *pflag.FlagSet, policy *string, before, after string) {
	cli.Choice(flags, policy, "policy", before+strings.Join(catalog.Policies(), ", ")+after, catalog.Policies()...)
}

// A specReader reads a spec, with options for its plug-ins.
type specReader func(spec.LoadOptions) (*spec.Spec, error)

// load reads the spec to look at it: no plug-in is started.
func (f *specFlags) load(ctx context.Context, name string) (*spec.Spec, error) {
	return f.reader(name)(spec.LoadOptions{Context: ctx})
}

// reader reads the spec, with options for its plug-ins.
func (f *specFlags) reader(name string) specReader {
	return func(opt spec.LoadOptions) (*spec.Spec, error) {
		opt.Policy, opt.Set, opt.Quick, opt.Name = f.policy, f.set, f.quick, f.name
		s, err := spec.LoadWith(name, opt)
		if set, ok := errors.AsType[*spec.SetError](err); ok {
			return nil, &input.Usage{Err: set}
		}
		if err == nil && f.seeds > 0 {
			s.Seeds = f.seeds
		}
		return s, err
	}
}

// sweepFlags name the folder and the device of the cells of experiments.
type sweepFlags struct {
	flags              *pflag.FlagSet
	out, device, cache string
	jobs               int
	verifyCache        bool
}

func (f *sweepFlags) AddFlags(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVarP(&f.out, "out", "o", "results", "folder to write to")
	addJobs(flags, &f.jobs, "cells to run at the same time, on a GPU 64 unless this is given; those after the first wait where memory does not do for one more")
	flags.StringVar(&f.device, "device", train.DefaultDevice, "what transformers compute on: auto, cpu, cuda, cuda:1")
	flags.StringVar(&f.cache, "cache", "", "folder to keep base policies in")
	flags.BoolVar(&f.verifyCache, "verify-cache", false, "make base policies again, and stop if a kept one differs")
}

// addJobs declares --jobs.
func addJobs(flags *pflag.FlagSet, jobs *int, doc string) {
	*jobs = runtime.GOMAXPROCS(0)
	cli.Int(flags, jobs, "jobs,j", doc, 1)
}

// options are those of a sweep; Jobs is 0 unless the user gave the number.
func (f *sweepFlags) options() sweep.Options {
	opt := sweep.Options{Out: f.out, Cache: f.cache, VerifyCache: f.verifyCache, Device: f.device}
	if f.flags.Changed("jobs") {
		opt.Jobs = f.jobs
	}
	return opt
}
