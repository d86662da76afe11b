package export

import (
	"strings"
	"testing"
)

// TestCSVHoldsNoFormulas: a text that a spreadsheet would take for a formula begins with an
// apostrophe; a number does not, be it in a column of texts.
func TestCSVHoldsNoFormulas(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"grpo", "grpo"}, {"", ""}, {"a=b", "a=b"}, {"'quoted", "'quoted"},
		{"=1+1", "'=1+1"}, {"+a", "'+a"}, {"-a", "'-a"}, {"@SUM(A1)", "'@SUM(A1)"}, {"\t=1", "'\t=1"}, {"\r=1", "\"'\r=1\""}, {"\n=1", "\"'\n=1\""},
		{"\uff1d1", "'\uff1d1"}, {"\uff0b1", "'\uff0b1"}, {"\uff0d1", "'\uff0d1"}, {"\uff201", "'\uff201"},
		{"-0.5", "-0.5"}, {"+1e-3", "+1e-3"}, {"-inf", "'-inf"}, {"-0x1p-2", "'-0x1p-2"}, {"-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"},
	} {
		var out strings.Builder
		s, err := newCSV(&out, &table{columns: []column{{c.text, text, true}, {"x", number, true}, {"n", integer, true}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.write([]value{c.text, -0.5, -1}); err != nil {
			t.Fatal(err)
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		if want := c.want + ",x,n\n" + c.want + ",-0.5,-1\n"; out.String() != want {
			t.Errorf("%q: got %q, want %q", c.text, out.String(), want)
		}
	}
}
