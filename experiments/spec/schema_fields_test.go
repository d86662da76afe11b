package spec

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/params"
)

// A place is a table of a spec, with the fields that are set in it.
type place struct {
	name   string
	within string // a spec, in which %s is in the table
	fields []params.Field
}

func places(t *testing.T) (out []place) {
	const method = "[[method]]\nname = \"grpo\"\n"
	top := "env.name = \"bandit\"\n"
	add := func(name, within string, fields []params.Field) { out = append(out, place{name, within, fields}) }
	add("spec", top+"%s\n"+method, Fields("spec"))
	for _, name := range envs.Names() {
		def, err := envs.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		add("env "+name, "[env]\nname = \""+name+"\"\n%s\n"+method, params.Fields(def.Default()))
	}
	for _, k := range policyKinds {
		head := top + "policy.name = \"" + k.name + "\"\n"
		if k.name == policyBaseline {
			continue // it has no fields, and no method that trains
		}
		add("policy "+k.name, top+"[policy]\nname = \""+k.name+"\"\n%s\n"+method, params.Fields(k.config("")))
		add("train "+k.name, head+"[train]\n%s\n"+method, params.Fields(k.train()))
		add("eval "+k.name, head+"[eval]\n%s\n"+method, params.Fields(k.eval()))
	}
	overlay := top + method + "[transformer."
	add("overlay policy", overlay+"policy]\n%s\n", params.Fields(transformerConfig("")))
	add("overlay train", overlay+"train]\n%s\n", params.Fields(transformerTrain()))
	add("overlay eval", overlay+"eval]\n%s\n", params.Fields(transformerEval()))
	add("method train", top+method+"[method.train]\n%s\n", params.Fields(tabularTrain()))
	add("method eval", top+method+"[method.eval]\n%s\n", methodEvalFields()[:3])
	add("figure", top+method+"[[figure]]\nname = \"f\"\nkind = \"bars\"\nmetrics = [\"reward\"]\n%s\n", Fields("figure"))
	add("claim", top+method+"[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nby = 0.5\n%s\n", Fields("claim"))
	known := map[string]bool{}
	for _, m := range estimators.Methods() {
		var fresh []params.Field
		for _, f := range m.New().Fields() {
			if f.Value = nil; !known[fmt.Sprint(f)] { // the fields that many methods have, once
				known[fmt.Sprint(f)] = true
				f, _ = m.New().Field(f.Name)
				fresh = append(fresh, f)
			}
		}
		if fresh != nil {
			add("method "+m.Name, "env.name = \"maze\"\n[[method]]\nname = \""+m.Name+"\"\n%s\n", fresh)
		}
	}
	return out
}

// asTOML writes a value of a spec.
func asTOML(value any) string {
	text, err := toml.Marshal(map[string]any{"v": value})
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}

// wrong lists values that the declaration of a field forbids, as TOML.
func wrong(f params.Field) (out []string) {
	kind, list := strings.CutPrefix(f.Type, "list of ")
	one := map[string][]string{
		"bool": {`1`, `"true"`}, "int": {`1.5`, `"1"`, `true`}, "float": {`"1"`, `true`, `nan`}, "text": {`1`, `true`, `{}`},
		"table": {`1`, `"a"`, `[]`}, textOrTexts: {`1`, `""`, `["a", "a"]`, `[1]`, `{}`},
	}[kind]
	for bound, step := range map[string]float64{f.Min: -1, f.Max: 1} {
		if x, err := strconv.ParseFloat(bound, 64); err == nil {
			out = append(out, strconv.FormatFloat(x+step, 'f', -1, 64))
		}
	}
	if out = append(out, one...); f.Choices != nil {
		out = append(out, `"nosuch"`)
	}
	if list {
		for i, entry := range out {
			out[i] = "[" + entry + "]"
		}
		out = append(out, `1`, `"a"`)
	}
	slices.Sort(out)
	return out
}

// TestSchemaRefusesWhatTheReaderRefuses: of each field in each table a value that its declaration forbids, and
// a name with a letter too many, are refused by both. A default, and lists of it, are refused by the schema
// only if the reader refuses them, and by the reader only if the schema does, unless the reader refuses the
// plain default there too, because of other fields.
func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	count := map[string]int{}
	try := func(p place, line string) (read, schema error) {
		text := []byte(strings.Replace(p.within, "%s", line, 1))
		if name, _, _ := strings.Cut(line, " ="); strings.Contains(p.within, "\n"+name+" = ") { // in place of the line of that name
			text = regexp.MustCompile(`(?m)^`+name+` = .*\n`).ReplaceAllLiteral([]byte(p.within), nil)
			text = bytes.Replace(text, []byte("%s"), []byte(line), 1)
		}
		_, read = parseText("my.toml", text)
		if strings.Contains(line, "nan") { // JSON has no such number, and taplo reads null
			text = bytes.Replace(text, []byte("nan"), []byte(`"nan"`), 1)
		}
		return read, checkSchema(t, text)
	}
	for _, p := range places(t) {
		for i, f := range p.fields {
			if testing.Short() && i%4 > 0 {
				continue
			}
			for _, line := range append([]string{f.Name + "x = 1"}, wrongLines(f)...) {
				if line == "nested = 1" { // no list, and right
					continue
				}
				read, schema := try(p, line)
				if read == nil || schema == nil {
					t.Errorf("%s, %s:\nthe reader: %v\nthe schema: %v\nwant two errors", p.name, line, read, schema)
				}
				count["wrong"]++
			}
			if f.Value == nil || f.Type == "table" {
				continue
			}
			usual := asTOML(f.Value)
			plain, schema := try(p, f.Name+" = "+usual)
			if plain == nil && schema != nil {
				t.Errorf("%s: the schema refuses %s = %s: %v", p.name, f.Name, usual, schema)
			}
			if plain != nil || f.IsList() {
				continue
			}
			count["right"]++
			for _, list := range []string{"[]", "[" + usual + "]", "[" + usual + ", " + usual + "]", "[[" + usual + "]]"} {
				if f.Name == "nested" {
					continue
				}
				read, schema := try(p, f.Name+" = "+list)
				if (read == nil) != (schema == nil) {
					t.Errorf("%s, %s = %s:\nthe reader: %v\nthe schema: %v", p.name, f.Name, list, read, schema)
				}
				count[map[bool]string{true: "lists", false: "no lists"}[read == nil]]++
			}
		}
	}
	t.Log(count)
	for name, least := range map[string]int{"wrong": 1500, "right": 300, "lists": 200, "no lists": 900} {
		if count[name] < least && !testing.Short() {
			t.Errorf("%d cases of %s, want %d at least", count[name], name, least)
		}
	}
}

func wrongLines(f params.Field) (out []string) {
	for _, value := range wrong(f) {
		out = append(out, f.Name+" = "+value)
	}
	return out
}
