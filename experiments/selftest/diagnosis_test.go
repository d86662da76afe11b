package selftest

import (
	"errors"
	"strings"
	"testing"
)

// TestDiagnosis: a device that gives other bits is one error that names the place and the next step.
func TestDiagnosis(t *testing.T) {
	var out strings.Builder
	d := diagnosis{out: &out}
	d.begin("tiny")
	d.end([]Finding{{What: "pre-training"}, {What: "base policy", Differ: "parameter head.weight[3]: 1, want 2"}})
	d.begin("S")
	d.end([]Finding{{What: "sampling", Differ: "rollout 1"}})
	err := d.verdict("cuda Card")
	want := "tiny\n  pre-training: same bits\n  base policy: DIFFERS: parameter head.weight[3]: 1, want 2\nS\n  sampling: DIFFERS: rollout 1\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	if differ := (*DifferError)(nil); !errors.As(err, &differ) {
		t.Fatalf("%v, want a DifferError", err)
	}
	for _, part := range []string{"cuda Card does not give the same bits: 2 of 3 checks differ, the first tiny, base policy; ", "--device cpu", "open an issue"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}
