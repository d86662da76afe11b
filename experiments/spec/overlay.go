package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file makes, of a spec that is written for one kind of policy, the spec under
// another. A table of that kind's name says what changes:
//
//	[transformer]
//	seeds = 3
//	[transformer.train]
//	steps = 200
//	[[transformer.method]]
//	name = "grpo"
//
// The overlay's values and tables replace those of the spec field by field. Its methods,
// figures, claims and lists of environments replace all of the spec's. Fields that suit one
// kind of policy alone (policyFields, and all of [policy]) fall back to the kind's defaults
// unless the overlay sets them.

// under reads the spec under a kind of policy, with the values of --set. The overlays for
// other kinds are checked too, so that a mistake in one is found by whoever writes it.
func (d document) under(name string, root map[string]any, opt LoadOptions) (*Spec, error) {
	own, err := d.policyKind(root)
	if err != nil {
		return nil, err
	}
	overlays := map[string]any{}
	plain := map[string]any{}
	var has []string
	for key, value := range root {
		if slices.Contains(overlayNames(), key) {
			overlays[key] = value
		} else {
			plain[key] = value
		}
	}
	for _, kind := range overlayNames() {
		if overlays[kind] == nil {
			continue
		}
		if kind == own.name {
			return nil, d.errorf(kind, "[%s] says what changes under that policy, and the spec's own is %s already", kind, kind)
		}
		if _, err := d.table(overlays, kind); err != nil {
			return nil, err
		}
		has = append(has, kind)
	}
	chosen := opt.Policy
	if chosen == "" {
		chosen = own.name
	}
	set, seeds := opt.Set, 0
	if opt.Quick {
		quick, n, err := d.quickForm(plain)
		if err != nil {
			return nil, err
		}
		set, seeds = slices.Concat(quick, opt.Set), n
	}
	read := func(policy string, pairs []string) (*Spec, error) {
		d, root, note := d, plain, ""
		var err error
		if policy != chosen {
			d.design = nil
		}
		if d.kind, err = lookupPolicy(policy); err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		spec := &Spec{Name: name, Policy: policy, Overlays: has}
		if policy != own.name {
			spec.Name += "-" + policy
			if root, note, err = d.applyOverlay(plain, overlays, own.name); err != nil {
				return nil, err
			}
			d.adapted = overlays[policy] == nil
			if note != "" {
				spec.Notes = append(spec.Notes, note)
			}
		}
		if len(pairs) > 0 {
			if root, err = d.setAll(spec, root, pairs); err != nil {
				return nil, err
			}
		}
		return spec, d.spec(spec, root)
	}
	spec, err := read(chosen, set)
	if err == nil && seeds > 0 {
		spec.Seeds = seeds
	}
	if err != nil && (slices.Contains(has, chosen) || set != nil) {
		// A mistake of the spec itself is reported as such, and not under the overlay.
		if _, plain := read(own.name, nil); plain != nil {
			err = plain
		}
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range has {
		if kind != chosen {
			if _, err := read(kind, nil); err != nil {
				return nil, err
			}
		}
	}
	return spec, spec.rename(opt)
}

// applyOverlay returns the spec with the overlay of d's kind applied, if it has one, and a
// line about the fields of the spec that are replaced or dropped. From then on d's lines are
// those of the values that hold.
func (d *document) applyOverlay(plain, overlays map[string]any, own string) (root map[string]any, note string, err error) {
	kind := d.kind.name
	root, dropped, err := d.strip(plain)
	if err != nil {
		return nil, "", err
	}
	overlay, _ := overlays[kind].(map[string]any)
	if overlay == nil {
		if text := fellBack(dropped, kind); text != "" {
			note = fmt.Sprintf("written for policy %s: %s", own, text)
		}
		return root, note, nil
	}
	d.overlay, d.overlayLines = kind, d.linesBelow(kind)
	d.lines = maps.Clone(d.lines)
	var replaced []string
	for _, key := range d.keys(kind, overlay) {
		if !slices.Contains(topKeys, key) {
			return nil, "", d.errorf(join(kind, key), "unknown key %q of [%s]; %sknown keys: %s", key, kind, hint("", key, topKeys), strings.Join(topKeys, ", "))
		}
		under, isTable := root[key].(map[string]any)
		over, also := overlay[key].(map[string]any)
		if _, list := root[key].([]any); list && also {
			return nil, "", d.errorf(join(kind, key), "[%s.%s] stands for several of the spec, so it is written [[%s.%s]] and stands for all of them", kind, key, kind, key)
		}
		replaced = append(replaced, d.replaced(key, plain[key], overlay[key])...)
		if !also {
			d.moveLines(key, join(kind, key), true)
			root[key] = overlay[key]
			continue
		}
		if _, named := over["name"]; named && key == "policy" {
			return nil, "", d.errorf(join(kind, "policy.name"), "the policy of [%s] is %s", kind, kind)
		}
		if !isTable {
			under = map[string]any{}
		}
		d.moveLines(key, join(kind, key), false)
		merged := maps.Clone(under)
		maps.Copy(merged, over)
		root[key] = merged
	}
	_, others := overlay["method"]
	dropped = slices.DeleteFunc(dropped, func(f droppedField) bool {
		return f.method != "" && others || f.method == "" && slices.Contains(replaced, f.field)
	})
	var parts []string
	if len(replaced) > 0 {
		parts = append(parts, fmt.Sprintf("[%s] replaces %s", kind, strings.Join(replaced, ", ")))
	}
	if text := fellBack(dropped, kind); text != "" {
		parts = append(parts, text)
	}
	return root, strings.Join(parts, "; "), nil
}

// replaced lists the fields of a part of the spec that the overlay's part replaces, or the
// part itself where it is replaced as a whole.
func (d document) replaced(key string, under, over any) []string {
	table, isTable := under.(map[string]any)
	fields, also := over.(map[string]any)
	if !isTable || !also {
		if under == nil {
			return nil
		}
		return []string{key}
	}
	var out []string
	for _, field := range d.keys(join(d.kind.name, key), fields) {
		if _, both := table[field]; both {
			out = append(out, join(key, field))
		}
	}
	return out
}

// A droppedField is a field of the spec that falls back to the default of another kind
// of policy.
type droppedField struct {
	field  string // "train.lr"
	method string // the method that has it, by its name in the spec; "": the spec itself
}

func (f droppedField) String() string {
	if f.method == "" {
		return f.field
	}
	return fmt.Sprintf("%s of %q", f.field, f.method)
}

// fellBack says which fields fall back to the defaults of a kind of policy; "": none.
func fellBack(dropped []droppedField, kind string) string {
	if len(dropped) == 0 {
		return ""
	}
	var fields []string
	for _, f := range dropped {
		fields = append(fields, f.String())
	}
	return fmt.Sprintf("left to the defaults under policy %s (bench list train %s, bench list eval %s): %s", kind, kind, kind, strings.Join(fields, ", "))
}

// below says that a key is prefix, or a part of it.
func below(key, prefix string) bool {
	rest, ok := strings.CutPrefix(key, prefix)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// linesBelow is the set of lines of a key and of its parts.
func (d *document) linesBelow(prefix string) map[int]bool {
	lines := map[int]bool{}
	for key, line := range d.lines {
		if below(key, prefix) {
			lines[line] = true
		}
	}
	return lines
}

// moveLines gives the keys below one key the lines of those below another. With replaced,
// the lines that were there before are dropped.
func (d *document) moveLines(to, from string, replaced bool) {
	if replaced {
		maps.DeleteFunc(d.lines, func(key string, _ int) bool { return below(key, to) })
	}
	moved := map[string]int{}
	for key, line := range d.lines {
		if below(key, from) {
			moved[to+strings.TrimPrefix(key, from)] = line
		}
	}
	maps.Copy(d.lines, moved)
}

// strip returns the spec without the fields that suit its own kind of policy alone,
// and these fields.
func (d *document) strip(plain map[string]any) (map[string]any, []droppedField, error) {
	root := maps.Clone(plain)
	var dropped []droppedField
	policies, err := d.oneOrMore(plain, "policy", "policy")
	if err != nil {
		return nil, nil, err
	}
	for _, policy := range policies {
		for _, field := range d.keys(policy.prefix, policy.fields) {
			of := droppedField{"policy." + field, ""}
			if field != "name" && !slices.Contains(dropped, of) {
				dropped = append(dropped, of)
			}
		}
	}
	delete(root, "policy")
	without := func(part, prefix, method string, table map[string]any) map[string]any {
		table = maps.Clone(table)
		for _, field := range d.keys(prefix, table) {
			if slices.Contains(policyFields(part), field) {
				delete(table, field)
				dropped = append(dropped, droppedField{part + "." + field, method})
			}
		}
		return table
	}
	for _, part := range []string{"train", "eval"} {
		table, err := d.table(plain, part)
		if err != nil {
			return nil, nil, err
		}
		if table != nil {
			root[part] = without(part, part, "", table)
		}
	}
	methods, err := d.tables(plain, "method")
	if err != nil {
		return nil, nil, err
	}
	var stripped []any
	for i, method := range methods {
		if train, ok := method["train"].(map[string]any); ok {
			method = maps.Clone(method)
			name, _ := method["label"].(string)
			if name == "" {
				name, _ = method["name"].(string)
			}
			method["train"] = without("train", fmt.Sprintf("method[%d].train", i), name, train)
		}
		stripped = append(stripped, method)
	}
	if stripped != nil {
		root["method"] = stripped
	}
	return root, dropped, nil
}
