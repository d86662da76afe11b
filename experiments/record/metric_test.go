package record

import "testing"

func TestSplitK(t *testing.T) {
	for _, c := range []struct {
		metric string
		family string
		k      int
		ok     bool
	}{
		{"pass@16", "pass", 16, true},
		{"E_w[best@k]@8", "E_w[best@k]", 8, true},
		{"pass@1", "pass", 1, true},
		{"pass@0", "", 0, false},
		{"pass@-1", "", 0, false},
		{"pass@k", "", 0, false},
		{"pass@", "", 0, false},
		{"@4", "", 0, false},
		{"reward", "", 0, false},
		{"pass@99999999999999999999", "", 0, false},
		{"pass@1073741824", "pass", MaxK, true},
		{"pass@1073741825", "", 0, false},
		{"pass@9223372036854775807", "", 0, false},
		{"pass@+4", "", 0, false},
		{"pass@04", "", 0, false},
	} {
		if family, k, ok := SplitK(c.metric); family != c.family || k != c.k || ok != c.ok {
			t.Errorf("%s: got %q, %d, %v", c.metric, family, k, ok)
		}
	}
}

func TestFamily(t *testing.T) {
	for _, c := range []struct {
		metric, family string
		k              int
	}{
		{"pass@16", "pass", 16},
		{"reward", "reward", 0},
		{"pass@x", "pass", 0},
		{"pass@9223372036854775807", "pass", 0},
	} {
		if family, k := Family(c.metric); family != c.family || k != c.k {
			t.Errorf("%s: got %q, %d", c.metric, family, k)
		}
	}
}
