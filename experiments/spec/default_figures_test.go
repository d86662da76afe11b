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
		{"too many lines", "[train]\nlr = [1,2,3,4,5,6,7,8,9,10,11,12,13]\n" + one, ""},
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
