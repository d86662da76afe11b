package spec

import (
	"reflect"
	"slices"

	"modebench/internal/params"
)

// policies reads the grid of [policy], or of each [[policy]]. Several are of one kind, and
// labels distinguish them by the first field whose values all differ, in the same way as by a
// listed field: bases of several sizes, say, each pre-trained for as long as it needs.
func (d document) policies(s *Spec) ([][]axis, error) {
	tables, err := d.oneOrMore("policy", "policy")
	if err != nil {
		return nil, err
	}
	var out [][]axis
	for _, table := range tables {
		if err := d.checkNested(s, table, baseField); err != nil {
			return nil, err
		}
		g, err := d.grid(table, "policy", params.Fields(d.kind.config("")), "name")
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	if len(out) == 1 {
		return out, nil
	}
	field, ok := telling(tables)
	if !ok {
		return nil, d.errorf(d.root.get("policy"), "no field has another value in each [[policy]]; want a field that differs, such as width")
	}
	for i, axes := range out {
		k := slices.IndexFunc(axes, func(a axis) bool { return a.field == field })
		axes[k].named = true
		out[i] = slices.Concat(axes[k:k+1], axes[:k], axes[k+1:]) // labels have it first
	}
	return out, nil
}

// telling finds the first field that has one value in each table, and no value twice.
func telling(tables []*node) (string, bool) {
next:
	for _, field := range tables[0].sorted() {
		for i, t := range tables {
			n := t.get(field.key)
			if n == nil || n.list != nil || n.key == "name" {
				continue next
			}
			for _, other := range tables[:i] {
				if reflect.DeepEqual(n.plain(), other.get(n.key).plain()) {
					continue next
				}
			}
		}
		return field.key, true
	}
	return "", false
}

// policyKind reads which kind of policy the spec is written for.
func (d document) policyKind() (*policyKind, error) {
	tables, err := d.oneOrMore("policy", "policy")
	if err != nil {
		return nil, err
	}
	var kind *policyKind
	for _, table := range tables {
		this, err := d.kindOf(table)
		if err != nil {
			return nil, err
		}
		if kind != nil && this != kind {
			return nil, d.errorf(table, "policy %s beside policy %s: want several of one kind", this.name, kind.name)
		}
		kind = this
	}
	return kind, nil
}

// kindOf reads the kind of one table; without a name it is the first.
func (d document) kindOf(table *node) (*policyKind, error) {
	if table.get("name") == nil {
		return &policyKinds[0], nil
	}
	name, err := d.name(table, "policy")
	if err != nil {
		return nil, err
	}
	kind, err := lookupPolicy(name)
	if err != nil {
		return nil, d.errorf(table.get("name"), "%w", err)
	}
	return kind, nil
}
