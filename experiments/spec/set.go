package spec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/nearest"
	"modebench/internal/params"
)

// This file changes fields of a spec from outside, as the command line does: PATH=VALUE
// with PATH one of
//
//	first_seed, nested
//	env.FIELD            of every environment of the spec that has the field
//	policy.FIELD
//	train.FIELD          of all methods but those that have a value of their own
//	eval.FIELD           likewise
//	method.NAME.FIELD    of the methods of that name or label
//	method.NAME.train.FIELD (likewise eval)
//
// and VALUE as a spec has it, a list too; a text may go without quotes.

// setTops are the paths without a dot, and setParts the first parts of the others.
var (
	setTops  = []string{"first_seed", "nested"}
	setParts = []string{"env", "policy", "train", "eval", "method"}
)

var errSetPath = errors.New("want env.FIELD, policy.FIELD, train.FIELD, eval.FIELD, method.NAME.FIELD, first_seed or nested, and =VALUE")

// setAll puts every setting into the spec, with the place of its mistakes.
func (d *document) setAll(s *Spec, settings []*setting) error {
	for _, from := range settings {
		if err := d.apply(s, from); err != nil {
			return d.settingError(from, err)
		}
		d.set = true
	}
	return nil
}

func (d *document) apply(s *Spec, from *setting) error {
	path, text, ok := strings.Cut(from.pair, "=")
	part, field, _ := strings.Cut(path, ".")
	top := slices.Contains(setTops, path)
	switch {
	case !top && (field == "" || !slices.Contains(setParts, part)):
		return pathError(path)
	case !ok:
		return fmt.Errorf("there is no value: want %s=VALUE", path)
	}
	value, err := setValue(text, from)
	if err != nil {
		return err
	}
	tables := []*node{d.root}
	switch {
	case top:
		field = path
	case part == "method":
		tables, field, err = d.methodTables(path, field)
	case part == "env" && d.root.get(part).entries() != nil:
		tables, err = d.envTables(field)
	default:
		tables, err = tablesOf(tables, part)
	}
	switch {
	case err != nil:
		return err
	case field == "name":
		return fmt.Errorf("a name cannot be set: %w", errSetPath)
	case part == "train" || part == "eval":
		d.noteOwnValues(s, part, field, from)
	}
	for _, table := range tables {
		table.put(field, value)
	}
	return nil
}

// setValue reads a value as TOML, or else as a text without quotes.
func setValue(text string, from *setting) (*node, error) {
	if doc, err := parseTree("", []byte("v = "+text), from); err == nil && len(doc.fields) == 1 {
		return doc.get("v"), nil
	}
	if text == "" || strings.ContainsAny(text, "\"'[]{}\n") {
		return nil, fmt.Errorf("the value %q is neither a TOML value nor a plain text", text)
	}
	return &node{value: text, from: from}, nil
}

// tablesOf returns the table of a part in each of some tables, and adds it if it is missing.
func tablesOf(holders []*node, part string) ([]*node, error) {
	var out []*node
	for _, holder := range holders {
		table := holder.child(part, 0)
		if table.list != nil || table.value != nil {
			return nil, fmt.Errorf("%s is no table in the spec", table.path)
		}
		out = append(out, table)
	}
	return out, nil
}

func (d *document) envTables(field string) (out []*node, err error) {
	var known []string
	for _, env := range d.root.get("env").entries() {
		def, err := envs.Lookup(env.text("name"))
		if err != nil {
			continue // a mistake of the spec, found later
		}
		if _, has := params.Lookup(def.Default(), field); has {
			out = append(out, env)
		} else {
			known = append(known, params.Names(def.Default())...)
		}
	}
	if out == nil {
		return nil, fmt.Errorf("no environment of the spec has a field %q; %sbench list envs NAME lists them", field, nearest.Hint(field, known))
	}
	return out, nil
}

// methodTables lists the tables that a path behind "method." means, and their field: those of all
// methods of a name or label, or their own training or evaluation.
func (d *document) methodTables(path, rest string) (out []*node, field string, err error) {
	var known []string
	name := ""
	for _, m := range d.root.get("method").entries() {
		for _, called := range []string{m.called(), m.text("name")} {
			if called != "" {
				known = append(known, called)
			}
			if strings.HasPrefix(rest, called+".") && len(called) > len(name) {
				name = called
			}
		}
	}
	if name == "" {
		end := max(strings.LastIndexByte(rest, '.'), 0)
		return nil, "", fmt.Errorf("%s names no method of the spec; %sit has %s: %w", path, nearest.Hint(rest[:end], known), strings.Join(each.Distinct(known), "; "), errSetPath)
	}
	for _, m := range d.root.get("method").entries() {
		if m.called() == name || m.text("name") == name {
			out = append(out, m)
		}
	}
	field = strings.TrimPrefix(rest, name+".")
	if part, inner, nested := strings.Cut(field, "."); nested && (part == "train" || part == "eval") {
		out, err = tablesOf(out, part)
		field = inner
	}
	return out, field, err
}

func (d *document) noteOwnValues(s *Spec, part, field string, from *setting) {
	var owners []string
	for _, m := range d.root.get("method").entries() {
		if m.get(part).get(field) != nil {
			owners = append(owners, fmt.Sprintf("%q", m.called()))
		}
	}
	if owners != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("--set %s: not of %s, which the spec gives another value", from.pair, strings.Join(owners, ", ")))
	}
}

// pathError suggests a path that may have been meant.
func pathError(path string) error {
	fields := slices.Clone(setTops)
	for _, name := range params.Names(tabularTrain()) {
		fields = append(fields, "train."+name)
	}
	for _, name := range params.Names(tabularEval()) {
		fields = append(fields, "eval."+name)
	}
	meant := ""
	part, rest, dotted := strings.Cut(path, ".")
	ours, known := nearest.Ours(path)
	switch {
	case part == "figure":
		return errors.New("the fields of figures are set by bench plot DIR --set figure.FIELD=VALUE")
	case dotted:
		if part = nearest.Name(part, setParts); part == "" {
			break
		}
		if meant = part + "." + rest; !slices.Contains(fields, meant) { // the field may be wrong too
			meant = part + ".FIELD"
		}
	case slices.Contains(setParts, path):
	case known:
		meant = ours.Table + "." + ours.Fields
	default:
		meant = nearest.Name(path, fields)
	}
	if meant == "" {
		return errSetPath
	}
	if field, isMethod := strings.CutPrefix(meant, "method."); isMethod {
		meant = "method.NAME." + field
	}
	return fmt.Errorf("did you mean %s? %w", meant, errSetPath)
}

// This file reads the quick form of a spec: the changes to a long spec that show the direction
// of its effects within ten minutes, in the form of --set:
//
//	quick = ["seeds=2", "train.steps=100", "method.poly-epo.n=4"]

func (d document) quickForm() (settings []*setting, seeds int, err error) {
	quick := d.root.get("quick")
	if len(quick.entries()) == 0 {
		return nil, 0, d.errorf(d.root, "the spec has no quick form: want quick = [\"seeds=2\", \"train.steps=100\"], or --seeds and --set")
	}
	for _, entry := range quick.list {
		pair, _ := entry.value.(string)
		text, ofSeeds := strings.CutPrefix(pair, "seeds=")
		if !ofSeeds {
			settings = append(settings, &setting{pair, entry.line})
			continue
		}
		if seeds, err = strconv.Atoi(text); err != nil || seeds < 1 || seeds > MaxSeeds {
			return nil, 0, d.errorf(entry, "field %q: got %q, want seeds=N with N from 1 to %d", "quick", pair, MaxSeeds)
		}
	}
	return settings, seeds, nil
}
