package spec

import (
	"cmp"
	"maps"
	"slices"
	"strings"
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

// A setting is a change of a spec, PATH=VALUE.
type setting struct {
	pair string
	line int // of the quick form that has it; 0: it is one of LoadOptions.Set
}

// get returns a field of a table, or nil.
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

// text returns a field that is a text, or "".
func (n *node) text(key string) string {
	if field := n.get(key); field != nil {
		text, _ := field.value.(string)
		return text
	}
	return ""
}

// entries lists the entries of a list.
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

// within reports whether a node is in the table of an overlay.
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
