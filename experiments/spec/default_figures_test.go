package spec

import (
	"fmt"
	"strings"
	"testing"
)

func TestDefaultFigures(t *testing.T) {
	const one = "[[method]]\nname = 'rloo'\n"
	for _, tt := range []struct{ why, text, want string }{
		{"columns of the environment: plain ones over training, families over k", one, "training curve [reward entropy_mode distinct_correct]; k k-curve [pass coverage]"},
		{"columns of the spec's own, each family once", "columns = ['pass@1', 'pass@4', 'entropy_mode', 'reward']\n" + one, "training curve [entropy_mode reward pass@1]; k k-curve [pass]"},
		{"the collapse of a run is no curve", "columns = ['collapse_step', 'reward']\n" + one, "training curve [reward]"},
		{"one k is no curve", "columns = ['pass@4']\n[eval]\nk = [4]\n" + one, "training curve [pass@4]"},
		{"nothing trains", "columns = ['pass@1']\n[[method]]\nname = 'base'\n", "k k-curve [pass]"},
		{"a spec with figures has those alone", one + "[[figure]]\nname = 'f'\nkind = 'curve'\nmetrics = ['reward']\n", "f curve [reward]"},
		{"timings are the figure", "timings = true\n" + one, ""},
	} {
		top, tables, _ := strings.Cut("\n"+tt.text, "\n[") // an [env] between them
		spec, err := parseText("mine.toml", []byte(top+"\n[env]\nname = 'bandit'\n["+tables))
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		var got []string
		for _, f := range spec.Figures {
			got = append(got, fmt.Sprint(f.Name, " ", f.Kind, " ", f.Metrics))
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: figures %q, want %q", tt.why, text, tt.want)
		}
	}
}

// TestDefaultFiguresOfMany: with more variants than lines can show there is a figure of another
// kind, and a note names the figures left out.
func TestDefaultFiguresOfMany(t *testing.T) {
	list := func(n int) string {
		var values []string
		for i := range n {
			values = append(values, fmt.Sprint(i+1))
		}
		return "[" + strings.Join(values, ", ") + "]"
	}
	methods := func(names ...string) string {
		text := ""
		for _, name := range names {
			text += "[[method]]\nname = '" + name + "'\n"
		}
		return text
	}
	const curves = "[reward entropy_mode distinct_correct]"
	for _, tt := range []struct{ why, text, figure, note string }{
		{"one field", "[train]\nlr = " + list(13) + "\n" + methods("rloo"),
			"after bars " + curves + " [] []", "no curves are drawn, but bars: 13 variants are more than the 12 lines that one can tell apart"},
		{"methods and a field", "[train]\nlr = " + list(5) + "\n" + methods("rloo", "grpo", "dr-grpo"),
			"after grid " + curves + " [train.lr] [method]", "no curves are drawn, but a grid: 15 variants"},
		{"the longer side is the rows", "[train]\nlr = [1, 2]\n" + methods("rloo", "grpo", "dr-grpo", "maxrl", "reinforce", "reinforce++", "gpg"),
			"after grid " + curves + " [method] [train.lr]", "no curves are drawn, but a grid: 14 variants"},
		{"two fields of one method", "[train]\nlr = " + list(5) + "\nsteps = " + list(3) + "\n" + methods("rloo"),
			"after grid " + curves + " [train.lr] [train.steps]", "no curves are drawn, but a grid: 15 variants"},
		{"a grid that would be mostly empty", methods("rloo", "grpo", "dr-grpo", "maxrl") + "[[method]]\nname = 'setpo+grpo'\nlambda = " + list(12) + "\n",
			"after bars " + curves + " [] []", "no curves are drawn, but bars: 16 variants"},
		{"too many for any", "[train]\nlr = " + list(41) + "\n" + methods("rloo"),
			"", "no figure is drawn: curves show 12 variants at most, bars and grids 40 rows, and here are 41 variants; a [[figure]] with where draws some of them"},
		{"twelve are lines", "[train]\nlr = " + list(12) + "\n" + methods("rloo"),
			"training curve " + curves + " [] []; k k-curve [pass coverage] [] []", ""},
	} {
		spec, err := parseText("mine.toml", []byte("[env]\nname = 'bandit'\n"+tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		var got []string
		for _, f := range spec.Figures {
			got = append(got, fmt.Sprint(f.Name, " ", f.Kind, " ", f.Metrics, " ", f.Rows, " ", f.Cols))
		}
		if text := strings.Join(got, "; "); text != tt.figure {
			t.Errorf("%s: figures %q, want %q", tt.why, text, tt.figure)
		}
		if notes := strings.Join(spec.Notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && strings.Contains(notes, "drawn") {
			t.Errorf("%s: notes %q, want %q", tt.why, notes, tt.note)
		}
	}
}
