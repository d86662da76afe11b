package visible_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/visible"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ reason, text, want, first string }{
		{"plain text", `a "b" 'c' \x1b`, `a "b" 'c' \x1b`, ""},
		{"letters of any language", "größer 模式 e\u0301 ½ → 😀", "größer 模式 e\u0301 ½ → 😀", ""},
		{"a space that does not break", "a\u00a0b", "a\u00a0b", ""},
		{"nothing", "", "", ""},
		{"a screen that is erased", "a\x1b[2Jb", `a\x1b[2Jb`, `\x1b`},
		{"a title of a window (OSC)", "\x1b]0;x\x07", `\x1b]0;x\a`, `\x1b`},
		{"a line that is written over", "ab\rcd", `ab\rcd`, `\r`},
		{"a line of its own", "a\nb", `a\nb`, `\n`},
		{"a tab", "a\tb", `a\tb`, `\t`},
		{"backspaces", "a\b\x7f", `a\b\x7f`, `\b`},
		{"nothing at all", "\x00", `\x00`, `\x00`},
		{"controls beyond ASCII (C1)", "\u009b2J\u0085", `\u009b2J\u0085`, `\u009b`},
		{"a direction that is turned", "a\u202eb\u2066c\u200f", `a\u202eb\u2066c\u200f`, `\u202e`},
		{"a space of no width", "a\u200bb\ufeff", `a\u200bb\ufeff`, `\u200b`},
		{"ends of lines and paragraphs", "\u2028\u2029", `\u2028\u2029`, `\u2028`},
		{"no UTF-8", "a\xff\x9bb", `a\xff\x9bb`, `\xff`},
		{"the sign for what is no UTF-8", "\ufffd", "\ufffd", ""},
	} {
		if got := visible.Text(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
		if first := visible.First(c.text); first != c.first || visible.Is(c.text) != (c.first == "") {
			t.Errorf("%s: the first is %q, want %q", c.reason, first, c.first)
		}
	}
}

func TestAll(t *testing.T) {
	type inner struct {
		Text string
		more string
	}
	type outer struct {
		Name    string
		Numbers []int
		List    []string
		Inner   []inner
		Far     *inner
	}
	make := func(text string) outer {
		return outer{text, []int{1}, []string{"a", text}, []inner{{text, "\n"}}, &inner{Text: "\n"}}
	}
	got, want := make("a\x1bb"), make(`a\x1bb`)
	visible.All(&got)
	if d := cmp.Diff(want, got, cmp.AllowUnexported(outer{}, inner{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// FuzzText: a shown text is graphic, and shown again it is the same.
func FuzzText(f *testing.F) {
	for _, text := range []string{"a\x1b[2Jb", "\u202e\u009b", "a\xff", "plain"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := visible.Text(text)
		if !utf8.ValidString(got) || !visible.Is(got) || visible.Text(got) != got {
			t.Fatalf("%q is shown as %q", text, got)
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Fatalf("%q is shown as %q", text, got)
			}
		}
		if visible.Is(text) != (got == text) {
			t.Fatalf("%q is shown as %q, and Is says %v", text, got, visible.Is(text))
		}
	})
}
