package spec

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// positions maps every key of a TOML text ("train.lr", "method[1].lambda",
// "method[1]" for the table itself) to the line it stands on. Decoders give
// positions only for mistakes they find themselves; ours come later.
func positions(data []byte) (map[string]int, error) {
	p := unstable.Parser{}
	p.Reset(data)
	w := keyWalker{parser: &p, lines: map[string]int{}, count: map[string]int{}}
	table := ""
	for p.NextExpression() {
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
	return w.lines, p.Error()
}

type keyWalker struct {
	parser *unstable.Parser
	lines  map[string]int
	count  map[string]int // tables of each array so far
}

// header notes a table's header and returns its full name. A name that runs
// through an array of tables means the array's last table.
func (w keyWalker) header(e *unstable.Node, array bool) string {
	var name string
	line := 0
	it := e.Key()
	for it.Next() {
		node := it.Node()
		name = join(name, string(node.Data))
		line = w.line(node)
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

func (w keyWalker) pair(table string, e *unstable.Node) {
	var parts []string
	line := 0
	it := e.Key()
	for it.Next() {
		parts = append(parts, string(it.Node().Data))
		line = w.line(it.Node())
	}
	name := join(table, strings.Join(parts, "."))
	w.lines[name] = line
	w.value(name, e.Value())
}

// value notes the keys of inline tables, also of those in arrays.
func (w keyWalker) value(name string, v *unstable.Node) {
	inner := v.Children()
	switch v.Kind {
	case unstable.InlineTable:
		for inner.Next() {
			w.pair(name, inner.Node())
		}
	case unstable.Array:
		for i := 0; inner.Next(); i++ {
			w.value(fmt.Sprintf("%s[%d]", name, i), inner.Node())
		}
	}
}

func (w keyWalker) line(key *unstable.Node) int {
	return w.parser.Shape(key.Raw).Start.Line
}
