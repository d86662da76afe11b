package spec

import (
	"errors"
	"strings"
	"testing"
)

// TestTextsShow: a character that does not show is refused in every text of a spec, with its
// line. Expressions of methods may have several lines.
func TestTextsShow(t *testing.T) {
	const text = `title = "t"
seeds = 2
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 20
[eval]
k = [1]
[[method]]
name = "grpo"
label = "mine"
[[figure]]
name = "curves"
kind = "curve"
title = "ft"
metrics = ["reward"]
where = { method = ["mine"] }
[[claim]]
name = "c"
text = "ct"
source = "cs"
paper = "cp"
metric = "reward"
a = "mine"
says = "above"
delta = 1
delta_why = "dw"
gate = "a.mean > 0"
[transformer]
title = "tt"
`
	if _, err := parseText("my.toml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`\u001b[2J`, `\u001b]0;x\u0007`, `\r`, `\n`, `\t`, `\u009b`, `\u202e`, `\u2066`, `\u200b`, `\u2028`} {
		for _, c := range []struct{ old, line string }{
			{`"t"`, "1"}, {`"mine"`, "12"}, {`"curves"`, "14"}, {`"ft"`, "16"}, {`["mine"]`, "18"}, {`"c"`, "20"},
			{`"ct"`, "21"}, {`"cs"`, "22"}, {`"cp"`, "23"}, {`"dw"`, "28"}, {`"a.mean > 0"`, "29"}, {`"tt"`, "31"},
		} {
			hostile := strings.Replace(text, c.old, strings.Replace(c.old, `"`, `"`+bad, 1), 1)
			_, err := parseText("my.toml", []byte(hostile))
			if err == nil || !strings.HasPrefix(err.Error(), "my.toml:"+c.line+": the text ") || !strings.Contains(err.Error(), " holds "+bad+", which does not show") && !strings.Contains(err.Error(), `holds \x1b, which does not show`) || strings.ContainsAny(err.Error(), "\x1b\n\r\u202e") {
				t.Errorf("%s in %s: %v", bad, c.old, err)
			}
		}
	}
	for _, shown := range []string{"größer 模式 ½ → 😀", `a\u00a0b`} {
		s, err := parseText("my.toml", []byte(strings.ReplaceAll(text, `"mine"`, `"`+shown+`"`)))
		if err != nil {
			t.Errorf("%s: %v", shown, err)
		} else if s.Variants[0].Label != strings.ReplaceAll(shown, `\u00a0`, "\u00a0") {
			t.Errorf("%s is labelled %q", shown, s.Variants[0].Label)
		}
	}
	var set *SetError
	if _, err := Parse("my.toml", []byte(text), LoadOptions{Set: []string{"method.mine.scale=\x1b[2J"}}); !errors.As(err, &set) {
		t.Errorf("set from outside: %v", err)
	}
}

// TestLinesOfExpressions: they are taken, and do not break a label in two.
func TestLinesOfExpressions(t *testing.T) {
	s, err := parseText("my.toml", []byte("[env]\nname = \"bandit\"\n[[method]]\nname = \"set-rl\"\nobjective = [\"\"\"mean(\n\treward)\"\"\", \"max(reward)\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Variants {
		if strings.ContainsAny(v.Label+v.Axes[0].Value, "\n\t") {
			t.Errorf("a label of several lines: %q", v.Label)
		}
	}
}
