package plots

import (
	"fmt"
	"slices"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// TestLookIsTheMethods: a line looks as its method does whatever else is shown, but for the dash
// and the mark of one that comes after another with the same two.
func TestLookIsTheMethods(t *testing.T) {
	var names []string
	for _, f := range methodFamilies {
		names = append(names, f.methods...)
	}
	names = append(names, "mine", "my-other")
	alone := map[string]draw.Look{}
	for _, name := range names {
		alone[name] = looks(methodsShown(name))[0]
		if got, want := fmt.Sprint(alone[name]), fmt.Sprint(Look(name)); got != want {
			t.Errorf("%s alone looks like %s, want %s", name, got, want)
		}
	}
	for from := range names {
		shown := slices.Concat(names[from:], names[:from])
		shown = shown[:min(len(shown), draw.Styles)]
		seen := map[string]bool{}
		for i, l := range looks(methodsShown(shown...)) {
			if l.Color != alone[shown[i]].Color {
				t.Fatalf("beside %s, %s has the colour %v, want %v", shown[0], shown[i], l.Color, alone[shown[i]].Color)
			}
			key := fmt.Sprint(l.Dashes, l.Mark)
			if seen[key] {
				t.Fatalf("from %s on, %s has the dash and the mark of another", shown[0], shown[i])
			}
			seen[key] = true
		}
	}
}

// TestMethodsOfAFamily: no method is in two families, and each family has a hue of its own.
func TestMethodsOfAFamily(t *testing.T) {
	hues, of := map[string]bool{}, map[string]string{}
	for _, f := range methodFamilies {
		if hues[hex(f.hue)] || f.hue == ownHue {
			t.Errorf("two families have the hue %s", hex(f.hue))
		}
		hues[hex(f.hue)] = true
		for i, name := range f.methods {
			if of[name] != "" {
				t.Errorf("%s is listed twice", name)
			}
			of[name] = name
			if got := Look(name).Color; got != draw.Tinted(f.hue, i) {
				t.Errorf("%s has the colour %v, which is no shade of its family's", name, got)
			}
		}
	}
	if !slices.ContainsFunc([]int{0, 1, 2}, func(i int) bool { return Look("mine").Color == draw.Tinted(ownHue, i) }) {
		t.Error("a method of one's own has no shade of the hue that is left for those")
	}
}

// TestColoursAcrossKinds draws figures of several kinds, of all methods and of each one alone,
// and looks for the colours of the methods that are shown, and of no others.
func TestColoursAcrossKinds(t *testing.T) {
	run := banditRun(t, 3, 100, 20)
	of := map[string]string{}
	for _, method := range banditMethods[1:] {
		of[method] = hex(Look(method).Color)
	}
	bar := func(method string) string { return hex(draw.Mixed(Look(method).Color, draw.White, 0.5)) }
	for _, fig := range []record.Figure{
		{Name: "f", Kind: "curve", Metrics: []string{"reward"}},
		{Name: "f", Kind: "k-curve", Metrics: []string{"pass"}},
		{Name: "f", Kind: "scatter", Metrics: []string{"reward", "entropy_mode"}},
		{Name: "f", Kind: "path", Metrics: []string{"reward", "entropy_mode"}},
		{Name: "f", Kind: "gain", Metrics: []string{"entropy_mode", "reward"}},
		{Name: "f", Kind: "bars", Metrics: []string{"reward"}},
	} {
		for _, only := range append([]string{""}, banditMethods[1:]...) {
			fig := fig
			if only != "" {
				fig.Where = []record.Filter{{Field: "method", Values: []string{"base", only}}}
			}
			d := drawSVG(t, run, fig)
			for method, ink := range of {
				if fig.Kind == "bars" {
					ink = bar(method)
				}
				has := d.Paths(ink) > 0
				if want := only == "" || only == method; has != want {
					t.Errorf("%s of %q: the colour of %s is there: %v, want %v", fig.Kind, only, method, has, want)
				}
			}
		}
	}
	shown := methodsShown("grpo", "poly-epo")
	if got := lineColumns(shown); got[0].Color != of["grpo"] || got[1].Color != of["poly-epo"] {
		t.Errorf("the table beside a figure has the colours %s and %s", got[0].Color, got[1].Color)
	}
}

// TestPluginsLook: two plug-ins of a spec are two methods, each with the look of its own name.
func TestPluginsLook(t *testing.T) {
	shown := []numbers.Variant{
		{Name: "mine", Method: pluginMethod, Trains: true}, {Name: "hers", Method: pluginMethod, Trains: true},
	}
	for i, l := range looks(shown) {
		if l.Color != Look(shown[i].Name).Color {
			t.Errorf("%s has another colour than its name gives", shown[i].Name)
		}
	}
}
