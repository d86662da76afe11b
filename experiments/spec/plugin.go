package spec

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"modebench/estimators"
	"modebench/estimators/plugin"
)

// A pluginDesk knows the plug-ins of a spec: each is asked once what it is, however
// many variants it stands in. A nil desk knows none.
type pluginDesk struct {
	ctx     context.Context // of reading the spec
	dir     string          // of the spec: commands are started there
	timeout time.Duration
	mu      sync.Mutex
	known   map[string]plugin.Description // by command and files

	tracebacks tracebacks // of all runs
}

// newPluginDesk is the desk of a spec in a folder. ctx ends what it starts, nil: nothing
// does; a timeout of 0 is plugin.DefaultTimeout.
func newPluginDesk(ctx context.Context, dir string, timeout time.Duration) *pluginDesk {
	if ctx == nil {
		ctx = context.Background()
	}
	return &pluginDesk{ctx: ctx, dir: dir, timeout: timeout, known: map[string]plugin.Description{}}
}

// describe makes the method know what its plug-in needs; any other is left alone.
func (d *pluginDesk) describe(method *estimators.Instance) error {
	program, ok := method.Estimator.(*plugin.Plugin)
	if !ok {
		return nil
	}
	if d == nil { // a variant that no spec was read for
		d = newPluginDesk(context.Background(), ".", 0)
	}
	text, err := json.Marshal([][]string{program.Command, program.Files})
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.known[string(text)]; ok {
		program.SetDescription(known)
		return nil
	}
	if err := program.Describe(d.ctx, plugin.Host{Dir: d.dir, Timeout: d.timeout}); err != nil {
		return err
	}
	d.known[string(text)] = program.Description()
	return nil
}
