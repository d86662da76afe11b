package spec

import (
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// What a spec may hold at most. The decoder looks for a key among all that its table has, so
// its time grows with their square; and full names grow with every table in a table.
const (
	maxBytes   = 1 << 20
	maxKeys    = 1000        // of a table
	maxKey     = 1000        // bytes of a key's full name
	maxEntries = MaxVariants // of a list
)

// positions maps every key of a TOML text ("train.lr", "method[1].lambda",
// "method[1]" for the table itself) to the line it stands on. Decoders give
// positions only for mistakes they find themselves; ours come later. What is more than a
// spec may hold is a *limitError.
func positions(data []byte) (map[string]int, error) {
	p := unstable.Parser{}
	p.Reset(data)
	w := &keyWalker{starts: lineStarts(data), lines: map[string]int{}, count: map[string]int{}, keys: map[string]int{}}
	table := ""
	for w.over == nil && p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = w.header(e, false)
		case unstable.ArrayTable:
			table = w.header(e, true)
		case unstable.KeyValue:
			w.pair(table, e)
		}
	}
	if w.over != nil {
		return nil, w.over
	}
	return w.lines, p.Error()
}

// A limitError says that a spec holds too much.
type limitError struct {
	line int
	text string
}

func (e *limitError) Error() string { return e.text }

type keyWalker struct {
	starts []int // of the text's lines
	lines  map[string]int
	count  map[string]int // tables of each array so far
	keys   map[string]int // how many each key has below it
	over   *limitError    // the first
}

// below is the full name of a key in a table.
func (w *keyWalker) below(table, key string, line int) string {
	if w.over != nil {
		return table
	}
	name := join(table, key)
	w.checkName(name, line)
	if _, known := w.keys[name]; !known {
		w.keys[name] = 0
		if w.keys[table]++; w.keys[table] > maxKeys {
			w.refuse(line, "a table of a spec has at most %d keys", maxKeys)
		}
	}
	return name
}

func (w *keyWalker) checkName(name string, line int) {
	if len(name) > maxKey {
		w.refuse(line, "the full name of a key in a spec has at most %d bytes", maxKey)
	}
}

func (w *keyWalker) refuse(line int, format string, args ...any) {
	if w.over == nil {
		w.over = &limitError{line, fmt.Sprintf(format, args...)}
	}
}

// header notes a table's header and returns its full name. A name that runs
// through an array of tables means the array's last table.
func (w *keyWalker) header(e *unstable.Node, array bool) string {
	var name string
	line := 0
	it := e.Key()
	for it.Next() {
		node := it.Node()
		line = w.line(node)
		name = w.below(name, string(node.Data), line)
		if n := w.count[name]; n > 0 && !(array && it.IsLast()) {
			name = fmt.Sprintf("%s[%d]", name, n-1)
		}
	}
	if array {
		w.count[name]++
		name = fmt.Sprintf("%s[%d]", name, w.count[name]-1)
	}
	w.lines[name] = line
	return name
}

func (w *keyWalker) pair(table string, e *unstable.Node) {
	name, line := table, 0
	it := e.Key()
	for it.Next() {
		line = w.line(it.Node())
		name = w.below(name, string(it.Node().Data), line)
	}
	w.lines[name] = line
	w.value(name, line, e.Value())
}

// value notes the keys of inline tables, also of those in arrays; line is that of the key
// whose value it is.
func (w *keyWalker) value(name string, line int, v *unstable.Node) {
	inner := v.Children()
	switch v.Kind {
	case unstable.InlineTable:
		for w.over == nil && inner.Next() {
			w.pair(name, inner.Node())
		}
	case unstable.Array:
		for i := 0; w.over == nil && inner.Next(); i++ {
			if i == maxEntries {
				w.refuse(line, "a list in a spec has at most %d entries", maxEntries)
			}
			entry := fmt.Sprintf("%s[%d]", name, i)
			w.checkName(entry, line)
			w.value(entry, line, inner.Node())
		}
	}
}

// line is where a key stands. The parser's own answer counts lines from the beginning of the
// text, for each key anew.
func (w *keyWalker) line(key *unstable.Node) int {
	line, _ := slices.BinarySearch(w.starts, int(key.Raw.Offset)+1)
	return line
}

// lineStarts lists where the lines of a text begin.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}
