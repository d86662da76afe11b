package strictjson_test

import (
	"testing"

	"modebench/internal/strictjson"
)

func TestCheckMembers(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"names once each, and again in other objects", `{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}`, ""},
		{"a name twice", `{"a": 1, "b": 2, "a": 3}`, `the object has "a" twice`},
		{"a name twice, written another way", `{"list": [{}, {"a": 1, "\u0061": 3}]}`, `list[1]: the object has "a" twice`},
		{"a name in two cases, which are one to encoding/json", `{"spec": 1, "Spec": 3}`, `the object has "Spec" twice`},
		{"a null where a number may lack", `{"mean": [1, null], "a": [{"mean": null}]}`, ""},
		{"a null in a list within", `{"mean": [[null]]}`, ""},
		{"a null elsewhere", `{"a": [0, {"steps": [1, null]}]}`, "a[1].steps[1]: got null, want a value"},
		{"a null in an object that may lack", `{"mean": {"x": null}}`, "mean.x: got null, want a value"},
		{"a null under a name of two lines", `{"a\nb": null}`, `a\nb: got null, want a value`},
		{"nothing but null", `null`, "got null, want a value"},
		{"a large number", `{"a": 1e999}`, ""}, // for Decode
	} {
		got := ""
		if err := strictjson.CheckMembers([]byte(c.text), "mean"); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s:\n got %q\nwant %q", c.reason, c.text, got, c.want)
		}
	}
}
