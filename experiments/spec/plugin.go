package spec

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"modebench/estimators"
	"modebench/estimators/plugin"
)

// A pluginCache holds the descriptions of a spec's plug-ins: each is asked once, however
// many variants it has. A nil one holds none.
type pluginCache struct {
	ctx     context.Context // of reading the spec
	dir     string          // of the spec: commands are started there
	timeout time.Duration
	mu      sync.Mutex
	known   map[string]plugin.Description // by command and files
}

// newPluginCache returns the cache of a spec in a folder. When ctx ends, so do the programs
// that it starts; nil: never. A timeout of 0 is plugin.DefaultTimeout.
func newPluginCache(ctx context.Context, dir string, timeout time.Duration) *pluginCache {
	if ctx == nil {
		ctx = context.Background()
	}
	return &pluginCache{ctx: ctx, dir: dir, timeout: timeout, known: map[string]plugin.Description{}}
}

// describe gives the method the description of its plug-in. It leaves other methods alone.
func (d *pluginCache) describe(method *estimators.Instance) error {
	program, ok := method.Estimator.(*plugin.Plugin)
	if !ok {
		return nil
	}
	if d == nil { // a variant that was not read from a spec
		d = newPluginCache(context.Background(), ".", 0)
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
