package plots

import (
	"regexp"
	"strings"
	"testing"

	"modebench/metrics/stats"
)

var textParts = regexp.MustCompile(`(?s)<svg role="img" aria-labelledby="[^"]+" .*?<title id="[^"]+">([^<]+)</title>\n<desc id="[^"]+">([^<]+)</desc>`)

// TestFiguresAreDescribed: figures of every kind have a title, their kind and numbers as text.
func TestFiguresAreDescribed(t *testing.T) {
	described := map[string]bool{}
	for _, g := range shownGallery(t) {
		found := textParts.FindSubmatch(g.svg)
		if found == nil {
			t.Errorf("%s: no title and desc", g.fig.Name)
			continue
		}
		desc := string(found[2])
		if !strings.HasPrefix(desc, "A figure of the kind "+g.fig.Kind+": ") || !regexp.MustCompile(`\d`).MatchString(desc) || strings.Contains(desc, "metrics =") || len(desc) > 4000 {
			t.Errorf("%s (%d letters): %s", g.fig.Name, len(desc), desc)
		}
		described[g.fig.Kind] = true
	}
	for kind := range kinds {
		if !described[kind] {
			t.Errorf("no figure of the kind %s is in the gallery", kind)
		}
	}
}

// TestAltTextOfLines: lines have their last values.
func TestAltTextOfLines(t *testing.T) {
	got := altText("curve", Values{{Title: "reward", Axis: "training step", High: 9, Columns: []ValueColumn{{Label: "grpo"}, {Label: "mine"}},
		Rows: []ValueRow{{Name: "0"}, {Name: "9", Cells: []stats.Interval{{N: 2, Mean: 0.98765}, {}}}}}})
	if want := "A figure of the kind curve: metrics by training step. Reward, by training step, at 9: grpo 0.988, mine not measured."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
