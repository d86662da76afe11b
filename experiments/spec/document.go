package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/internal/params"
)

// A document is a spec's text while it is read, with the line of every key.
type document struct {
	file  string
	lines map[string]int
	kind  *policyKind // of the spec's methods
	// adapted: the spec was not written for that kind, and has no overlay for it. Figures
	// and claims that do not fit are then left out, and noted.
	adapted bool
	// overlay is the name of the overlay that is applied, if one is. A mistake at a line
	// that is not one of overlayLines is a mistake under the overlay alone. The error says
	// so, because nobody would guess it from the line.
	overlay      string
	overlayLines map[int]bool
	plugins      *pluginCache
	design       *Design           // nil: the spec's own seeds
	pairs        map[string]string // what was set from outside, by its key: PATH=VALUE
}

// errorf reports a mistake at a key ("method[1].lambda"); a key that is not in
// the text (a missing one) is reported at the table it belongs in.
func (d document) errorf(key, format string, args ...any) error {
	if pair := d.pair(key); pair != "" {
		return &SetError{pair, fmt.Errorf(format, args...)}
	}
	where, under := d.file, ""
	line := d.line(key)
	if line > 0 {
		where = fmt.Sprintf("%s:%d", d.file, line)
	}
	if d.overlay != "" && !d.overlayLines[line] {
		under = fmt.Sprintf(" (under [%s])", d.overlay)
	}
	return fmt.Errorf("%s: %w%s", where, fmt.Errorf(format, args...), under)
}

// pair is what --set gave for a key, or "". It is found for a part of the key too, such as
// one value of a list.
func (d document) pair(key string) string {
	for {
		if pair, ok := d.pairs[key]; ok {
			return pair
		}
		i := strings.LastIndexByte(key, '[')
		if i < 0 || d.ownLine(key) > 0 {
			return ""
		}
		key = key[:i]
	}
}

// line is the line of a key, or of the first of what it holds, or of the nearest table or list
// that it belongs to, or 0.
func (d document) line(key string) int {
	first := 0 // of a table that has no header of its own, as in [transformer.train]
	for below, line := range d.lines {
		if strings.HasPrefix(below, key+".") && (first == 0 || line < first) {
			first = line
		}
	}
	if first > 0 && d.ownLine(key) == 0 {
		return first
	}
	for {
		if line := d.ownLine(key); line > 0 {
			return line
		}
		i := max(strings.LastIndexByte(key, '.'), strings.LastIndexByte(key, '['))
		if i < 0 {
			return 0
		}
		key = key[:i]
	}
}

// ownLine is the line of a key, or 0; of an array of tables it is that of the first.
func (d document) ownLine(key string) int {
	if line, ok := d.lines[key]; ok {
		return line
	}
	return d.lines[key+"[0]"]
}

// keys lists the keys of a table in the order they stand in the text.
func (d document) keys(prefix string, table map[string]any) []string {
	keys := make([]string, 0, len(table))
	for key := range table {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if c := d.ownLine(join(prefix, a)) - d.ownLine(join(prefix, b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return keys
}

// table returns a sub-table; a missing one is empty.
func (d document) table(root map[string]any, key string) (map[string]any, error) {
	switch t := root[key].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return t, nil
	}
	return nil, d.errorf(key, "%q must be a table: [%s]", key, d.header(key))
}

// header is the header of a part as the text has it: in an overlay, after its name.
func (d document) header(key string) string {
	if d.overlay != "" && d.overlayLines[d.line(key)] {
		return join(d.overlay, key)
	}
	return key
}

// tables returns an array of tables; a missing one is empty.
func (d document) tables(root map[string]any, key string) ([]map[string]any, error) {
	if root[key] == nil {
		return nil, nil
	}
	list, ok := root[key].([]any)
	var out []map[string]any
	for _, e := range list {
		t, isTable := e.(map[string]any)
		ok = ok && isTable
		out = append(out, t)
	}
	if !ok {
		return nil, d.errorf(key, "%q must be an array of tables: [[%s]]", key, d.header(key))
	}
	return out, nil
}

// name reads the "name" of a part.
func (d document) name(prefix string, table map[string]any, what string) (string, error) {
	switch name := table["name"].(type) {
	case string:
		return name, nil
	case nil:
		return "", d.errorf(prefix, "%s: the name of the %s is missing", prefix, what)
	}
	return "", d.errorf(prefix+".name", "the name of the %s must be a text", what)
}

// fill sets a small struct from a table, leaving out the skipped keys.
func (d document) fill(prefix string, table map[string]any, ptr any, skip ...string) error {
	for _, key := range d.keys(prefix, table) {
		if slices.Contains(skip, key) {
			continue
		}
		if err := params.Set(ptr, key, table[key]); err != nil {
			return d.errorf(join(prefix, key), "%w", err)
		}
	}
	return nil
}

// texts reads a key that holds one text or a list of them.
func (d document) texts(prefix, key string, table map[string]any) ([]string, error) {
	list, isList := table[key].([]any)
	if table[key] != nil && !isList {
		list = []any{table[key]}
	}
	var out []string
	for _, entry := range list {
		text, ok := entry.(string)
		if !ok || text == "" || slices.Contains(out, text) {
			return nil, d.errorf(prefix+"."+key, "%s: want a text, or a list of different texts, got %v", key, table[key])
		}
		out = append(out, text)
	}
	return out, nil
}

// A SetError is a mistake in one of LoadOptions.Set.
type SetError struct {
	Pair string // PATH=VALUE
	Err  error
}

func (e *SetError) Error() string { return fmt.Sprintf("--set %s: %v", e.Pair, e.Err) }

// Unwrap gives the error itself.
func (e *SetError) Unwrap() error { return e.Err }
