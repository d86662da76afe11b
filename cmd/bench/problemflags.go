package main

import (
	"errors"

	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/params"
)

// problemFlags are the flags that name a problem and how it is posed, shared by env and
// judge.
type problemFlags struct {
	split      string
	index      int
	envSeed    int
	set        []string
	candidates int
	stops      bool
	weights    []float64
}

func (f *problemFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.split, "split", "train", "pretrain, train, test or ood")
	cli.Int(flags, &f.index, "index", "number of the problem in its split", 0)
	flags.IntVar(&f.envSeed, "env-seed", 0, "draw of the problems, as --set env_seed: another sample for each number")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the environment: --set arms_per_mode=4 (bench list envs NAME)")
	flags.IntVar(&f.candidates, "candidates", 1, "answers asked for in one response, a multi-answer chain above 1")
	flags.BoolVar(&f.stops, "stops", false, "fewer answers than --candidates will do, and one of them may be named as final")
	flags.Float64SliceVar(&f.weights, "weights", nil, "score answers under these weights of the reward components and state them in the prompt; without it, under w*")
}

// reference is that of the problem that flags and argument name, the first of several.
func (f *problemFlags) reference(command string, args []string) (*reference.Reference, error) {
	if len(args) != 1 {
		return nil, usagef("bench %s takes the name of one environment; see bench help %s", command, command)
	}
	d, err := envs.Lookup(args[0])
	if err != nil {
		return nil, &input.Usage{Err: err}
	}
	config := d.Default()
	for _, pair := range f.set {
		if err := params.SetPair(config, pair); err != nil {
			return nil, usagef("--set: %w", err)
		}
	}
	if f.envSeed != 0 {
		if err := params.Set(config, "env_seed", int64(f.envSeed)); err != nil {
			return nil, usagef("--env-seed: %w", err)
		}
	}
	split, err := envs.ParseSplit(f.split)
	if err != nil {
		return nil, usagef("--split: %w", err)
	}
	return &reference.Reference{
		Env: d.Name, Config: config, Split: split, Index: f.index,
		Pose: reference.Pose{Candidates: f.candidates, Stops: f.stops, Weights: f.weights},
	}, nil
}

// problem finds the problem that flags and argument name, and its reference.
func (f *problemFlags) problem(command string, args []string) (*reference.Reference, *reference.Posed, error) {
	r, err := f.reference(command, args)
	if err != nil {
		return nil, nil, err
	}
	env, err := r.Build()
	if err != nil {
		return nil, nil, usagef("--set: %w", err)
	}
	p, err := env.Problem(r.Split, r.Index)
	if err != nil {
		return nil, nil, &input.Usage{Err: err}
	}
	q, err := reference.NewPosed(env.Info(), p, r.Pose)
	if wrong, ok := errors.AsType[*params.FieldError](err); ok {
		err = usagef("--%s: %w", wrong.Field, wrong.Err)
	}
	return r, q, err
}
