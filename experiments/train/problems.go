package train

import (
	"encoding/json"
	"slices"
	"sync"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/params"
)

// Problems keeps the problems that cells of one sweep have in common, so that each is drawn and
// solved once. A problem is a function of its environment's parameters, its split and its number,
// and safe for concurrent use. So no record depends on who made it.
type Problems struct {
	mu   sync.Mutex
	kept []*drawnProblems // the most recently used comes last
}

// keptDraws is how many draws of problems are kept: enough for ten seeds with separate problems.
// The least recently used draw gives way. Sweeps go through the seeds of a method before the next
// method, so with more draws than that no draw would be used again.
const keptDraws = 12

// drawnProblems are problems of one environment.
type drawnProblems struct {
	name string // of the environment, with all of its parameters
	env  envs.Env

	mu   sync.Mutex
	made map[envs.Split][]envs.Problem // by number; nil: not made yet
}

// share has the setup take its problems from those that are kept.
func (s *Problems) share(p *spec.Setup) error {
	name, err := json.Marshal(record.Component{Name: p.EnvName, Params: params.Values(p.EnvConfig)})
	if err != nil {
		return err
	}
	p.Problems = s.drawn(string(name), p.Env).problem
	return nil
}

// drawn are the kept problems of an environment.
func (s *Problems) drawn(name string, env envs.Env) *drawnProblems {
	s.mu.Lock()
	defer s.mu.Unlock()
	index := slices.IndexFunc(s.kept, func(d *drawnProblems) bool { return d.name == name })
	if index < 0 {
		if len(s.kept) == keptDraws {
			s.kept = slices.Delete(s.kept, 0, 1)
		}
		d := &drawnProblems{name: name, env: env, made: map[envs.Split][]envs.Problem{}}
		s.kept = append(s.kept, d)
		return d
	}
	d := s.kept[index]
	s.kept = append(slices.Delete(s.kept, index, index+1), d)
	return d
}

// problem is problem number index of a split. Errors are the environment's.
func (d *drawnProblems) problem(split envs.Split, index int) (envs.Problem, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	made := d.made[split]
	if 0 <= index && index < len(made) && made[index] != nil {
		return made[index], nil
	}
	problem, err := d.env.Problem(split, index)
	if err != nil {
		return nil, err
	}
	if short := index + 1 - len(made); short > 0 {
		made = append(made, make([]envs.Problem, short)...)
	}
	made[index] = problem
	d.made[split] = made
	return problem, nil
}
