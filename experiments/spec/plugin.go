package spec

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"modebench/estimators"
	"modebench/estimators/plugin"
)

// A pluginCache holds the descriptions of a spec's plug-ins: each is asked once, however many
// variants it has, or only identified if plug-ins may not be started. A nil cache is empty.
type pluginCache struct {
	ctx     context.Context // of reading the spec
	dir     string          // of the spec: commands are started there
	timeout time.Duration
	start   func(line string) error // LoadOptions.StartPlugin
	mu      sync.Mutex
	known   map[string]plugin.Description // by command and files

	tracebacks tracebacks // of all runs
}

// newPluginCache returns the cache of a spec in a folder.
func newPluginCache(dir string, opt LoadOptions) *pluginCache {
	d := &pluginCache{ctx: opt.Context, dir: dir, timeout: opt.PluginTimeout, start: opt.StartPlugin, known: map[string]plugin.Description{}}
	if d.ctx == nil {
		d.ctx = context.Background()
	}
	return d
}

// describe gives the method the description of its plug-in. It leaves other methods alone.
func (d *pluginCache) describe(method *estimators.Instance) error {
	program, ok := method.Estimator.(*plugin.Plugin)
	if !ok {
		return nil
	}
	if d == nil { // a variant that was not read from a spec
		d = newPluginCache(".", LoadOptions{})
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
	if err := d.ask(program); err != nil {
		return err
	}
	d.known[string(text)] = program.Description()
	return nil
}

// ask finds the description of a plug-in, by starting it if that is allowed.
func (d *pluginCache) ask(program *plugin.Plugin) error {
	if d.start == nil {
		return program.Identify(d.dir)
	}
	return program.Describe(d.ctx, d.host())
}

// host is the environment in which the spec's plug-ins start.
func (d *pluginCache) host() plugin.Host {
	return plugin.Host{Dir: d.dir, Timeout: d.timeout, Start: d.start}
}
