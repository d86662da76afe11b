package params_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/params"
)

type inner struct {
	DDoF    int     `param:"ddof" doc:"degrees of freedom" min:"0" max:"1"`
	Epsilon float64 `param:"epsilon" doc:"added to the deviation" min:"0"`
}

type outer struct {
	inner
	Lambda  float64   `param:"lambda" doc:"weight" min:"0"`
	Kind    string    `param:"kind" doc:"which" choices:"adam,sgd"`
	On      bool      `param:"on" doc:"switch"`
	K       []int     `param:"k" doc:"sizes" min:"1"`
	W       []float64 `param:"w" doc:"weights"`
	Epsilon float64   `param:"epsilon" doc:"shadows the inner one" min:"0"`
	hidden  int       // no field, since it is not exported
}

func fresh() *outer {
	return &outer{inner: inner{DDoF: 1, Epsilon: 9}, Lambda: 0.5, Kind: "adam", K: []int{1, 2}, Epsilon: 1e-6, hidden: 1}
}

func TestFieldsFlattenEmbeddedStructs(t *testing.T) {
	want := []string{"lambda", "kind", "on", "k", "w", "epsilon", "ddof"}
	if d := cmp.Diff(want, params.Names(fresh())); d != "" {
		t.Errorf("outer fields come first and shadow inner ones of the same name (-want +got):\n%s", d)
	}
	f, ok := params.Lookup(fresh(), "k")
	if !ok || !f.IsList() || f.Type != "list of int" {
		t.Errorf("k: got %+v", f)
	}
}

// sizes knows its doc and its choices.
type sizes []string

func (sizes) Describe() (string, []string) { return "small or large", []string{"small", "large"} }

func TestTypesDescribeTheirFields(t *testing.T) {
	var p struct {
		Sizes sizes `param:"sizes"`
	}
	if f, _ := params.Lookup(&p, "sizes"); f.Doc != "small or large" || f.Type != "list of text" {
		t.Errorf("got %+v", f)
	}
	if err := params.SetPair(&p, "sizes=large"); err != nil || len(p.Sizes) != 1 {
		t.Errorf("got %v, error %v", p.Sizes, err)
	}
	if err := params.SetPair(&p, "sizes=huge"); err == nil || err.Error() != `field "sizes": entry 0: got "huge", want one of small, large` {
		t.Errorf("got error %v", err)
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		reason, pair string
		want         any
	}{
		{"a float takes an integer's text", "lambda=2", 2.0},
		{"an embedded field is set by its own name", "ddof=0", 0},
		{"lists are separated by commas", "k=1, 4,16", []int{1, 4, 16}},
		{"the outer field is the one that is set", "epsilon=0.25", 0.25},
		{"a switch", "on=true", true},
		{"one of the choices", "kind=sgd", "sgd"},
	} {
		p := fresh()
		if err := params.SetPair(p, c.pair); err != nil {
			t.Errorf("%s: %q: %v", c.reason, c.pair, err)
			continue
		}
		f, _ := params.Lookup(p, c.pair[:indexByte(c.pair, '=')])
		if d := cmp.Diff(c.want, f.Value); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

func indexByte(s string, b byte) int {
	for i := range s {
		if s[i] == b {
			return i
		}
	}
	return -1
}

func TestErrorsSayWhatWouldBeRight(t *testing.T) {
	for _, c := range []struct{ pair, want string }{
		{"lamda=1", `unknown field "lamda"; did you mean lambda? known fields: lambda, kind, on, k, w, epsilon, ddof`},
		{"lambda=-1", `field "lambda": got -1, want a number >= 0`},
		{"lambda=NaN", `field "lambda": got NaN, want a number >= 0`},
		{"lambda=x", `field "lambda": "x" is not valid, want a number >= 0`},
		{"ddof=2", `field "ddof": got 2, want int from 0 to 1`},
		{"ddof=0.5", `field "ddof": "0.5" is not valid, want int from 0 to 1`},
		{"kind=rmsprop", `field "kind": got "rmsprop", want one of adam, sgd`},
		{"k=1,0", `field "k": entry 1: got 0, want a list of whole numbers >= 1`},
		{"hidden=1", `unknown field "hidden"; known fields: lambda, kind, on, k, w, epsilon, ddof`},
		{"lambda", `"lambda" is not of the form key=value`},
	} {
		p := fresh()
		err := params.SetPair(p, c.pair)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.pair, err, c.want)
		}
		if d := cmp.Diff(params.Values(fresh()), params.Values(p)); d != "" {
			t.Errorf("%q: a refused value changed the struct:\n%s", c.pair, d)
		}
	}
}

func TestSetDecodedValues(t *testing.T) {
	p := fresh()
	for _, c := range []struct {
		name  string
		value any
		ok    bool
	}{
		{"lambda", int64(3), true},
		{"lambda", 3.5, true},
		{"lambda", "3.5", false}, // TOML strings are not numbers
		{"ddof", 1.0, false},     // nor are floats integers
		{"k", []any{int64(1), int64(8)}, true},
		{"k", int64(1), false},
		{"k", []any{"a"}, false},
		{"w", []any{int64(1), 0.5}, true},
		{"on", true, true},
		{"on", int64(1), false},
		{"kind", nil, false},
	} {
		if err := params.Set(p, c.name, c.value); (err == nil) != c.ok {
			t.Errorf("Set(%s, %v): error %v", c.name, c.value, err)
		}
	}
	got, err := json.Marshal(params.Values(p))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"ddof":1,"epsilon":0.000001,"k":[1,8],"kind":"adam","lambda":3.5,"on":true,"w":[1,0.5]}`
	if string(got) != want {
		t.Errorf("canonical form:\n got %s\nwant %s", got, want)
	}
}

// TestLateKnobs: a knob that came later is part of the canonical form only where
// it is set, and can be set and listed like any other.
func TestLateKnobs(t *testing.T) {
	type knobs struct {
		Old   float64 `param:"old" doc:"from the beginning"`
		Noise float64 `param:"noise" doc:"came later" late:"0"`
	}
	p := &knobs{}
	for _, c := range []struct{ pair, want string }{
		{"old=0", `{"old":0}`},
		{"noise=0.5", `{"noise":0.5,"old":0}`},
		{"noise=0", `{"old":0}`},
	} {
		if err := params.SetPair(p, c.pair); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(params.Values(p)); err != nil || string(got) != c.want {
			t.Errorf("after %s: got %s, %v, want %s", c.pair, got, err, c.want)
		}
	}
	if d := cmp.Diff([]string{"old", "noise"}, params.Names(p)); d != "" {
		t.Error(d)
	}
}

func FuzzSetPair(f *testing.F) {
	for _, s := range []string{"lambda=1", "k=1,2", "w=,", "on=", "=", "kind=adam", "ddof=99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pair string) {
		p := fresh()
		if err := params.SetPair(p, pair); err != nil {
			return
		}
		if p.Lambda < 0 || p.DDoF < 0 || p.DDoF > 1 || (p.Kind != "adam" && p.Kind != "sgd") || p.Epsilon < 0 {
			t.Errorf("%q was accepted and broke a bound: %+v", pair, p)
		}
		for _, k := range p.K {
			if k < 1 {
				t.Errorf("%q was accepted and broke a bound: %+v", pair, p)
			}
		}
	})
}

// TestCheck: a struct that was filled in without Set is held against its tags.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*outer)
		want   string
	}{
		{"as it should be", func(*outer) {}, ""},
		{"below its bound", func(p *outer) { p.Lambda = -1 }, `field "lambda": got -1, want a number >= 0`},
		{"no number", func(p *outer) { p.Lambda = math.NaN() }, `field "lambda": got NaN, want a number >= 0`},
		{"none of the choices", func(p *outer) { p.Kind = "" }, `field "kind": got "", want one of adam, sgd`},
		{"an entry", func(p *outer) { p.K = []int{1, 0} }, `field "k": entry 1: got 0, want a list of whole numbers >= 1`},
		{"an embedded field", func(p *outer) { p.DDoF = 2 }, `field "ddof": got 2, want int from 0 to 1`},
		{"a shadowed field is none", func(p *outer) { p.inner.Epsilon = -1 }, ""},
	} {
		p := fresh()
		c.change(p)
		text := ""
		if err := params.Check(p); err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%s: error %q, want %q", c.reason, text, c.want)
		}
	}
}
