package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/internal/params"
	"modebench/internal/visible"
)

type document struct {
	file string
	root *node       // under a kind of policy, with the values set from outside
	kind *policyKind // of the spec's methods
	// adapted: the spec was not written for that kind, and has no overlay for it. Figures
	// and claims that do not fit are then left out, and noted.
	adapted bool
	set     bool // values are set from outside
	// overlay is the name of the overlay that is applied, if any. A mistake at a node outside
	// of it is a mistake under the overlay alone. The error names the overlay, because the line
	// does not show it.
	overlay string
	plugins *pluginCache
	design  *Design // nil: the spec's own seeds
}

// errorf reports a mistake at a node.
func (d document) errorf(n *node, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if n.from != nil {
		return d.settingError(n.from, err)
	}
	under := ""
	if d.overlay != "" && !n.within(d.overlay) {
		under = fmt.Sprintf(" (under [%s])", d.overlay)
	}
	if n.line > 0 {
		return fmt.Errorf("%s:%d: %w%s", d.file, n.line, err, under)
	}
	return fmt.Errorf("%s: %w%s", d.file, err, under)
}

// settingError reports a mistake of a value set from outside.
func (d document) settingError(from *setting, err error) error {
	if from.line > 0 {
		return fmt.Errorf("%s:%d: quick form, %s: %w", d.file, from.line, from.pair, err)
	}
	return &SetError{from.pair, err}
}

// table returns a sub-table; a missing one is empty, and in the place of its table.
func (d document) table(table *node, key string) (*node, error) {
	n := table.get(key)
	if n == nil {
		return &node{key: key, path: join(table.path, key), line: table.line}, nil
	}
	if n.fields == nil {
		return nil, d.errorf(n, "%q must be a table: [%s]", key, n.path)
	}
	return n, nil
}

func (d document) tables(key string) ([]*node, error) {
	n := d.root.get(key)
	if n == nil {
		return nil, nil
	}
	if n.list == nil || slices.ContainsFunc(n.list, func(e *node) bool { return e.fields == nil }) {
		return nil, d.errorf(n, "%q must be an array of tables: [[%s]]", key, n.path)
	}
	return n.list, nil
}

// oneOrMore lists the tables of a part: the one of [key], or those of [[key]].
func (d document) oneOrMore(key, noun string) ([]*node, error) {
	if n := d.root.get(key); n == nil || n.list == nil {
		table, err := d.table(d.root, key)
		return []*node{table}, err
	}
	list, err := d.tables(key)
	if err == nil && len(list) == 0 {
		err = d.errorf(d.root.get(key), "no %s: want [%s], or one [[%s]] at least", noun, key, key)
	}
	return list, err
}

func (d document) name(table *node, noun string) (string, error) {
	n := table.get("name")
	if n == nil {
		return "", d.errorf(table, "%s: the name of the %s is missing", table.path, noun)
	}
	if name, ok := n.value.(string); ok {
		return name, nil
	}
	return "", d.errorf(n, "the name of the %s must be a text", noun)
}

// fill sets a small struct from a table, leaving out the skipped keys.
func (d document) fill(table *node, ptr any, skip ...string) error {
	for _, field := range table.sorted() {
		if slices.Contains(skip, field.key) {
			continue
		}
		if err := params.Set(ptr, field.key, field.plain()); err != nil {
			return d.errorf(field, "%w", err)
		}
	}
	return nil
}

func (d document) texts(table *node, key string) ([]string, error) {
	n := table.get(key)
	if n == nil {
		return nil, nil
	}
	entries := n.list
	if entries == nil {
		entries = []*node{n}
	}
	var out []string
	for _, entry := range entries {
		text, ok := entry.value.(string)
		if !ok || text == "" || slices.Contains(out, text) {
			return nil, d.errorf(n, "%s: want a text, or a list of different texts, got %v", key, n.plain())
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

// graphic refuses a text with characters that do not show, such as control characters: titles and
// labels go to terminals and files. The expressions of a method may have lines.
func (d document) graphic(n *node, ofMethod bool) error {
	for _, field := range n.sorted() {
		if err := d.graphic(field, ofMethod || n == d.root && field.key == "method"); err != nil {
			return err
		}
	}
	for _, entry := range n.list {
		if err := d.graphic(entry, ofMethod); err != nil {
			return err
		}
	}
	value, _ := n.value.(string)
	shown := value
	if ofMethod && n.key != "name" && n.key != "label" {
		shown = lineEnds.Replace(value)
	}
	if first := visible.First(shown); first != "" {
		return d.errorf(n, "the text %q holds %s, which does not show: want letters, digits, signs and spaces on one line", value, first)
	}
	return nil
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")
