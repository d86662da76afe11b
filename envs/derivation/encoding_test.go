package derivation

import (
	"testing"

	"modebench/envs/envtest"
)

func TestLessonsArePinned(t *testing.T) {
	envtest.Lessons(t, build(t, nil), "ddb15c0f5132ad423dec3b99dcd78a85e6b926da8fad6b376a6b686dad4c0f8e")
}

func FuzzEncoding(f *testing.F) { envtest.FuzzEncoding(f, build(f, nil)) }

// TestFeaturesHideTheResult: where a digit is due, features name the operands, and no digit
// but those that are given or written.
func TestFeaturesHideTheResult(t *testing.T) {
	p := made(t, nil)
	l := &p.rules.layout
	features := func(text string, due byte) map[int32]bool {
		c := p.begin()
		for _, token := range tokens(p, text+string(due)) {
			if err := c.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		found := map[int32]bool{}
		for _, f := range c.AppendFeatures(nil) {
			found[f] = true
		}
		return found
	}
	for _, c := range []struct {
		text        string
		due         byte
		left, right int32 // digits, or -1: not known
	}{
		{"", 'c', 3, 7},
		{"", 'e', -1, -1},
		{"c5", 'e', 5, -1},
		{"c5d1", 'e', 5, 1},
		{"c0d1", 'f', 3, -1},
	} {
		found := features(c.text, c.due)
		for digit := int32(-1); digit < base; digit++ {
			if found[l.leftDigit+1+digit] != (digit == c.left) || found[l.rightDigit+1+digit] != (digit == c.right) {
				t.Errorf("%q, then %c: features %v, want the operands %d and %d", c.text, c.due, found, c.left, c.right)
			}
		}
		if want := 6 + p.derived(); len(found) != want {
			t.Errorf("%q, then %c: %d features, want %d", c.text, c.due, len(found), want)
		}
	}
}
