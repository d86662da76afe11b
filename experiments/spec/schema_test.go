package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"modebench/internal/params"
	_ "modebench/plots" // registers the kinds of figures
)

// compiled is the schema of specs, once for all tests.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	made, err := Schema()
	if err != nil {
		return nil, err
	}
	doc, err := asJSON(made)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("spec.schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("spec.schema.json") // which holds it against the schema of schemas
})

func asJSON(doc any) (any, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// checkSchema holds the text of a spec against the schema.
func checkSchema(t *testing.T, text []byte) error {
	t.Helper()
	s, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := toml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	plain, err := asJSON(doc)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(plain)
}

// TestSchemaTakesEverySpec: the schema takes the built-in specs, the tasks of boards with a method, and every
// spec of the manual that the reader takes.
func TestSchemaTakesEverySpec(t *testing.T) {
	texts := map[string]string{}
	for _, name := range BuiltinNames() {
		text, err := BuiltinText(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	for _, pattern := range []string{"tabular", "transformer", "profile"} {
		files, err := filepath.Glob(filepath.Join("..", "board", pattern, "*.toml"))
		if err != nil || len(files) < 6 {
			t.Fatalf("%d tasks of %s (%v)", len(files), pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text) + "\n[[method]]\nname = \"grpo\"\n"
		}
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range regexp.MustCompile("(?ms)^```toml \\S+\n(.*?)^```").FindAllSubmatch(text, -1) {
			if _, mistake := parseText("a.toml", block[1]); mistake == nil {
				texts[fmt.Sprint(page, " ", i)] = string(block[1])
			}
		}
	}
	if len(texts) < 90 {
		t.Errorf("only %d specs", len(texts))
	}
	for name, text := range texts {
		if err := checkSchema(t, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaKnowsTables: the schema and the reader refuse the same tables.
func TestSchemaKnowsTables(t *testing.T) {
	const env, grpo, base = "env.name = \"bandit\"\n", "[[method]]\nname = \"grpo\"\n", "[[method]]\nname = \"base\"\n"
	const figure, claim = grpo + "[[figure]]\nname = \"f\"\n", grpo + "[[claim]]\nname = \"c\"\ntext = \"t\"\na = \"grpo\"\nsays = \"above\"\n"
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{env + grpo, true},
		{env, false},
		{grpo, false},
		{env + "method = []\n", false},
		{"env = []\n" + grpo, false},
		{"[[env]]\nname = \"bandit\"\n[[env]]\nname = \"coins\"\n" + grpo, true},
		{"[[env]]\nname = \"bandit\"\n[[env]]\nmodes = 4\n" + grpo, false},
		{"[env]\nname = \"nosuch\"\n" + grpo, false},
		{env + "nosuch = 1\n" + grpo, false},
		{env + "nested = 2\n" + grpo, true},
		{env + "nested = [4, 2]\n" + grpo, true},
		{env + "nested = [4, 2, 1]\n" + grpo, false},
		{env + "columns = [\"pass@1\", \"reward\"]\n" + grpo, true},
		{env + "columns = [\"pass\"]\n" + grpo, false},
		{env + "columns = [\"rewrad\"]\n" + grpo, false},
		{env + "policy.name = \"transformer\"\ntrain.lr = [0.1, 0.2]\n" + grpo, true},
		{env + "policy.name = \"nosuch\"\n" + grpo, false},
		{env + "policy.width = 32\n" + grpo, false},
		{env + "policy.name = \"baseline\"\n" + base, false}, // a bandit has no baseline, which the reader alone knows
		{env + "policy = { name = \"transformer\", width = [32, 64] }\n" + grpo, true},
		{env + "[[policy]]\nname = \"transformer\"\nwidth = 32\n[[policy]]\nname = \"transformer\"\nwidth = 64\n" + grpo, true},
		{env + grpo + "[transformer]\nseeds = 3\n", true},
		{env + grpo + "[transformer]\nnosuch = 3\n", false},
		{env + grpo + "[transformer.env]\nmodes = 4\n", true},
		{env + grpo + "[transformer.env]\nnosuch = 4\n", false},
		{env + grpo + "[transformer.policy]\nwidth = 32\n", true},
		{env + grpo + "[transformer.policy]\nname = \"tabular\"\n", false},
		{env + grpo + "[[transformer.policy]]\nwidth = 32\n[[transformer.policy]]\nwidth = 64\n", true},
		{env + grpo + "[[transformer.policy]]\nname = \"tabular\"\n", false},
		{env + grpo + "[[transformer.method]]\nname = \"grpo\"\n", true},
		{env + grpo + "[[transformer.method]]\nlabel = \"grpo\"\n", false},
		{env + grpo + "[tabular]\nseeds = 3\n", false},
		{env + "policy.name = \"transformer\"\n" + grpo + "[tabular]\nseeds = 3\n", true},
		{env + "policy.name = \"transformer\"\n" + grpo + "[transformer]\nseeds = 3\n", false},
		{env + "[[policy]]\nname = \"transformer\"\n" + grpo + "[tabular]\nseeds = 3\n", true},
		{env + "[[policy]]\nname = \"transformer\"\n" + grpo + "[transformer]\nseeds = 3\n", false},
		{env + grpo + "label = \"mine\"\n", true},
		{env + grpo + "label = \" \"\n", false},
		{env + grpo + "policy = \"tabular\"\n", false},
		{env + base + "policy = \"tabular\"\n", true},
		{env + base + "clip_low = 0.1\n", false},
		{env + grpo + "train = { lr = [0.1, 0.2] }\n", true},
		{env + grpo + "train = { lamda = 1 }\n", false},
		{env + grpo + "train = 3\n", false},
		{env + grpo + "eval = { temperature = [1, 2] }\n", true},
		{env + grpo + "eval = { samples = 2 }\n", false},
		{env + grpo + "eval = { goals = \"random\" }\n", false},
		{"env = { name = \"maze\" }\neval.draws = 4\n[[method]]\nname = \"goal-conditioned\"\neval = { goals = \"random\" }\n", true},
		{"env = { name = \"maze\" }\n[[method]]\nname = \"*\"\n", true},
		{"env = { name = \"maze\" }\n[[method]]\nname = \"*\"\nlabel = \"all\"\n", false},
		{env + "[[method]]\nname = \"plugin\"\ncommand = [\"true\"]\n", true},
		{env + "[[method]]\nname = \"plugin\"\ncommand = \"true\"\n", false},
		{env + figure + "kind = \"bars\"\nmetrics = [\"reward\"]\nproblem = 0\n", true},
		{env + figure + "kind = \"bars\"\nmetrics = [\"reward\"]\nproblem = 1\n", false},
		{env + figure + "kind = \"bars\"\nmetrics = [\"reward\"]\nsteps = []\n", false},
		{env + figure + "kind = \"nosuch\"\n", false},
		{env + figure, false},
		{env + "eval = { keep = 1, enumerate = 0 }\n" + figure + "kind = \"map\"\nmetrics = [\"reward\"]\n", false},
		{env + figure + "kind = \"bars\"\nmetrics = [\"reward\"]\nwhere = 1\n", false},
		{env + figure + "kind = \"bars\"\nmetrics = [\"reward\"]\nwhere = { method = \"grpo\" }\n", true},
		{env + claim + "metric = \"reward\"\nby = 0.5\n", true},
		{env + claim + "metric = [\"reward\", \"pass@1\"]\nby = 0.5\n", true},
		{env + claim + "metric = [\"reward\", \"reward\"]\n", false},
		{env + claim + "metric = []\n", false},
		{env + claim + "metric = \"reward\"\nnull = { nosuch = 1 }\n", false},
		{env + claim + "metric = \"reward\"\nnull = {}\n", false},
		{env + claim, false},
	} {
		_, mistake := parseText("my.toml", []byte(c.text))
		refused := checkSchema(t, []byte(c.text))
		onlyReader := strings.Contains(c.text, "baseline")
		if (mistake == nil) != c.ok || (refused == nil) != (c.ok || onlyReader) {
			t.Errorf("%s\nthe reader: %v\nthe schema: %v\nwant that they take it: %t", c.text, mistake, refused, c.ok)
		}
	}
}

// TestSchemaHasEveryField: each table has the fields of its listing, with their docs, and with their defaults
// unless they depend on a name.
func TestSchemaHasEveryField(t *testing.T) {
	made, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	top := made["properties"].(schema)
	overlay := top[policyTransformer].(schema)["properties"].(schema)
	for name, c := range map[string]struct {
		properties any
		fields     []params.Field
	}{
		"spec":   {top, Fields("spec")},
		"policy": {overlay["policy"].(schema)["properties"], params.Fields(transformerConfig(""))},
		"train":  {overlay["train"].(schema)["properties"], params.Fields(transformerTrain())},
		"eval":   {overlay["eval"].(schema)["properties"], params.Fields(transformerEval())},
		"claim":  {made["definitions"].(schema)["claim"].(schema)["properties"], Fields("claim")},
	} {
		properties := maps.Clone(c.properties.(schema))
		for _, f := range c.fields {
			got, _ := properties[f.Name].(schema)
			if f.Value == "" || f.Type == "table" {
				f.Value = nil // it is empty
			}
			if got["description"] != f.Doc || fmt.Sprint(got["default"]) != fmt.Sprint(f.Value) {
				t.Errorf("%s: %s has the doc %q and the default %v, want %q and %v", name, f.Name, got["description"], got["default"], f.Doc, f.Value)
			}
			delete(properties, f.Name)
		}
		if name != "spec" && len(properties) > 0 {
			t.Errorf("%s: the schema has more fields: %v", name, properties)
		}
	}
}
