package plots

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// TestGalleryOfWidths draws all exhibits in the widths of a column and of a page with one: each is as wide as
// that, to the margin, without texts that touch, or is refused with the width that it needs. PLOTS_GALLERY
// names a folder for the drawings.
func TestGalleryOfWidths(t *testing.T) {
	const margins = 8
	for _, x := range shownGallery(t) {
		if k := kinds[x.fig.Kind]; !k.Reads("width") {
			if k.Name != "claims" && k.Name != "answers" {
				t.Errorf("a figure of kind %s reads no width", k.Name)
			}
			continue
		}
		for _, width := range []float64{3.25, 5.5} {
			d := *x.data
			d.Figure.Width = width
			name := fmt.Sprintf("%s-%g", d.Figure.Name, width)
			f, _, err := d.DrawValues()
			if err != nil {
				_, text, found := strings.Cut(err.Error(), "a width of at least ")
				if n, _ := fmt.Sscanf(text, "%g", &d.Figure.Width); !found || n != 1 {
					t.Errorf("%s: %v", name, err)
				} else if _, _, err := d.DrawValues(); err != nil {
					t.Errorf("%s, in the width that it needs: %v", name, err)
				}
				continue
			}
			if got := f.Width.Points() - margins; math.Abs(got-72*width) > 0.01 {
				t.Errorf("%s is %g inches wide", name, got/72)
			}
			_, svg, _ := drawn(t, &d)
			t.Run(name, func(t *testing.T) { drawtest.CheckTexts(t, drawtest.Parse(t, svg)) })
			if out := os.Getenv("PLOTS_GALLERY"); out != "" {
				if err := f.Save(filepath.Join(out, name+".png")); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// sunk has two methods, of which the first one's metric m falls to 0 and the second one's metric z is 0.
func sunk(fig record.Figure) *Data {
	at := func(metric string, means ...float64) numbers.Series {
		var list []stats.Interval
		for _, mean := range means {
			list = append(list, stats.Interval{N: 1, Mean: mean, Low: math.NaN(), High: math.NaN()})
		}
		return numbers.Series{Metric: metric, Intervals: numbers.NewIntervals(list, 1)}
	}
	steps := []int{0, 10, 100}
	return &Data{Figure: fig, Variants: []numbers.Variant{
		{Label: "a", Name: "a", Called: "a", Method: "grpo", Trains: true, Seeds: []int{0}, Steps: steps, Series: []numbers.Series{at("m", 1, 0.1, 0), at("z", 0, 0, 0), at("w", 1, 2, 3)}},
		{Label: "b", Name: "b", Called: "b", Method: "rloo", Trains: true, Seeds: []int{0}, Steps: steps, Series: []numbers.Series{at("m", 1, 0.5, 0.02), at("z", 0, 0, 0), at("w", 1, 2, 30)}},
	}}
}

// TestLogarithmicAxes: a value at or below 0 leaves a logarithmic axis at its lower end, a step below 1 is not
// on one, and a metric without a value above 0 is an error.
func TestLogarithmicAxes(t *testing.T) {
	for _, c := range []struct {
		fig      record.Figure
		has, not []string
		err      string
	}{
		{record.Figure{Name: "f", Kind: "curve", Metrics: []string{"m"}, Log: "y"}, []string{"0.02", "0.1", "1", "0"}, []string{"0.0"}, ""},
		{record.Figure{Name: "f", Kind: "curve", Metrics: []string{"m"}, Log: "x"}, []string{"10", "100", "0.0"}, []string{"0"}, ""},
		{record.Figure{Name: "f", Kind: "curve", Metrics: []string{"z"}, Log: "y"}, nil, nil, `figure "f": a logarithmic axis needs a value above 0 of z`},
		{record.Figure{Name: "f", Kind: "curve", Metrics: []string{"m"}, Log: "none"}, []string{"0", "0.0"}, nil, ""},
		{record.Figure{Name: "f", Kind: "scatter", Metrics: []string{"w", "m"}, Log: "y"}, []string{"a", "b"}, nil, ""},
		{record.Figure{Name: "f", Kind: "scatter", Metrics: []string{"w", "z"}, Log: "y"}, nil, nil, "above 0 of z"},
		{record.Figure{Name: "f", Kind: "scatter", Metrics: []string{"w", "m"}, Log: "y", Y: []float64{0, 1}}, nil, nil, "begins above 0"},
	} {
		d := sunk(c.fig)
		f, err := d.Draw()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v: error %v, want %q", c.fig, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.fig, err)
			continue
		}
		drawing := parsed(t, f)
		var texts []string
		for _, x := range drawing.Texts {
			texts = append(texts, x.Text)
		}
		for _, text := range c.has {
			if !slices.Contains(texts, text) {
				t.Errorf("%s log %s has not %q: %q", c.fig.Kind, c.fig.Log, text, texts)
			}
		}
		for _, text := range c.not {
			if slices.Contains(texts, text) {
				t.Errorf("%s log %s has %q: %q", c.fig.Kind, c.fig.Log, text, texts)
			}
		}
	}
}

// TestValuesBeyondLimits: a mark beyond the limits of an axis is left out whole, a line beside them is not, and
// equal ends make no axis.
func TestValuesBeyondLimits(t *testing.T) {
	at := func(x, y float64) sheets.Dot {
		return sheets.Dot{X: stats.Interval{N: 1, Mean: x}, Y: stats.Interval{N: 1, Mean: y}, Look: draw.Look{Mark: draw.Marks[0]}}
	}
	still := at(5, 0.5)
	still.Look.Mark = nil
	dots := []sheets.Dot{at(1, 0.5), at(5, 0.5), at(1, 2), still, at(0, 1)}
	wide := sheets.Axis{Span: draw.Span{Low: -9, High: 9}}
	x, y, err := limited(record.Figure{X: []float64{0, 2}, Y: []float64{0, 1}}, wide, wide, dots)
	if err != nil || x.Low != 0 || x.High != 2 || y.Low != 0 || y.High != 1 {
		t.Errorf("axes from %g to %g and %g to %g, error %v", x.Low, x.High, y.Low, y.High, err)
	}
	var shown []string
	for _, d := range dots {
		shown = append(shown, fmt.Sprint(d.X.N, d.Y.N))
	}
	if want := []string{"1 1", "0 0", "0 0", "0 1", "1 1"}; !slices.Equal(shown, want) {
		t.Errorf("measured %q, want %q", shown, want)
	}
}

func parsed(t *testing.T, f *draw.Figure) drawtest.Drawing {
	t.Helper()
	var b strings.Builder
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return drawtest.Parse(t, []byte(b.String()))
}
