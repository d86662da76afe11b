package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/input"
)

// pluginFlags are those of the commands that start plug-ins. The other commands start none.
type pluginFlags struct {
	timeout time.Duration
	none    bool
}

func (f *pluginFlags) AddFlags(flags *pflag.FlagSet) {
	f.timeout = plugin.DefaultTimeout
	cli.Duration(flags, &f.timeout, "plugin-timeout", "how long a plug-in may take for an answer", 1)
	flags.BoolVar(&f.none, "no-plugins", false, "start no plug-in: where one would be, the exit code is 3")
}

// start returns the function to call before a plug-in starts (plugin.Host), with its command and
// folder: it refuses every time, or prints them the first time.
func (f *pluginFlags) start(s streams) func(line string) error {
	var mu sync.Mutex
	printed := map[string]bool{}
	return func(line string) error {
		if f.none {
			return fmt.Errorf("--no-plugins: it would start %s", line)
		}
		mu.Lock()
		defer mu.Unlock()
		if !printed[line] {
			printed[line] = true
			fmt.Fprintln(s.err, "starting "+line)
		}
		return nil
	}
}

// options are those of reading a spec whose plug-ins are to be started.
func (f *pluginFlags) options(ctx context.Context, s streams) spec.LoadOptions {
	return spec.LoadOptions{StartPlugin: f.start(s), PluginTimeout: f.timeout, Context: ctx}
}

// toRun is the spec whose cells go to the folder out. It was read to look at it, and is read
// again, with its plug-ins started, only if one of their cells is not finished there, of those
// that part chooses; nil: of all.
func (f *pluginFlags) toRun(ctx context.Context, s streams, looked *spec.Spec, out string, part func(int) bool, read specReader) (*spec.Spec, error) {
	if !looked.Plugins() {
		return looked, nil
	}
	program := map[string]bool{} // by label
	for _, v := range looked.Variants {
		program[v.Label] = v.Method == plugin.Name
	}
	chosen := func(do func(sweep.PlannedCell) error) error {
		return sweep.CellsOf(ctx, looked)(func(c sweep.PlannedCell) error {
			if !program[c.Label] || part != nil && !part(c.Cell) {
				return nil
			}
			return do(c)
		})
	}
	for _, verify := range []bool{false, true} { // missing cells are found without reading the others
		status, err := sweep.StatusOf(filepath.Join(out, record.CellsDir), chosen, verify)
		if err != nil {
			return nil, err
		}
		if len(status.Cells) > 0 {
			return read(f.options(ctx, s))
		}
	}
	return looked, nil
}

// openPlugin starts the method's program, if it is one, in the current folder. Its
// standard error goes to ours; of the first start, which asks for its hello and tries it, only if that
// fails.
func (f *pluginFlags) openPlugin(ctx context.Context, s streams, method *estimators.Instance) (end func() error, err error) {
	program, ok := method.Estimator.(*plugin.Plugin)
	if !ok {
		return func() error { return nil }, nil
	}
	host := plugin.Host{Timeout: f.timeout, Stderr: s.err, Start: f.start(s)}
	var messages bytes.Buffer
	asking := host
	asking.Stderr = &messages
	if err := program.Describe(ctx, asking); err != nil {
		_, _ = s.err.Write(messages.Bytes())
		return nil, &input.Error{Err: err}
	}
	if err := program.Open(ctx, host); err != nil {
		return nil, &input.Error{Err: err}
	}
	if err := method.Check(); err != nil { // against the needs of its hello
		return nil, errors.Join(usagef("--set: %w", err), program.Close())
	}
	return program.Close, nil
}
