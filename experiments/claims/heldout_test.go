package claims

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHeldOutTogether: the verdicts on held-out problems are of one spec each, corrected for the
// claims of that spec. Corrected for all claims of a paper on held-out problems, some answers are
// others: results/held-out.md names these, and no more.
func TestHeldOutTogether(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../results/held-out.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "Corrected for all claims of a paper")
	if !found {
		t.Fatal("the page does not say what a correction among all specs changes")
	}
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	files, err := filepath.Glob(filepath.FromSlash("../../results/verdicts/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all, alone []Verdict
	for _, file := range files {
		verdicts, doc := keptAt(t, file)
		if doc.Policy == "transformer" {
			all, alone = append(all, verdicts...), append(alone, slices.Clone(verdicts)...)
		}
	}
	if all == nil {
		t.Fatal("no verdicts on held-out problems")
	}
	Together(all)
	changed := 0
	for i, v := range all {
		if v.Answer != alone[i].Answer {
			changed++
			if want := fmt.Sprintf("`%s` of `%s` is %s", v.Claim.Name, v.Spec, v.Answer); !strings.Contains(strings.ReplaceAll(paragraph, "\n", " "), want) {
				t.Errorf("the page does not say %q (it was %s; %+v)", want, alone[i].Answer, v.Among)
			}
		}
	}
	if said := strings.Count(paragraph, "` of `"); said != changed {
		t.Errorf("the page names %d answers that change, and %d do", said, changed)
	}
}
