package spec

import (
	"reflect"

	"modebench/internal/params"
)

// policies reads the grid of [policy], or one for each [[policy]]. Several are of one kind,
// and each is told from the others by the first of its fields whose values all differ, which
// stands in labels as a listed field does: bases of several sizes, say, each pre-trained for
// as long as it needs.
func (d document) policies(s *Spec, root map[string]any) ([]grid, error) {
	tables, err := d.oneOrMore(root, "policy", "policy")
	if err != nil {
		return nil, err
	}
	config := d.kind.config("")
	lookup := func(name string) (params.Field, bool) { return params.Lookup(config, name) }
	var out []grid
	for _, table := range tables {
		if err := d.checkNested(s, table.prefix, table.fields, baseField); err != nil {
			return nil, err
		}
		g, err := d.grid(table.prefix, "policy", table.fields, []string{"name"}, lookup, func() []string { return params.Names(config) })
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	if len(out) == 1 {
		return out, nil
	}
	field, ok := telling(tables, d.keys(tables[0].prefix, tables[0].fields))
	if !ok {
		return nil, d.errorf("policy", "no field has another value in each [[policy]]; want one that tells them apart, such as width")
	}
	for i, g := range out {
		for k, a := range g.fixed {
			if a.field == field {
				named := axis{a.part, a.field, a.key, []any{a.value}}
				out[i].fixed = append(g.fixed[:k:k], g.fixed[k+1:]...)
				out[i].axes = append([]axis{named}, g.axes...)
			}
		}
	}
	return out, nil
}

// telling finds the first of the fields that has one value in each table, and no value twice.
func telling(tables []placedTable, fields []string) (string, bool) {
next:
	for _, field := range fields {
		for i, t := range tables {
			if _, list := t.fields[field].([]any); list || t.fields[field] == nil || field == "name" {
				continue next
			}
			for _, other := range tables[:i] {
				if reflect.DeepEqual(t.fields[field], other.fields[field]) {
					continue next
				}
			}
		}
		return field, true
	}
	return "", false
}

// policyKind reads which kind of policy the spec is written for.
func (d document) policyKind(root map[string]any) (*policyKind, error) {
	tables, err := d.oneOrMore(root, "policy", "policy")
	if err != nil {
		return nil, err
	}
	var kind *policyKind
	for _, table := range tables {
		own, err := d.kindOf(table)
		if err != nil {
			return nil, err
		}
		if kind != nil && own != kind {
			return nil, d.errorf(table.prefix, "policy %s beside policy %s: want several of one kind", own.name, kind.name)
		}
		kind = own
	}
	return kind, nil
}

// kindOf reads the kind of one table; without a name it is the first.
func (d document) kindOf(table placedTable) (*policyKind, error) {
	if table.fields["name"] == nil {
		return &policyKinds[0], nil
	}
	name, err := d.name(table.prefix, table.fields, "policy")
	if err != nil {
		return nil, err
	}
	kind, err := lookupPolicy(name)
	if err != nil {
		return nil, d.errorf(table.prefix+".name", "%w", err)
	}
	return kind, nil
}
