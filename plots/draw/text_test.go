package draw

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	width := TextWidth(SmallFont, "abcdefghij")
	for text, want := range map[string][]string{
		"":                    {""},
		"short":               {"short"},
		"  two   words  ":     {"two words"},
		"several words here":  {"several", "words", "here"},
		"x abcdefghijabcdefg": {"x", "abcdefghij", "abcdefg"},
	} {
		if diff := cmp.Diff(want, Wrap(SmallFont, text, width)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if got := Wrap(SmallFont, "äöü", 0); len(got) != 4 {
		t.Errorf("no room at all: %q", got)
	}
}

func TestCompareSortsNumbersBySize(t *testing.T) {
	names := []string{"a10", "a1b", "b", "a2", "10", "9", "a", "a9b", ""}
	slices.SortFunc(names, Compare)
	if got := strings.Join(names, " "); got != " 9 10 a a2 a10 a1b a9b b" {
		t.Errorf("got %q", got)
	}
}
