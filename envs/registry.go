package envs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/internal/nearest"
	"modebench/internal/params"
)

// A Config holds an environment's parameters: a pointer to a struct whose fields carry the tags of
// package internal/params; the tag readers has the words of this package (ReadByJudge and the
// others). Build checks them and makes the environment.
type Config interface {
	Build() (Env, error)
}

// A Definition is one line of the registry.
type Definition struct {
	Name    string
	Summary string        // one line
	Source  string        // paper and section it comes from
	Default func() Config // fresh parameters, with their defaults
	// OneProblem: a single problem is the whole task, and its answers can be enumerated.
	OneProblem bool
	// Transformer has the settings with which a small transformer learns the environment with its
	// default parameters; the zero value leaves everything to the transformer's own defaults.
	Transformer Transformer
}

// A Transformer is the size of a small transformer and of its supervised
// pre-training. It makes a base policy that is right often enough to learn from, and
// wrong often enough to have something to learn, in minutes on two cores.
type Transformer struct {
	Width int     // of a position's vector; 0: no size is given
	Heads int     // of attention; they divide the width
	Steps int     // of pre-training
	Batch int     // demonstrations of a step
	LR    float64 // learning rate of pre-training
}

var registry = map[string]Definition{}

// Register adds an environment. It is called from init functions, and panics
// when a name is taken: that is a mistake in the program, not in its input.
func Register(d Definition) {
	if _, taken := registry[d.Name]; taken {
		panic("envs: two environments are named " + d.Name)
	}
	registry[d.Name] = d
}

// Lookup returns the environment of that name, or an error listing the known ones.
func Lookup(name string) (Definition, error) {
	d, ok := registry[name]
	if !ok {
		return Definition{}, fmt.Errorf("unknown environment %q; %sknown environments: %s", name, nearest.Hint(name, Names()), strings.Join(Names(), ", "))
	}
	return d, nil
}

// Names lists the registered environments in alphabetical order.
func Names() []string {
	return slices.Sorted(maps.Keys(registry))
}

// Values of the tag readers (package internal/params): the only parts that read a field of
// a Config. A field without the tag may change the problems, and so everything.
const (
	// ReadByDemonstrator is of Problem.Demonstrate and Priored, from which a tabular policy starts.
	ReadByDemonstrator = "demonstrator"
	// ReadByLessons is of Teacher.Lesson.
	ReadByLessons = "lessons"
	// ReadByJudge is of verdicts, Truth and Info.Weights.
	ReadByJudge = "judge"
)

// LessonReaders lists who reads fields of the environment's Config for Lesson: a
// Teacher's lessons are its own, and the demonstrator gives those of others.
func LessonReaders(e Env) []string {
	if _, teaches := e.(Teacher); teaches {
		return []string{ReadByLessons}
	}
	return []string{ReadByDemonstrator}
}

// Reads reports whether one of the readers reads a field.
func Reads(readers []string, f params.Field) bool {
	return f.Readers == nil || slices.ContainsFunc(f.Readers, func(r string) bool { return slices.Contains(readers, r) })
}

// LessonParams are the values, by name, of the parameters that Lesson depends on, as
// params.Values has them. e was built from config. The draw of problems is not among them:
// lessons are of the split pretrain, which every draw has.
func LessonParams(e Env, config Config) map[string]any {
	out, readers := params.Values(config), LessonReaders(e)
	for _, f := range params.Fields(config) {
		if f.Name == envSeedField || !Reads(readers, f) {
			delete(out, f.Name)
		}
	}
	return out
}
