package sweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShard(t *testing.T) {
	slurm := func(task string) map[string]string { return map[string]string{slurmTask: task} }
	pod := map[string]string{jobIndex: "2", jobCompletions: "5"}
	for _, c := range []struct {
		reason, text string
		env          map[string]string
		want         Shard
		err          string
	}{
		{"plain", "3/20", nil, Shard{3, 20}, ""},
		{"the first of one", "0/1", nil, Shard{0, 1}, ""},
		{"a task of an array", "auto/20", slurm("8"), Shard{8, 20}, ""},
		{"a pod", "auto", pod, Shard{2, 5}, ""},
		{"a pod that knows how many", "auto/7", pod, Shard{2, 7}, ""},
		{"1-based", "20/20", nil, Shard{}, "want I/N with 0 <= I < N"},
		{"none at all", "0/0", nil, Shard{}, "want I/N"},
		{"not a number", "x/3", nil, Shard{}, "want I/N"},
		{"a sign", "-1/3", nil, Shard{}, "want I/N"},
		{"no number of shards", "3", nil, Shard{}, "want I/N"},
		{"three parts", "1/2/3", nil, Shard{}, "want I/N"},
		{"not on a cluster", "auto", nil, Shard{}, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		{"on two", "auto", map[string]string{slurmTask: "1", jobIndex: "1"}, Shard{}, "both set"},
		{"an array may be a part, 7-9 of 20, and look whole: the plan knows", "auto", slurm("8"), Shard{8, 0}, ""},
		{"a task of no number", "auto", slurm("x"), Shard{}, `SLURM_ARRAY_TASK_ID is "x", want a number from 0`},
		{"an empty number of shards is none that is not said", "auto/", slurm("8"), Shard{}, `SLURM_ARRAY_TASK_ID is "8" of "" shards`},
		{"an array that is more than the shards", "auto/5", slurm("5"), Shard{}, `SLURM_ARRAY_TASK_ID is "5" of "5" shards`},
		{"a Job that does not say: the plan knows", "auto", map[string]string{jobIndex: "1"}, Shard{1, 0}, ""},
		{"a Job of fewer pods", "auto", map[string]string{jobIndex: "5", jobCompletions: "5"}, Shard{}, `JOB_COMPLETION_INDEX is "5" of "5" shards`},
	} {
		got, err := ParseShard(c.text, func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v and %v, want %v and %q", c.reason, got, err, c.want, c.err)
		}
	}
}

// TestShardsArePartition: every cell is of one shard, whatever their number.
func TestShardsArePartition(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for cell := range 50 {
			owners := 0
			for i := range n {
				if (Shard{i, n}).Has(cell) {
					owners++
				}
			}
			if owners != 1 {
				t.Errorf("cell %d is of %d of %d shards", cell, owners, n)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		want Numbers
	}{{"3,7-9", Numbers{3, 7, 8, 9}}, {"0", Numbers{0}}, {"0-2,4", Numbers{0, 1, 2, 4}}} {
		got, err := ParseNumbers(c.text)
		if d := cmp.Diff(c.want, got); err != nil || d != "" || got.String() != c.text {
			t.Errorf("%s: %v as %s (%v)", c.text, got, got, err)
		}
	}
	for _, bad := range []string{"", "a", "3,", "3-", "-3", "9-7", "7,3", "3,3", "3-5,5", "1 2", "0-9999999999", "0-99999999", "+1"} {
		if got, err := ParseNumbers(bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v, want an error of one line", bad, got, err)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("3,7-9")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseNumbers(text)
		if err != nil {
			return
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%q: %v is not a rising list", text, got)
		}
		again, err := ParseNumbers(got.String())
		if err != nil || !slices.Equal(got, again) {
			t.Errorf("%q: %v came back as %v (%v)", text, got, again, err)
		}
	})
}
