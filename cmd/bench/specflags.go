package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/nearest"
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
	flags.IntVar(&f.seeds, "seeds", 0, "run N seeds instead of the spec's number: 0 to N-1, or from its first_seed on")
	flags.StringVar(&f.policy, "policy", "", "run under this kind of policy: "+policyNames()+"; default: the spec's")
	flags.StringArrayVar(&f.set, "set", nil, "change a field of the spec: --set train.lr=0.03, --set method.vpo.draws=4")
	flags.BoolVar(&f.quick, "quick", false, "run the quick form of the spec, which shows the direction of its effects within minutes")
	flags.StringVar(&f.name, "name", "", "name of the run and of its folder; default: the spec's, with what --set and --policy change (bench list specs SPEC with the same flags says what)")
}

// check looks at what needs no spec.
func (f *specFlags) check() error {
	return checkPolicy(f.flags, f.policy)
}

// load reads the spec to look at it: no plug-in is started.
func (f *specFlags) load(ctx context.Context, name string) (*spec.Spec, error) {
	return f.reader(name)(spec.LoadOptions{Context: ctx})
}

// reader reads the spec, with options for its plug-ins.
func (f *specFlags) reader(name string) specReader {
	return func(opt spec.LoadOptions) (*spec.Spec, error) {
		opt.Policy, opt.Set, opt.Quick, opt.Name = f.policy, f.set, f.quick, f.name
		s, err := spec.LoadWith(name, opt)
		var set *spec.SetError
		if errors.As(err, &set) {
			return nil, &usageError{set}
		}
		if err != nil {
			return nil, err
		}
		if f.flags.Changed("seeds") {
			if f.seeds < 1 || f.seeds > spec.MaxSeeds {
				return nil, usagef("--seeds is %d, want 1 to %d", f.seeds, spec.MaxSeeds)
			}
			s.Seeds = f.seeds
		}
		return s, nil
	}
}

// checkPolicy says whether --policy, where it is given, names a kind of policy.
func checkPolicy(flags *pflag.FlagSet, policy string) error {
	if names, _ := spec.Policies(); flags.Changed("policy") && !slices.Contains(names, policy) {
		return usagef("--policy %q, %swant one of %s", policy, nearest.Hint(policy, names), policyNames())
	}
	return nil
}

// policyNames lists the kinds of policies.
func policyNames() string {
	names, _ := spec.Policies()
	return strings.Join(names, ", ")
}

// sweepFlags say where the cells of experiments are made, and on what.
type sweepFlags struct {
	flags              *pflag.FlagSet
	out, device, cache string
	jobs               int
	verifyCache        bool
}

func (f *sweepFlags) AddFlags(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVarP(&f.out, "out", "o", "results", "folder to write to")
	flags.IntVarP(&f.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "cells to run at the same time, on a GPU 64 unless this is given; those after the first wait where memory does not do for one more")
	flags.StringVar(&f.device, "device", train.DefaultDevice, "what transformers compute on: auto, cpu, cuda, cuda:1")
	flags.StringVar(&f.cache, "cache", "", "folder to keep base policies in")
	flags.BoolVar(&f.verifyCache, "verify-cache", false, "make base policies again, and stop if one that is kept is another")
}

func (f *sweepFlags) check() error { return checkJobs(f.jobs) }

// checkJobs checks the value of --jobs.
func checkJobs(jobs int) error {
	if jobs < 1 {
		return usagef("--jobs is %d, want 1 or more", jobs)
	}
	return nil
}

// options are those of a sweep; Jobs is 0 unless the user gave the number.
func (f *sweepFlags) options() sweep.Options {
	opt := sweep.Options{Out: f.out, Cache: f.cache, VerifyCache: f.verifyCache, Device: f.device}
	if f.flags.Changed("jobs") {
		opt.Jobs = f.jobs
	}
	return opt
}

// notAgain are the flags, of run and status, that a run of chosen cells does without.
var notAgain = []string{"cells", "shard", "shards", "array", "verify", "plan", "task-time"}

// runOnly is the command that runs some of the spec's cells, nil: all, under the flags that
// were given, for a shell.
func runOnly(flags *pflag.FlagSet, spec string, cells sweep.Numbers) string {
	words := append([]string{"bench", "run", spec}, given(flags)...)
	if cells != nil {
		words = append(words, "--cells="+cells.String())
	}
	return shellLine(words)
}

// oneSeed is the command that runs one seed of the spec, under the flags that were given.
func oneSeed(flags *pflag.FlagSet, spec string) string {
	return shellLine(append(append([]string{"bench", "run", spec}, given(flags, "seeds")...), "--seeds=1"))
}

// arrayLine is the command that runs some of n tasks as a Slurm array, under the flags that
// were given. planned is how many tasks the plan has; 0: there is none, or it does not say.
func arrayLine(flags *pflag.FlagSet, spec string, tasks sweep.Numbers, n, planned int) string {
	words := append([]string{"sbatch", "--array=" + tasks.String(), "array.sbatch", spec}, given(flags)...)
	if n != planned {
		words = append(words, fmt.Sprintf("--shard=auto/%d", n))
	}
	return shellLine(words)
}

// given lists the flags that were given, but for those of notAgain and some more.
func given(flags *pflag.FlagSet, without ...string) (words []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(notAgain, f.Name) || slices.Contains(without, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
			if f.Value.Type() == "stringSlice" { // of which one holds all
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, value := range values {
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return words
}

// shellLine is a command as a shell reads it.
func shellLine(words []string) string {
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./=:@%+,-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
