package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/strictjson"
)

func TestCheckSyntax(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"one value", `{"a": [1, 2]}`, ""},
		{"blanks around it", " \n{}\n ", ""},
		{"the first line", `{"a": x}`, "1:7: invalid character 'x' looking for beginning of value"},
		{"a later line", "{\n  \"a\": 1,\n  \"b\" 2}", "3:7: invalid character '2' after object key"},
		{"columns count letters, not bytes", `{"äöü": x}`, "1:9: invalid character 'x' looking for beginning of value"},
		{"the end comes too soon", "{\n\"a\": 1", "2:7: unexpected end of JSON input"},
		{"nothing at all", "", "1:1: unexpected end of JSON input"},
		{"a second value", "{} {}", "1:4: invalid character '{' after top-level value"},
		{"a line break inside a string", "\"a\nb\"", `1:3: invalid character '\n' in string literal`},
	} {
		got := ""
		if err := strictjson.CheckSyntax([]byte(c.text)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q:\n got %s\nwant %s", c.reason, c.text, got, c.want)
		}
	}
}

type document struct {
	Seed  uint64     `json:"seed"`
	Step  int        `json:"step"`
	Big   int64      `json:"big"`
	X     float64    `json:"x"`
	On    bool       `json:"on"`
	Name  string     `json:"name"`
	List  []*float64 `json:"list"`
	Inner struct {
		Step int `json:"step"`
	} `json:"inner"`
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"seed": -1}`, "at.seed: got number -1, want an integer >= 0"},
		{`{"step": 0.5}`, "at.step: got number 0.5, want an integer"},
		{`{"step": "1"}`, "at.step: got string, want an integer"},
		{`{"big": 1e300}`, "at.big: got number 1e300, want an integer"},
		{`{"x": 1e999}`, "at.x: got number 1e999, want a finite number"},
		{`{"big": ` + strings.Repeat("2", 1000) + `}`, "at.big: got number " + strings.Repeat("2", 53) + "..., want an integer"},
		{`{"on": 1}`, "at.on: got number, want true or false"},
		{`{"name": []}`, "at.name: got array, want a string"},
		{`{"list": {}}`, "at.list: got object, want an array"},
		{`{"inner": 1}`, "at.inner: got number, want an object"},
		{`{"inner": {"step": true}}`, "at.inner.step: got bool, want an integer"},
		{`{"stp": 1}`, `at: unknown field "stp"`},
		{`[]`, "at: got array, want an object"},
		{`{} {}`, "at: text after the end of the value"},
		{`{} x`, "at: text after the end of the value"},
		{`{}}`, "at: text after the end of the value"},
	} {
		var v document
		if err := strictjson.Decode([]byte(c.text), "at", &v); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
		// Without a path the error begins with the field, or has no place at all.
		want := strings.TrimPrefix(strings.TrimPrefix(c.want, "at: "), "at.")
		if err := strictjson.Decode([]byte(c.text), "", &v); err == nil || err.Error() != want {
			t.Errorf("%s, no path:\n got %v\nwant %s", c.text, err, want)
		}
	}
}

func TestDecode(t *testing.T) {
	var got document
	if err := strictjson.Decode([]byte(" {\"seed\": 18446744073709551615, \"step\": -3, \"x\": 2} \n"), "", &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(document{Seed: 1<<64 - 1, Step: -3, X: 2}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		reason, text, want string
		list               []float64
	}{
		{"values", "[1, -0.5]", "", []float64{1, -0.5}},
		{"an absent list stays absent", "null", "", nil},
		{"an empty list is no absent one", "[]", "", []float64{}},
		{"a null among them", "[1, null]", "w[1]: got null, want a number", nil},
	} {
		var from []*float64
		if err := json.Unmarshal([]byte(c.text), &from); err != nil {
			t.Fatal(err)
		}
		list, err := strictjson.Numbers(from, "w")
		text := ""
		if err != nil {
			text = err.Error()
		}
		if d := cmp.Diff(c.list, list); d != "" || text != c.want {
			t.Errorf("%s: error %q, want %q (-want +got):\n%s", c.reason, text, c.want, d)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, c := range [][3]string{{"", "a", "a"}, {"a", "b", "a.b"}, {"a[0]", "b", "a[0].b"}} {
		if got := strictjson.Join(c[0], c[1]); got != c[2] {
			t.Errorf("Join(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range [][2]string{{"a", "a"}, {"a\nb", "a b"}, {"a\r\n\nb\n", "a b"}, {"", ""}} {
		if got := strictjson.OneLine(c[0]); got != c[1] {
			t.Errorf("OneLine(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

// FuzzCheckSyntax: text is accepted exactly when encoding/json accepts it, and
// an error is one line.
func FuzzCheckSyntax(f *testing.F) {
	for _, text := range []string{`{}`, "{\n", "[1,]", "\"\xff\"", "\r\n\x00", "1 2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := strictjson.CheckSyntax(data)
		if (err == nil) != json.Valid(data) {
			t.Fatalf("%q: error %v, but json.Valid says %v", data, err, json.Valid(data))
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q: error %q has more than one line", data, err)
		}
	})
}
