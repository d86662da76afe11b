package spec

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
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

	tracebacks sync.Map // of all runs, by text
}

func newPluginCache(dir string, opt LoadOptions) *pluginCache {
	ctx := cmp.Or(opt.Context, context.Background())
	return &pluginCache{ctx: ctx, dir: dir, timeout: opt.PluginTimeout, start: opt.StartPlugin, known: map[string]plugin.Description{}}
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
	if d.start == nil {
		err = program.Identify(d.dir)
	} else {
		err = program.Describe(d.ctx, d.host())
	}
	if err != nil {
		return err
	}
	d.known[string(text)] = program.Description()
	return nil
}

func (d *pluginCache) host() plugin.Host {
	return plugin.Host{Dir: d.dir, Timeout: d.timeout, Start: d.start}
}

// A noteWriter passes on a plug-in's standard error, one line a Write. A traceback of Python is
// passed on whole, and only once: the same mistake ends every seed.
type noteWriter struct {
	prefix string
	note   func(string)
	shown  *sync.Map // tracebacks by text
	held   []string  // of a traceback that has begun
}

// tracebackHeader begins every traceback. Its frames are indented, and the first line that
// is not, the error, ends it.
const tracebackHeader = "Traceback (most recent call last):"

// Write implements io.Writer.
func (w *noteWriter) Write(p []byte) (int, error) {
	line := strings.TrimRight(string(p), "\r\n")
	switch {
	case line == tracebackHeader:
		w.flush()
		w.held = append(w.held, line)
	case len(w.held) == 0:
		w.note(w.prefix + line)
	case strings.HasPrefix(line, " "):
		w.held = append(w.held, line)
	default:
		w.held = append(w.held, line)
		if _, shown := w.shown.LoadOrStore(strings.Join(w.held, "\n"), true); shown {
			w.held = w.held[:0]
		}
		w.flush()
	}
	return len(p), nil
}

func (w *noteWriter) flush() {
	for _, line := range w.held {
		w.note(w.prefix + line)
	}
	w.held = w.held[:0]
}
