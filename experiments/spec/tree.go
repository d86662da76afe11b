package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A node is a value of a spec with its place: a table, a list, or a text, number or truth
// value. The methods that read a node take nil for a missing one.
type node struct {
	key    string           // in its table; "": it is an entry of a list
	path   string           // full name as the text has it: "transformer.method[0].train"
	line   int              // 0: the text does not have it
	from   *setting         // the setting that set it from outside the text; nil: not set
	fields map[string]*node // of a table, else nil
	list   []*node          // entries of a list, else nil
	value  any              // of any other kind of node
}

type setting struct {
	pair string
	line int // of the quick form that has it; 0: it is one of LoadOptions.Set
}

func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

// place returns a field for an error about it: if it is missing, its table.
func (n *node) place(key string) *node {
	if field := n.get(key); field != nil {
		return field
	}
	return n
}

func (n *node) text(key string) string {
	if field := n.get(key); field != nil {
		text, _ := field.value.(string)
		return text
	}
	return ""
}

func (n *node) entries() []*node {
	if n == nil {
		return nil
	}
	return n.list
}

// called returns the name of a method in the spec: its label, or else its name, or "".
func (n *node) called() string { return cmp.Or(n.text("label"), n.text("name")) }

// sorted lists the fields of a table in the order of the text, those of one line by name.
func (n *node) sorted() []*node {
	if n == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(n.fields), func(a, b *node) int {
		return cmp.Or(a.line-b.line, strings.Compare(a.key, b.key))
	})
}

// plain returns the value without its places, as a TOML decoder gives it.
func (n *node) plain() any {
	switch {
	case n == nil:
		return nil
	case n.fields != nil:
		table := map[string]any{}
		for key, field := range n.fields {
			table[key] = field.plain()
		}
		return table
	case n.list != nil:
		list := make([]any, len(n.list))
		for i, entry := range n.list {
			list[i] = entry.plain()
		}
		return list
	}
	return n.value
}

func (n *node) within(overlay string) bool {
	return overlay != "" && strings.HasPrefix(n.path+".", overlay+".")
}

func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	out := *n
	out.fields = maps.Clone(n.fields)
	for key, field := range out.fields {
		out.fields[key] = field.clone()
	}
	out.list = slices.Clone(n.list)
	for i, entry := range out.list {
		out.list[i] = entry.clone()
	}
	return &out
}

// child returns a field of a table, and adds it if it is missing.
func (n *node) child(key string, line int) *node {
	if n.fields == nil {
		n.fields = map[string]*node{}
	}
	field := n.fields[key]
	if field == nil {
		field = &node{key: key, path: join(n.path, key), line: line, from: n.from}
		n.fields[key] = field
	}
	return field
}

// put sets a field of a table to a copy of a value, at the line of the value that it replaces.
func (n *node) put(key string, value *node) {
	field := n.child(key, 0)
	copied := value.clone()
	copied.key, copied.path, copied.line = key, field.path, field.line
	n.fields[key] = copied
}

// merge lays a table over a second one. Fields replace those of their name, and tables are
// merged. It returns the names of the fields that are replaced.
func (n *node) merge(over *node) (replaced []string) {
	for _, field := range over.sorted() {
		under := n.fields[field.key]
		switch {
		case under == nil:
		case under.fields != nil && field.fields != nil:
			for _, name := range under.merge(field) {
				replaced = append(replaced, join(field.key, name))
			}
			under.path, under.line = field.path, field.line
			continue
		default:
			replaced = append(replaced, field.key)
		}
		n.fields[field.key] = field
	}
	return replaced
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// The limits of a spec. The decoder looks for a key among all keys of its table, so its time
// grows with the square of their number; and full names grow with every table in a table.
const (
	maxBytes   = 1 << 20
	maxKeys    = 1000        // of a table
	maxKey     = 1000        // bytes of a key's full name
	maxEntries = MaxVariants // of a list
)

// parseTree reads a TOML text into nodes. file is its name in errors. from is the setting that
// the values come from, outside a spec; nil: the text is a spec.
func parseTree(file string, data []byte, from *setting) (*node, error) {
	b := builder{file: file, data: data, current: 1}
	root := &node{fields: map[string]*node{}, from: from}
	table := root
	p := unstable.Parser{}
	p.Reset(data)
	for b.over == nil && p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = b.header(root, e)
		case unstable.KeyValue:
			b.pair(table, e)
		}
	}
	if b.over != nil {
		return nil, b.over
	}
	return root, checkTOML(file, data)
}

// checkTOML finds the mistakes that the parser leaves: repeated names and malformed numbers.
func checkTOML(file string, data []byte) error {
	var unused map[string]any
	err := toml.Unmarshal(data, &unused)
	if err == nil {
		return nil
	}
	decode, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return fmt.Errorf("%s: %w", file, err)
	}
	text := strings.TrimPrefix(decode.Error(), "toml: ")
	if strings.Contains(text, "should be an array table") {
		text = fmt.Sprintf("several tables of one name are written [[%s]] each, the first one too", strings.Join(decode.Key(), "."))
	}
	line, column := decode.Position()
	return fmt.Errorf("%s:%d:%d: %s", file, line, column, text)
}

// A builder makes nodes of expressions, of malformed TOML too, whose mistakes are found later.
type builder struct {
	file    string
	data    []byte
	offset  int // of the part of the data that lines are counted in
	current int // line at the offset
	over    error
}

// line returns the line of a part of the text. Parts come in their order. The parser's own
// answer counts lines from the beginning of the text, for each part anew.
func (b *builder) line(n *unstable.Node) int {
	end := int(n.Raw.Offset)
	b.current += bytes.Count(b.data[b.offset:end], []byte("\n"))
	b.offset = end
	return b.current
}

func (b *builder) limit(exceeded bool, line int, format string, limit int) {
	if exceeded && b.over == nil {
		b.over = fmt.Errorf("%s:%d: "+format, b.file, line, limit)
	}
}

// header returns the table that a header begins: of an array of tables on the way, the last one.
func (b *builder) header(root *node, e *unstable.Node) *node {
	n := root
	for it := e.Key(); it.Next(); {
		if last := len(n.list) - 1; last >= 0 {
			n = n.list[last]
		}
		n = b.child(n, it.Node())
		if it.IsLast() {
			if e.Kind == unstable.ArrayTable {
				n = b.entry(n, b.current)
			}
			n.line = b.current
		}
	}
	if n.fields == nil {
		n.fields = map[string]*node{}
	}
	return n
}

func (b *builder) child(table *node, key *unstable.Node) *node {
	if b.over != nil {
		return table
	}
	n := table.child(string(key.Data), b.line(key))
	b.limit(len(n.path) > maxKey, b.current, "the full name of a key in a spec has at most %d bytes", maxKey)
	b.limit(len(table.fields) > maxKeys, b.current, "a table of a spec has at most %d keys", maxKeys)
	return n
}

func (b *builder) entry(list *node, line int) *node {
	n := &node{path: fmt.Sprintf("%s[%d]", list.path, len(list.list)), line: line, from: list.from}
	b.limit(len(n.path) > maxKey, line, "the full name of a key in a spec has at most %d bytes", maxKey)
	list.list = append(list.list, n)
	return n
}

func (b *builder) pair(table *node, e *unstable.Node) {
	n := table
	for it := e.Key(); it.Next(); {
		n = b.child(n, it.Node())
	}
	b.value(n, e.Value())
}

func (b *builder) value(n *node, v *unstable.Node) {
	inner := v.Children()
	switch v.Kind {
	case unstable.InlineTable:
		n.fields = map[string]*node{}
		for b.over == nil && inner.Next() {
			b.pair(n, inner.Node())
		}
	case unstable.Array:
		n.list = []*node{}
		for b.over == nil && inner.Next() {
			b.limit(len(n.list) == maxEntries, n.line, "a list in a spec has at most %d entries", maxEntries)
			line := n.line
			if inner.Node().Raw.Length > 0 { // a list in a list has no range
				line = b.line(inner.Node())
			}
			b.value(b.entry(n, line), inner.Node())
		}
	case unstable.String:
		n.value = string(v.Data)
	default:
		var doc map[string]any
		if toml.Unmarshal(append([]byte("v = "), v.Data...), &doc) == nil {
			n.value = doc["v"]
		}
	}
}
