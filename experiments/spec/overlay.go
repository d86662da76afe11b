package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/internal/each"
)

// This file makes, of a spec that is written for one kind of policy, the spec under another. A
// table of that kind's name gives the changes:
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

// A source is the text of a spec: the part for its own kind of policy, and the overlays.
type source struct {
	document
	name     string
	home     *policyKind
	overlays []*node
}

func newSource(d document, name string) (*source, error) {
	home, err := d.policyKind()
	if err != nil {
		return nil, err
	}
	s := &source{document: d, name: name, home: home}
	for _, kind := range overlayNames() {
		overlay := d.root.get(kind)
		if overlay == nil {
			continue
		}
		if kind == home.name {
			return nil, d.errorf(overlay, "[%s] changes the spec under that policy, and the spec's own is %s already", kind, kind)
		}
		if _, err := d.table(d.root, kind); err != nil {
			return nil, err
		}
		s.overlays = append(s.overlays, overlay)
		delete(d.root.fields, kind)
	}
	return s, nil
}

func (s *source) overlay(kind string) *node {
	i := slices.IndexFunc(s.overlays, func(o *node) bool { return o.key == kind })
	if i < 0 {
		return nil
	}
	return s.overlays[i]
}

// load reads the spec as the options want it. The other overlays are read too, for their mistakes.
func (s *source) load(opt LoadOptions) (*Spec, error) {
	chosen, seeds := cmp.Or(opt.Policy, s.home.name), 0
	var settings []*setting
	if opt.Quick {
		var err error
		if settings, seeds, err = s.quickForm(); err != nil {
			return nil, err
		}
	}
	for _, pair := range opt.Set {
		settings = append(settings, &setting{pair: pair})
	}
	spec, err := s.read(chosen, settings, opt.Design)
	if err != nil {
		if s.overlay(chosen) != nil || settings != nil {
			// A mistake of the spec itself is reported as such.
			if _, mistake := s.read(s.home.name, nil, nil); mistake != nil {
				return nil, mistake
			}
		}
		return nil, err
	}
	for _, overlay := range s.overlays {
		if overlay.key != chosen {
			if _, err := s.read(overlay.key, nil, nil); err != nil {
				return nil, err
			}
		}
	}
	spec.Seeds = cmp.Or(seeds, spec.Seeds)
	return spec, spec.rename(opt)
}

func (s *source) read(policy string, settings []*setting, design *Design) (*Spec, error) {
	d := s.document
	d.root, d.design = d.root.clone(), design
	var err error
	if d.kind, err = lookupPolicy(policy); err != nil {
		return nil, fmt.Errorf("--policy: %w", err)
	}
	spec := &Spec{Name: s.name, Policy: policy}
	for _, overlay := range s.overlays {
		spec.Overlays = append(spec.Overlays, overlay.key)
	}
	if policy != s.home.name {
		spec.Name += "-" + policy
		note, err := d.adapt(s.overlay(policy).clone(), s.home.name)
		if err != nil {
			return nil, err
		}
		if note != "" {
			spec.Notes = append(spec.Notes, note)
		}
	}
	if err := d.setAll(spec, settings); err != nil {
		return nil, err
	}
	return spec, d.spec(spec)
}

// adapt makes of the spec that for d's kind of policy, with the overlay, if there is one. It
// returns a line about the fields that are replaced or dropped.
func (d *document) adapt(overlay *node, home string) (note string, err error) {
	kind := d.kind.name
	if d.adapted = overlay == nil; d.adapted {
		if note = fellBack(d.strip(), kind); note != "" {
			note = fmt.Sprintf("written for policy %s: %s", home, note)
		}
		return note, nil
	}
	d.overlay = kind
	for _, part := range overlay.sorted() {
		if !slices.Contains(topKeys, part.key) {
			return "", d.errorf(part, "unknown key %q of [%s]; %sknown keys: %s", part.key, kind, hint("", part.key, topKeys), strings.Join(topKeys, ", "))
		}
		under := d.root.get(part.key)
		if part.key == "policy" {
			for _, table := range append(part.entries(), part) {
				if name := table.get("name"); name != nil {
					return "", d.errorf(name, "the policy of [%s] is %s", kind, kind)
				}
			}
		}
		switch {
		case part.fields == nil:
		case part.key != "policy" && under != nil && under.list != nil:
			return "", d.errorf(part, "[%s] replaces several of the spec, so it is written [[%s]] and replaces all of them", part.path, part.path)
		}
	}
	var parts []string
	if replaced := d.root.merge(overlay); len(replaced) > 0 {
		parts = append(parts, fmt.Sprintf("[%s] replaces %s", kind, strings.Join(replaced, ", ")))
	}
	if text := fellBack(d.strip(), kind); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; "), nil
}

// fellBack names the fields that fall back to the defaults of a kind of policy; "": none do.
func fellBack(dropped []string, kind string) string {
	if len(dropped) == 0 {
		return ""
	}
	return fmt.Sprintf("left to the defaults under policy %s (bench list train %s, bench list eval %s): %s", kind, kind, kind, strings.Join(dropped, ", "))
}

// strip drops the fields that suit the spec's own kind of policy alone, and names them.
func (d *document) strip() (dropped []string) {
	drop := func(table *node, part, owner string, fields []string) {
		for _, f := range table.sorted() {
			if fields != nil && !slices.Contains(fields, f.key) || f.within(d.overlay) {
				continue
			}
			delete(table.fields, f.key)
			if name := part + "." + f.key + owner; name != "policy.name" {
				dropped = append(dropped, name)
			}
		}
	}
	policy := d.root.get("policy")
	for _, table := range slices.Concat(policy.entries(), []*node{policy}) {
		drop(table, "policy", "", nil)
	}
	if policy != nil && !policy.within(d.overlay) {
		delete(d.root.fields, "policy")
	}
	for _, part := range []string{"train", "eval"} {
		drop(d.root.get(part), part, "", policyFields(part))
	}
	for _, method := range d.root.get("method").entries() {
		drop(method.get("train"), "train", fmt.Sprintf(" of %q", method.called()), policyFields("train"))
	}
	return each.Distinct(dropped)
}
