package profile

import (
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
)

const ownText = `# mine
[[method]]
name = "poly-epo"
label = "mine"
n = 4

[tune]
knob = "n"
values = [2, 4, 8]
`

func readOwn(t *testing.T, text string) *board.Submission {
	t.Helper()
	o, err := board.ReadSubmission("mine.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSubmissionIsTriedAsRowsAre: at every capability a method of the user's has the settings of the
// grid's row, in groups that are too small for some values of its knob too, or its place among those
// that do not fit.
func TestSubmissionIsTriedAsRowsAre(t *testing.T) {
	g, all := publishedGrid(t), capabilitiesOf(t)
	for text, as := range map[string]string{ownText: "poly-epo", "[[method]]\nlabel = \"mine\"\nname = \"ttrl\"\n[tune]\nknob = \"kl_coef\"\nvalues = [0.00033, 0.001, 0.003]\n": "ttrl"} {
		fit, entrants, unfit, err := readOwn(t, text).Entrants(all, g, spec.LoadOptions{})
		if err != nil || len(fit)+len(unfit) != len(all) {
			t.Fatalf("%s: %d capabilities, unfit %v, error %v", as, len(fit), unfit, err)
		}
		for _, task := range all {
			theirs, not, err := task.Entrants(g, []string{as}, spec.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(fit, func(f board.Task) bool { return f.Name == task.Name })
			if i < 0 || len(theirs) == 0 {
				if i >= 0 || len(not) != 1 || !strings.HasSuffix(unfit[task.Name], not[0].Why) {
					t.Errorf("%s: %s fits at %d, and %v does not; unfit %q", task.Name, as, i, not, unfit[task.Name])
				}
				continue
			}
			if mine, grid := cells(t, fit[i], entrants[i]), cells(t, task, theirs[0]); !slices.Equal(mine, grid) {
				t.Errorf("%s: %s has the cells %v, and the profile's %v", task.Name, as, mine, grid)
			}
		}
	}
	small := all[len(all)-1:]
	for _, c := range []struct{ own, values, want string }{
		{"n = 2", "[-2, 4, 8]", `mine.toml:9: method poly-epo: field "n"`},
		{"n = 4", "[16, 32, 64]", "mine.toml:2: method poly-epo on multiplication: needs groups of at least 5 rollouts"},
		{"n = 2", "[16, 32, 64]", ""}, // its own value does, at four rates
	} {
		text := strings.Replace(strings.Replace(ownText, "[2, 4, 8]", c.values, 1), "n = 4", c.own, 1)
		_, entrants, _, err := readOwn(t, text).Entrants(small, g, spec.LoadOptions{})
		if c.want == "" && (err != nil || len(entrants) != 1 || entrants[0].Settings[3].Setting != "lr=0.3") {
			t.Errorf("%s among %s: %v, %v; want four rates", c.own, c.values, entrants, err)
		}
		if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s among %s: got %v, want %s", c.own, c.values, err, c.want)
		}
	}
}

// cells are those of the first evaluation seed of an entrant's settings.
func cells(t *testing.T, task board.Task, n board.Entrant) []string {
	t.Helper()
	specs, err := task.Specs(task.Evaluation(), n.Settings, spec.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return exptest.Cells(t, specs, task.Evaluation().FirstSeed, board.Base, board.Optimum)
}
