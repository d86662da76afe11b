package spec

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/metrics"
)

// This file makes a JSON Schema of specs from the fields that the reader sets. Editors of TOML complete what
// properties and items hold, and skip conditions. So the properties of a table with a name are the fields of
// all environments (or policies, or methods), and conditions leave those of the name.

// A schema is a JSON Schema, or several by property.
type schema = map[string]any

// Schema returns the JSON Schema (draft 7) of specs, for editors: the fields of each table with their types,
// bounds, choices, docs and defaults. It refuses fields that the reader does not know, and values of a wrong
// type or out of bounds. Like all of JSON it takes 2.0 for a whole number.
// It knows no rules between fields or between entries of a list, and no variants. The kinds of figures are
// those that the program registers.
func Schema() (map[string]any, error) {
	var environments []alternative
	for _, name := range envs.Names() {
		def, err := envs.Lookup(name)
		if err != nil {
			return nil, err
		}
		environments = append(environments, alternative{name: name, doc: def.Summary, fields: properties("env", params.Fields(def.Default()))})
	}
	policies := underPolicies("policy", func(k policyKind) any { return k.config("") })
	training := underPolicies("train", func(k policyKind) any { return k.train() })
	evaluation := underPolicies("eval", func(k policyKind) any { return k.eval() })
	method, err := methodSchema()
	if err != nil {
		return nil, err
	}
	env, policy := named(environments, false), named(policies, true)
	top := topSchema(required(env, "name"), policy, merge(training), merge(evaluation))
	var homes []any
	for i, k := range policyKinds {
		conditions := schema{"train": schema{"properties": training[i].adds}, "eval": schema{"properties": evaluation[i].adds}}
		if slices.Contains(overlayNames(), k.name) {
			conditions[k.name] = false
			top[k.name] = table(topSchema(env, table(policies[i].fields), training[i].fields, evaluation[i].fields))
		}
		homes = append(homes, schema{"if": homeSchema(k.name, i == 0), "then": schema{"properties": conditions}})
	}
	out := required(table(top), "env", "method")
	maps.Copy(out, schema{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "a spec of bench run", "if": schema{}, "then": schema{"allOf": homes},
		"definitions": schema{"method": method, "figure": figureSchema(), "claim": claimSchema()},
	})
	return out, nil
}

// topSchema has the properties of a spec, or of a table that changes it under another kind of policy.
func topSchema(env, policy, train, eval schema) schema {
	list := func(definition string) schema {
		return schema{"type": "array", "items": schema{"$ref": "#/definitions/" + definition}}
	}
	top := properties("spec", Fields("spec"))
	top["columns"].(schema)["items"] = metricSchema(true)
	nested := top["nested"].(schema) // a number or a list
	maps.Copy(nested, nested["items"].(schema))
	nested["type"], nested["maxItems"] = []string{"integer", "array"}, 2
	top["env"], top["policy"], top["train"], top["eval"] = oneOrMore(env, required(env, "name")), oneOrMore(policy, policy), table(train), table(eval)
	top["method"], top["figure"], top["claim"] = list("method"), list("figure"), list("claim")
	top["method"].(schema)["minItems"] = 1
	return top
}

// homeSchema holds for a spec whose own policy is of a kind; usual: that is the kind without a name.
func homeSchema(kind string, usual bool) schema {
	policy := schema{"type": "object", "properties": schema{"name": schema{"const": kind}}}
	out := schema{"properties": schema{"policy": schema{"anyOf": []any{policy, schema{"type": "array", "items": policy}}}}}
	if !usual {
		policy["required"], out["required"] = []string{"name"}, []string{"policy"}
	}
	return out
}

func methodSchema() (schema, error) {
	plugged, err := estimators.Lookup(plugin.Name)
	if err != nil {
		return nil, err
	}
	train := merge(underPolicies("method", func(k policyKind) any { return k.train() }))
	keys := properties("", methodKeys())
	keys["label"].(schema)["pattern"] = `\S`
	maps.Copy(keys["train"].(schema), table(train))
	maps.Copy(keys["eval"].(schema), table(properties("method", methodEvalFields())))
	alternatives := []alternative{{name: everyOther, doc: "every method that the spec does not name", any: true, also: schema{"label": false}}}
	for _, m := range append(estimators.Methods(), plugged) {
		a := alternative{name: m.Name, doc: m.Summary, fields: properties("method", m.New().Fields()), also: schema{}}
		maps.Copy(a.fields, keys)
		if m.Trains {
			a.also["policy"] = false
		}
		if !m.Goals {
			a.also["eval"] = schema{"properties": schema{"goals": false}}
		}
		alternatives = append(alternatives, a)
	}
	return required(named(alternatives, false), "name"), nil
}

func figureSchema() schema {
	fields := properties("figure", Fields("figure"))
	fields["metrics"].(schema)["items"] = metricSchema(false) // a kind may draw no metrics, and then takes any
	var cases []any
	for _, name := range append([]string{"metrics"}, fieldsOfSome...) {
		none := any(false) // the schema of the field in a kind that does not read it
		switch name {
		case "metrics":
			none = schema{"maxItems": 0}
		case "problem":
			none = schema{"maximum": 0}
		case "free_y":
			none = schema{"enum": []any{false}}
		}
		if kinds := figureKinds(func(k record.FigureKind) bool { return !k.Reads(name) }); kinds != nil {
			cases = append(cases, schema{"if": schema{"properties": schema{"kind": schema{"enum": kinds}}}, "then": schema{"properties": schema{name: none}}})
		}
	}
	out := required(table(fields), "name", "kind")
	if cases != nil {
		out["if"], out["then"] = schema{}, schema{"allOf": cases}
	}
	return out
}

func claimSchema() schema {
	fields := properties("claim", Fields("claim"))
	maps.Copy(fields["metric"].(schema), schema{"minItems": 1, "items": metricSchema(true)})
	null := table(schema{"a": fields["a"], "b": fields["b"], "metric": fields["metric"]})
	maps.Copy(fields["null"].(schema), null)
	fields["null"].(schema)["minProperties"] = 1
	return required(table(fields), "name", "text", "metric", "a", "says")
}

// metricSchema lists the metrics that take no number; checked: other texts have to be metrics at a number.
func metricSchema(checked bool) schema {
	var names, docs, families []string
	for _, m := range metrics.All() {
		if family, _, numbered := strings.Cut(m.Name, "@"); numbered {
			families = append(families, regexp.QuoteMeta(family))
		} else {
			names, docs = append(names, m.Name), append(docs, m.Doc)
		}
	}
	numbered := schema{"type": "string"}
	if checked {
		numbered["pattern"] = "^(" + strings.Join(families, "|") + ")@[1-9][0-9]*$"
	}
	return schema{"anyOf": []any{choice(names, docs), numbered}}
}

// choice is one of some texts, each with its doc in the extension of taplo.
func choice(names, docs []string) schema {
	return schema{"enum": names, "x-taplo": schema{"docs": schema{"enumValues": docs}}}
}

// An alternative is a table of one name among several.
type alternative struct {
	name, doc string
	fields    schema
	any       bool   // its fields are those of all others
	also      schema // more conditions on fields, by field
	adds      schema // to the properties of all alternatives, by field: set by merge
}

// underPolicies has the fields of a config under each kind of policy, in a table.
func underPolicies(table string, config func(policyKind) any) (out []alternative) {
	for _, k := range policyKinds {
		out = append(out, alternative{name: k.name, doc: k.summary, fields: properties(table, params.Fields(config(k)))})
	}
	return out
}

// merge returns the properties of the fields of all alternatives, without a default that several give
// differently, and notes what each adds to them.
func merge(alternatives []alternative) schema {
	all := schema{}
	for i, a := range alternatives {
		alternatives[i].adds = schema{}
		maps.Copy(all, a.fields)
	}
	for field := range all {
		var forms, defaults []any
		for _, a := range alternatives {
			if full, ok := a.fields[field].(schema); ok {
				form := maps.Clone(full)
				delete(form, "default")
				forms, defaults = distinct(forms, form), distinct(defaults, full["default"])
			}
		}
		property := schema{"anyOf": forms}
		if len(forms) == 1 {
			property = maps.Clone(forms[0].(schema))
		}
		if len(defaults) == 1 && defaults[0] != nil {
			property["default"] = defaults[0]
		}
		all[field] = property
		for _, a := range alternatives {
			full, ok := a.fields[field].(schema)
			switch {
			case ok && len(forms) > 1:
				a.adds[field] = full
			case ok && len(defaults) > 1:
				a.adds[field] = schema{"default": full["default"]}
			case ok:
				a.adds[field] = schema{}
			}
		}
	}
	return all
}

// distinct appends a value that is not there yet.
func distinct(values []any, value any) []any {
	if slices.ContainsFunc(values, func(known any) bool { return reflect.DeepEqual(known, value) }) {
		return values
	}
	return append(values, value)
}

// named is the schema of a table whose name selects its fields. Without a name it has the fields of the
// first alternative if that is the usual one, or else those of all.
func named(alternatives []alternative, usual bool) schema {
	all := merge(alternatives)
	known := schema{"name": schema{}}
	for field := range all {
		known[field] = schema{}
	}
	var names, docs []string
	var cases []any
	for _, a := range alternatives {
		if a.any {
			a.adds = maps.Clone(known)
		}
		a.adds["name"] = schema{}
		maps.Copy(a.adds, a.also)
		names, docs = append(names, a.name), append(docs, a.doc)
		cases = append(cases, schema{"if": schema{"properties": schema{"name": schema{"const": a.name}}}, "then": closed(a.adds)})
	}
	all["name"] = choice(names, docs)
	if usual {
		known = alternatives[0].adds
	}
	return schema{"type": "object", "properties": all, "if": schema{"required": []string{"name"}}, "then": schema{"allOf": cases}, "else": closed(known)}
}

func closed(properties schema) schema {
	return schema{"properties": properties, "additionalProperties": false}
}

func table(properties schema) schema {
	out := closed(properties)
	out["type"] = "object"
	return out
}

func required(table schema, keys ...string) schema {
	table = maps.Clone(table)
	table["required"] = keys
	return table
}

// oneOrMore is [key], or several [[key]].
func oneOrMore(single, entry schema) schema {
	single = maps.Clone(single)
	single["type"], single["items"], single["minItems"] = []string{"object", "array"}, entry, 1
	return single
}

// jsonTypes are the types of fields in JSON.
var jsonTypes = map[string]string{"bool": "boolean", "int": "integer", "float": "number", "text": "string", "table": "object"}

// properties are the schemas of the fields of a table by name.
func properties(table string, fields []params.Field) schema {
	out := schema{}
	for _, f := range fields {
		kind, list := strings.CutPrefix(f.Type, "list of ")
		single := schema{"type": jsonTypes[kind]}
		for key, bound := range map[string]string{"minimum": f.Min, "maximum": f.Max} {
			if bound != "" {
				single[key] = json.Number(bound)
			}
		}
		if f.Choices != nil {
			single = schema{"enum": f.Choices}
		}
		full := maps.Clone(single)
		switch {
		case f.Type == textOrTexts:
			full = schema{"type": []string{"string", "array"}, "minLength": 1, "items": schema{"type": "string", "minLength": 1}, "uniqueItems": true}
		case list:
			full = schema{"type": "array", "items": single}
		case listable(table, f.Name) && f.Choices != nil:
			full = schema{"anyOf": []any{single, schema{"type": "array", "items": single, "minItems": 1, "uniqueItems": true}}}
		case listable(table, f.Name):
			full["type"], full["items"], full["minItems"], full["uniqueItems"] = []any{single["type"], "array"}, single, 1, true
		}
		full["description"] = f.Doc
		switch v := reflect.ValueOf(f.Value); {
		case list && v.Len() == 0:
			full["default"] = []any{} // where Go has nil
		case f.Value != nil && f.Value != "" && f.Type != "table":
			full["default"] = f.Value
		}
		out[f.Name] = full
	}
	return out
}
