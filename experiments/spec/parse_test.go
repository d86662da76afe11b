package spec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

// TestTreeHoldsTheText: a tree has the values that the decoder finds, each at its line.
func TestTreeHoldsTheText(t *testing.T) {
	for _, name := range BuiltinNames() {
		text, err := BuiltinText(name)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parseTree(name, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := toml.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(any(want), tree.plain()); d != "" {
			t.Errorf("%s (-decoder +tree):\n%s", name, d)
		}
	}
	const text = "a.b = 1\n[c.d]\ne = [\n  2,\n  { f = 3,\n    g = 0x10 },\n]\n[[h]]\n[[h]]\n[h.i]\n[c]\n"
	tree, err := parseTree("my.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, h := tree.get("c"), tree.get("h")
	list := c.get("d").get("e")
	for _, x := range []struct {
		n    *node
		path string
		line int
	}{
		{tree.get("a"), "a", 1},
		{tree.get("a").get("b"), "a.b", 1},
		{c, "c", 11},
		{c.get("d"), "c.d", 2},
		{list, "c.d.e", 3},
		{list.list[0], "c.d.e[0]", 4},
		{list.list[1], "c.d.e[1]", 5},
		{list.list[1].get("g"), "c.d.e[1].g", 6},
		{h, "h", 8},
		{h.list[1], "h[1]", 9},
		{h.list[1].get("i"), "h[1].i", 10},
	} {
		if x.n.path != x.path || x.n.line != x.line {
			t.Errorf("%s is at line %d, want %s at %d", x.n.path, x.n.line, x.path, x.line)
		}
	}
}

// TestLimits: a spec that holds too much is refused with one line, before time is spent on it.
func TestLimits(t *testing.T) {
	const head = "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\n"
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct{ reason, text, want string }{
		{"bytes", head + "#" + strings.Repeat("x", 1<<20), "my.toml: it has 1048624 bytes, and a spec at most 1048576"},
		{"keys of a table", manyKeys(20000), "my.toml:1006: a table of a spec has at most 1000 keys"},
		{"dotted keys", repeat(1001, "a.b%d.c = 1\n"), "my.toml:1001: a table of a spec has at most 1000 keys"},
		{"tables of a table", repeat(1001, "[a.b%d]\n"), "my.toml:1001: a table of a spec has at most 1000 keys"},
		{"an inline table", "a = {" + strings.TrimSuffix(repeat(1001, "b%d = 1,"), ",") + "}", "my.toml:1: a table of a spec has at most 1000 keys"},
		{"tables in tables", "a" + strings.Repeat(".a", 500) + " = 1", "my.toml:1: the full name of a key in a spec has at most 1000 bytes"},
		{"lists in lists", "a = " + strings.Repeat("[", 400) + strings.Repeat("]", 400), "my.toml:1: the full name of a key in a spec has at most 1000 bytes"},
		{"a list", "[train]\nlr = [" + strings.TrimSuffix(repeat(10001, "%d,"), ",") + "]", "my.toml:2: a list in a spec has at most 10000 entries"},
		{"methods", "[env]\nname = \"bandit\"\n" + repeat(20000, "[[method]]\nname = \"grpo\"\nlabel = \"m%d\"\n"), "my.toml:30003: a spec has at most 10000 methods"},
		{"figures", head + repeat(201, "[[figure]]\nname = \"f%d\"\n"), "my.toml:405: a spec has at most 200 figures"},
		{"claims", head + repeat(201, "[[claim]]\nname = \"c%d\"\n"), "my.toml:405: a spec has at most 200 claims"},
	} {
		_, err := parseText("my.toml", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
	if _, err := parseText("my.toml", []byte(strings.Replace(manyMethods(200), "[[method]]", strings.Repeat("# a comment\n", 1000)+"[[method]]", 1))); err != nil {
		t.Errorf("within the limits: %v", err)
	}
}

// TestLoadHeedsItsContext: reading a spec of many variants ends with its context.
func TestLoadHeedsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	spec := &Spec{}
	doc := document{plugins: newPluginCache(".", LoadOptions{Context: ctx})}
	if err := doc.add(spec, &Variant{}, methodGrid{}, variantsSoFar{}); !errors.Is(err, context.Canceled) || len(spec.Variants) > 0 {
		t.Errorf("a variant is built after the end: %v", err)
	}
	if _, err := Parse("my.toml", []byte(manyMethods(2)), LoadOptions{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
