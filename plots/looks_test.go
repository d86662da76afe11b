package plots

import (
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

// TestColoursAcrossKinds draws figures of several kinds, of all methods and of each one alone,
// and looks for the colours of the methods that are shown, and of no others.
func TestColoursAcrossKinds(t *testing.T) {
	run := banditRun(t, 3, 100, 20)
	of := map[string]string{}
	for _, method := range banditMethods[1:] {
		of[method] = sheets.Hex(sheets.Look(method).Color)
	}
	bar := func(method string) string { return sheets.Hex(draw.Mixed(sheets.Look(method).Color, draw.White, 0.5)) }
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
