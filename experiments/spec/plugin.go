package spec

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modebench/estimators"
)

// A pluginDesk knows the plug-ins of a spec: each is asked once what it is, however
// many variants it stands in. A nil desk knows none.
type pluginDesk struct {
	ctx     context.Context // of reading the spec
	dir     string          // of the spec: commands are started there
	timeout time.Duration
	mu      sync.Mutex
	known   map[string]estimators.Description // by command and files
}

// newPluginDesk is the desk of a spec file.
func newPluginDesk(file string, opt LoadOptions) *pluginDesk {
	ctx := opt.Context
	if ctx == nil {
		ctx = context.Background()
	}
	return &pluginDesk{ctx: ctx, dir: filepath.Dir(file), timeout: opt.PluginTimeout, known: map[string]estimators.Description{}}
}

// describe makes the method know what its plug-in needs; any other is left alone.
func (d *pluginDesk) describe(method *estimators.Instance) error {
	plugin, ok := method.Estimator.(*estimators.Plugin)
	if !ok {
		return nil
	}
	if d == nil { // a variant that no spec was read for
		d = newPluginDesk("", LoadOptions{})
	}
	text, err := json.Marshal([][]string{plugin.Command, plugin.Files})
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.known[string(text)]; ok {
		plugin.Know(known)
		return nil
	}
	if err := plugin.Ask(d.ctx, estimators.Host{Dir: d.dir, Timeout: d.timeout}); err != nil {
		return err
	}
	d.known[string(text)] = plugin.Description()
	return nil
}

// openPlugin starts the method's plug-in, if it is one, and returns what ends it. name is
// what the run is called: what the plug-in writes to its standard error comes to notes, a
// line at a time, behind it. notes may be nil.
func (p *Setup) OpenPlugin(ctx context.Context, name string, notes func(line string)) (end func() error, err error) {
	plugin, ok := p.Method.Estimator.(*estimators.Plugin)
	if !ok {
		return func() error { return nil }, nil
	}
	host := estimators.Host{}
	if d := p.plugins; d != nil {
		host.Dir, host.Timeout = d.dir, d.timeout
	}
	if notes != nil {
		host.Stderr = noteWriter{name + ": ", notes}
	}
	return plugin.Close, plugin.Open(ctx, host)
}

// Plugins says whether a method of the spec is a program of the user's.
func (s *Spec) Plugins() bool {
	for _, v := range s.Variants {
		if v.Method == estimators.PluginName {
			return true
		}
	}
	return false
}

// A noteWriter hands on lines, of which a plug-in writes one at a time.
type noteWriter struct {
	prefix string
	note   func(string)
}

func (w noteWriter) Write(p []byte) (int, error) {
	w.note(w.prefix + strings.TrimRight(string(p), "\r\n"))
	return len(p), nil
}
