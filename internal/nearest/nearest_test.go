package nearest

import "testing"

func TestName(t *testing.T) {
	fields := []string{"steps", "lr", "optimizer", "beta1", "beta2", "minibatches"}
	for _, c := range []struct{ name, want, reason string }{
		{"stepps", "steps", "a letter too many"},
		{"step", "steps", "a letter too few"},
		{"optimiser", "optimizer", "another letter"},
		{"rl", "", "of two letters none may be wrong"},
		{"stesp", "steps", "two letters swapped are one mistake"},
		{"stapes", "steps", "two of six"},
		{"stape", "", "two of five"},
		{"steps", "", "never itself"},
		{"r", "", "a letter alone may be anything"},
		{"beta", "beta1", "the first of two that are as near"},
		{"minibatch", "minibatches", "two of nine"},
		{"temperature", "", "nothing is near"},
		{"", "", "nothing was written"},
	} {
		if got := Name(c.name, fields); got != c.want {
			t.Errorf("%s: %q is near %q, want %q", c.reason, c.name, got, c.want)
		}
	}
	if got := Name("mod", []string{"tokens", "group.mode"}); got != "group.mode" {
		t.Errorf("mod is near %q, want the member group.mode", got)
	}
	if got := Name("quiet", []string{"quick"}); got != "" {
		t.Errorf("quiet is near %q: it says another thing", got)
	}
	if got := Hint("stepps", fields) + Hint("temperature", fields); got != "did you mean steps? " {
		t.Errorf("hints %q", got)
	}
	if got := Name("steps", nil); got != "" {
		t.Errorf("of no names %q is near", got)
	}
}

// FuzzDistance holds the distance against its laws and the recursion that defines it.
func FuzzDistance(f *testing.F) {
	f.Add("steps", "stepps")
	f.Add("", "lr")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = a[:min(len(a), 6)], b[:min(len(b), 6)]
		if got, want := distance(a, b), slow(a, b); got != want || got != distance(b, a) {
			t.Errorf("%q and %q: %d, and the other way round %d, want %d", a, b, got, distance(b, a), want)
		}
	})
}

func slow(a, b string) int {
	switch {
	case a == "":
		return len(b)
	case b == "":
		return len(a)
	case a[0] == b[0]:
		return slow(a[1:], b[1:])
	}
	least := 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, 1+slow(a[2:], b[2:]))
	}
	return least
}
