package latex

import "testing"

// TestSets: Text leaves the letters that Sets knows to LaTeX.
func TestSets(t *testing.T) {
	for text, want := range map[string]bool{"": true, `a_b {\x}`: true, "naïve ± 1 → τ": true, "模式": false, "a😀": false, "Ł": false} {
		if Sets(text) != want {
			t.Errorf("Sets(%q) is %v", text, !want)
		}
	}
}
