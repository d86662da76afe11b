package spec

import (
	"strings"
	"testing"
)

// TestMeasureErrors: a metric that is not measured is refused when the spec is loaded, with the
// text to write.
func TestMeasureErrors(t *testing.T) {
	for _, c := range []struct{ reason, from, to, want string }{
		{"votes were not asked for", "seeds = 2", "columns = [\"maj@4\"]", `my.toml:1: metric "maj@4" is not measured unless asked for; add "votes" to measure in [eval]`},
		{"nor divergence", "seeds = 2", "columns = [\"kl\"]", `add "kl" to measure in [eval]`},
		{"no positions", "seeds = 2", "columns = [\"branches@3\"]", `metric "branches@3": the spec evaluates no positions; list them in [eval]`},
		{"another position", "modes = true", "modes = true\nmeasure = [\"branches\"]\npositions = [1, 2]\n[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"branches@3\"]", `metric "branches@3": the spec evaluates positions = 1 2`},
		{"branches without positions", "modes = true", "measure = [\"branches\"]", `my.toml:6: field "positions": got 0 of them`},
		{"positions without branches", "modes = true", "positions = [1]", `branches are measured at positions, so both or neither`},
		{"positions that go back", "modes = true", "measure = [\"branches\"]\npositions = [2, 1]", `entry 1: got 1 after 2, want ascending positions`},
		{"a null without what it is the null of", "modes = true", "measure = [\"boundary_null\"]", `field "measure": got "boundary_null" without "boundary", whose metrics it is the null of`},
		{"a group twice", "modes = true", "measure = [\"kl\", \"kl\"]", `entry 1: got "kl" after "kl", want each once, in the order votes, rollouts`},
		{"another order would be another cell", "modes = true", "measure = [\"kl\", \"votes\"]", `want each once, in the order votes, rollouts, embeddings, branches, kl`},
		{"no such group", "modes = true", "measure = [\"vote\"]", `got "vote"`},
		{"a figure of a run as a whole", "modes = true", "[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"collapse_step\"]", `is of a run as a whole`},
		{"a k written otherwise", "seeds = 2", "columns = [\"pass@04\"]", `metric "pass@04": the spec evaluates k = 1 4`},
		{"votes where there are none", "name = \"bandit\"", "name = \"maze\"\n[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"maj@4\"]", `metric "maj@4" is not measured`},
	} {
		text := strings.Replace(minimal, c.from, c.to, 1)
		_, err := parseText("my.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
	text := strings.Replace(strings.Replace(minimal, "bandit", "maze", 1), "modes = true", "measure = [\"votes\"]\n[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"maj@4\"]", 1)
	if _, err := parseText("my.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), `metric "maj@4" is of votes, and answers of this environment do not vote`) {
		t.Errorf("votes on the maze: %v", err)
	}
}
