package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"modebench/envs"
	"modebench/internal/nearest"
	"modebench/internal/params"
	"modebench/internal/visible"
)

// This file changes fields of a spec from outside, as the command line does: PATH=VALUE
// with PATH one of
//
//	first_seed, nested
//	env.FIELD            of every environment of the spec that has the field
//	policy.FIELD
//	train.FIELD          of all methods but those that have a value of their own
//	eval.FIELD
//	method.NAME.FIELD    of the methods of that name or label
//	method.NAME.train.FIELD (likewise eval)
//
// and VALUE as it would stand in the spec, a list too; a text may go without quotes.

// maxName bounds the name of a changed spec, which becomes that of a folder.
const maxName = 100

// errSetPath says what a path may be.
var errSetPath = errors.New("want env.FIELD, policy.FIELD, train.FIELD, eval.FIELD, method.NAME.FIELD, first_seed or nested, and =VALUE")

// setAll returns the spec with every PATH=VALUE in it. From then on mistakes at these
// paths are those of the pairs.
func (d *document) setAll(s *Spec, root map[string]any, pairs []string) (map[string]any, error) {
	root = maps.Clone(root)
	d.pairs = map[string]string{}
	for _, pair := range pairs {
		if err := d.setPair(s, root, pair); err != nil {
			return nil, &SetError{pair, err}
		}
	}
	return root, nil
}

func (d *document) setPair(s *Spec, root map[string]any, pair string) error {
	path, text, ok := strings.Cut(pair, "=")
	part, rest, _ := strings.Cut(path, ".")
	top := slices.Contains(setTops, path)
	switch {
	case !top && (rest == "" || !slices.Contains(setParts, part)):
		return pathError(path)
	case !ok:
		return fmt.Errorf("there is no value: want %s=VALUE", path)
	}
	value, err := setValue(text)
	if err != nil {
		return err
	}
	if top {
		root[path], d.pairs[path] = value, pair
		return nil
	}
	switch part {
	case "env":
		return d.setEnv(root, rest, value, pair)
	case "policy", "train", "eval":
		if part == "train" {
			d.noteOwnValues(s, root, rest, pair)
		}
		return d.setField(root, part, part, rest, value, pair)
	}
	return d.setMethod(root, path, rest, value, pair)
}

// setTops are the paths without a dot, and setParts what others begin with.
var (
	setTops  = []string{"first_seed", "nested"}
	setParts = []string{"env", "policy", "train", "eval", "method"}
)

// pathError says which path may have been meant: one with a part of a similar name, or a
// field of training or evaluation that was written without its part.
func pathError(path string) error {
	var fields []string
	for _, table := range []string{"train", "eval"} {
		list, err := PolicyFields(table, policyKinds[0].name)
		if err != nil {
			return err
		}
		for _, f := range list {
			fields = append(fields, table+"."+f.Name)
		}
	}
	meant := ""
	if part, rest, dotted := strings.Cut(path, "."); dotted {
		if meant = nearest.Name(part, setParts); meant != "" {
			if meant += "." + rest; !slices.Contains(fields, meant) { // the field may be wrong too
				meant, _, _ = strings.Cut(meant, ".")
				meant += ".FIELD"
			}
		}
	} else if !slices.Contains(setParts, path) {
		meant = nearest.Name(path, slices.Concat(fields, setTops))
		if ours, ok := nearest.Ours(path); ok && ours.Table == "method" {
			meant = "method.NAME." + ours.Fields
		} else if ok {
			meant = ours.Table + "." + ours.Fields
		}
	}
	if meant == "" {
		return errSetPath
	}
	return fmt.Errorf("did you mean %s? %w", strings.Replace(meant, "method.FIELD", "method.NAME.FIELD", 1), errSetPath)
}

// setValue reads a value as TOML, or else as a text without quotes.
func setValue(text string) (any, error) {
	var doc map[string]any
	err := toml.Unmarshal([]byte("v = "+text), &doc)
	if err == nil && len(doc) == 1 {
		return doc["v"], nil
	}
	if text == "" || strings.ContainsAny(text, "\"'[]{}\n") {
		return nil, fmt.Errorf("the value %q is neither a TOML value nor a plain text", text)
	}
	return text, nil
}

// setField sets a field of the table that key names in a parent; prefix is the table's
// place in the spec.
func (d *document) setField(parent map[string]any, key, prefix, field string, value any, pair string) error {
	table, isTable := parent[key].(map[string]any)
	if parent[key] != nil && !isTable {
		return fmt.Errorf("%s is no table in the spec", prefix)
	}
	table = maps.Clone(table)
	if table == nil {
		table = map[string]any{}
	}
	if field == "name" {
		return fmt.Errorf("a name cannot be set: %w", errSetPath)
	}
	table[field] = value
	parent[key] = table
	d.pairs[join(prefix, field)] = pair
	return nil
}

// noteOwnValues notes the methods that have a value of their own for a field of training.
func (d *document) noteOwnValues(s *Spec, root map[string]any, field, pair string) {
	methods, _ := root["method"].([]any) // anything else is a mistake, found later
	var own []string
	for _, m := range methods {
		table, _ := m.(map[string]any)
		train, _ := table["train"].(map[string]any)
		if _, has := train[field]; has {
			own = append(own, fmt.Sprintf("%q", calledMethod(table)))
		}
	}
	if own != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("--set %s: not of %s, which the spec gives another value", pair, strings.Join(own, ", ")))
	}
}

// calledMethod is what the spec calls a method, or "" where it does not say.
func calledMethod(table map[string]any) string {
	if label, ok := table["label"].(string); ok {
		return label
	}
	name, _ := table["name"].(string)
	return name
}

// setEnv sets a field of the environments that have it.
func (d *document) setEnv(root map[string]any, field string, value any, pair string) error {
	list, several := root["env"].([]any)
	if !several {
		return d.setField(root, "env", "env", field, value, pair)
	}
	list = slices.Clone(list)
	set := false
	var known []string
	for i, entry := range list {
		table, _ := entry.(map[string]any)
		name, _ := table["name"].(string)
		def, err := envs.Lookup(name)
		if err != nil {
			continue // a mistake of the spec, found later
		}
		if _, has := params.Lookup(def.Default(), field); !has {
			known = append(known, params.Names(def.Default())...)
			continue
		}
		table = maps.Clone(table)
		table[field] = value
		list[i], set = table, true
		d.pairs[fmt.Sprintf("env[%d].%s", i, field)] = pair
	}
	if !set {
		return fmt.Errorf("no environment of the spec has a field %q; %sbench list envs NAME lists them", field, nearest.Hint(field, known))
	}
	root["env"] = list
	return nil
}

// setMethod sets a field of all methods of a name or label, the longest that the path
// begins with.
func (d *document) setMethod(root map[string]any, path, rest string, value any, pair string) error {
	list, _ := root["method"].([]any)
	var known []string
	name := ""
	for _, entry := range list {
		table, _ := entry.(map[string]any)
		bare, _ := table["name"].(string)
		for _, called := range []string{calledMethod(table), bare} {
			if called != "" && !slices.Contains(known, called) {
				known = append(known, called)
			}
			if strings.HasPrefix(rest, called+".") && len(called) > len(name) {
				name = called
			}
		}
	}
	if name == "" {
		field := strings.LastIndexByte(rest, '.')
		return fmt.Errorf("%s names no method of the spec; %sit has %s: %w", path, nearest.Hint(rest[:max(field, 0)], known), strings.Join(known, "; "), errSetPath)
	}
	field := strings.TrimPrefix(rest, name+".")
	list = slices.Clone(list)
	for i, entry := range list {
		table, _ := entry.(map[string]any)
		if bare, _ := table["name"].(string); calledMethod(table) != name && bare != name {
			continue
		}
		prefix := fmt.Sprintf("method[%d]", i)
		holder := map[string]any{"method": table}
		err := error(nil)
		if part, own, nested := strings.Cut(field, "."); nested && (part == "train" || part == "eval") {
			table = maps.Clone(table)
			holder["method"] = table
			err = d.setField(table, part, join(prefix, part), own, value, pair)
		} else {
			err = d.setField(holder, "method", prefix, field, value, pair)
		}
		if err != nil {
			return err
		}
		list[i] = holder["method"]
	}
	root["method"] = list
	return nil
}

// unnamed is what cannot stand in the name of a folder.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// nameOf turns a pair into a name for a folder. Different pairs get different names: where a
// letter is replaced, a digest of the pair follows.
func nameOf(pair string) string {
	plain := strings.Replace(pair, "=", "-", 1)
	name := unnamed.ReplaceAllString(plain, "_")
	if name != plain {
		sum := sha256.Sum256([]byte(pair))
		name += "-" + hex.EncodeToString(sum[:3])
	}
	return name
}

// rename gives a changed spec a name and a title of its own: opt.Name, or its name with the
// pairs after it.
func (s *Spec) rename(opt LoadOptions) error {
	if opt.Quick {
		s.Title, s.Name = strings.TrimSpace(s.Title+" (the quick form)"), s.Name+"-quick"
	}
	if len(opt.Set) > 0 {
		s.Title = strings.TrimSpace(s.Title + " (" + visible.Text(strings.Join(opt.Set, ", ")) + ")")
	}
	if opt.Name != "" {
		s.Name = opt.Name
		return nil
	}
	for _, pair := range opt.Set {
		s.Name += "-" + nameOf(pair)
	}
	if opt.Set != nil && len(s.Name) > maxName {
		return fmt.Errorf("--set: the name of the changed spec, %s, is longer than %d letters; give it one with --name", s.Name, maxName)
	}
	return nil
}
