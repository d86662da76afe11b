package plots

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

// labelled makes variants whose manifest labels are "full 0", "full 1", ...
func labelled(specs ...[]string) []numbers.Variant {
	shown := variantSamples(specs...)
	for i := range shown {
		shown[i].Label = "full " + string(rune('0'+i))
		shown[i].Called = shown[i].Label
	}
	return shown
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		why   string
		shown []numbers.Variant
		want  []string
		note  string
	}{
		{"what all share goes; base, which does not train, does not count", labelled(
			[]string{"base"},
			[]string{"grpo", "train.optimizer", "adam", "train.lr", "0.1"},
			[]string{"setpo", "train.optimizer", "adam", "train.lr", "0.1", "lambda", "2"},
			[]string{"setpo", "train.optimizer", "adam", "train.lr", "0.1", "lambda", "5"},
		), []string{"base", "grpo", "setpo lambda=2", "setpo lambda=5"}, "All: optimizer = adam, lr = 0.1."},
		{"a field that one method lacks is not shared by all; a method's own axes come first", labelled(
			[]string{"grpo", "train.lr", "0.1", "eval.k", "4"},
			[]string{"setpo", "train.lr", "1", "lambda", "2", "eval.k", "4"},
		), []string{"grpo lr=0.1", "setpo lambda=2 lr=1"}, "All: k = 4."},
		{"base has another value", labelled(
			[]string{"base", "env.size", "8"},
			[]string{"grpo", "env.size", "9", "train.lr", "1"},
		), []string{"base size=8", "grpo size=9"}, "All: lr = 1."},
		{"two fields end alike", labelled(
			[]string{"grpo", "env.size", "8", "train.size", "4", "train.lr", "1"},
			[]string{"grpo", "env.size", "9", "train.size", "4", "train.lr", "1"},
		), []string{"grpo env.size=8", "grpo env.size=9"}, "All: train.size = 4, lr = 1."},
		{"one variant", labelled([]string{"grpo", "train.lr", "1"}), []string{"grpo"}, "All: lr = 1."},
		{"nothing shared: as in the manifest", labelled(
			[]string{"grpo", "train.lr", "0.1"},
			[]string{"grpo", "train.lr", "1"},
		), []string{"full 0", "full 1"}, ""},
		{"no axes", labelled([]string{"grpo"}, []string{"gspo"}), []string{"full 0", "full 1"}, ""},
		{"short labels that are equal", labelled(
			[]string{"grpo", "train.lr", "1"},
			[]string{"gspo", "train.lr", "1"},
			[]string{"grpo", "train.lr", "1"},
		), []string{"full 0", "full 1", "full 2"}, ""},
	} {
		got, note := numbers.Shorten(c.shown)
		var labels []string
		for i, s := range got {
			labels = append(labels, s.Called)
			if c.shown[i].Called != c.shown[i].Label {
				t.Errorf("%s: the original lost its label", c.why)
			}
		}
		if diff := cmp.Diff(c.want, labels); diff != "" || note != c.note {
			t.Errorf("%s: note %q, labels %s", c.why, note, diff)
		}
	}
}

// A figure shows the short labels and has the omitted fields once; its panels
// are still named in full.
func TestShortLabelsInFigures(t *testing.T) {
	run := nestedRun(t, 2, 20, 10)
	where := []record.Filter{{Field: "train.lr", Values: []string{"0.1"}}, {Field: "train.optimizer", Values: []string{"sgd"}}}
	const note = "All: optimizer = sgd, lr = 0.1."
	for _, fig := range []record.Figure{
		{Kind: "curve", Where: where, Metrics: []string{"reward"}},
		{Kind: "k-curve", Where: where, Metrics: []string{"pass"}},
		{Kind: "modes", Where: where},
		{Kind: "modes", Panel: []string{"base", "setpo+grpo lambda=2 optimizer=sgd lr=0.1", "grpo optimizer=sgd lr=0.1"}},
		{Kind: "grid", Where: where, Metrics: []string{"reward"}, Rows: []string{"method", "lambda"}},
	} {
		d := drawSVG(t, run, fig)
		drawtest.CheckTexts(t, d)
		if text := d.Joined(); strings.Count(text, note) != 1 || strings.Contains(text, "lr=") || strings.Contains(text, "optimizer=") {
			t.Errorf("%s: not short: %s", fig.Kind, text)
		}
		if !d.Has("grpo") || fig.Kind != "grid" && !d.Has("setpo+grpo lambda=2") {
			t.Errorf("%s: no short labels: %s", fig.Kind, d.Joined())
		}
	}
	// The note of a grid leaves out the fields of its heads.
	d := drawSVG(t, run, record.Figure{Kind: "grid", Where: where, Metrics: []string{"reward"}, Rows: []string{"method", "lambda"}, Cols: []string{"train.lr"}})
	if !strings.Contains(d.Joined(), "All: optimizer = sgd. After") {
		t.Errorf("got %s", d.Joined())
	}
	// A short label names no panel.
	wantError(t, run, record.Figure{Kind: "modes", Where: where, Panel: []string{"grpo"}}, "grpo optimizer=sgd lr=0.1, ")
}
