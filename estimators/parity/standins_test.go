package parity

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestStandIns compares the Python adapter's substitutes for verl with verl's own
// functions, where verl is installed. Those that verl has in float32 are so here too.
func TestStandIns(t *testing.T) {
	cmd := exec.Command(python(t), "stand_ins.py")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("stand_ins.py: %v\n%s", err, stderr.String())
	}
	var out struct {
		Skip, Version string
		Functions     map[string]struct {
			Cases   int
			Largest string
		}
	}
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &out); err != nil {
		t.Fatalf("stand_ins.py: %v\n%s", err, printed)
	}
	if out.Skip != "" {
		t.Skip("verl: ", out.Skip)
	}
	cases, farthest := 0, 0.0
	for name, f := range out.Functions {
		allowed := rounding
		if slices.Contains([]string{"group_mean_std", "compute_grpo_vectorized_outcome_advantage"}, name) {
			allowed = single
		}
		largest, err := strconv.ParseFloat(f.Largest, 64)
		if err != nil || !(largest <= allowed) {
			t.Errorf("%s: %s off in %d cases, want at most %.0e", name, f.Largest, f.Cases, allowed)
		}
		if allowed == rounding {
			farthest = max(farthest, largest)
		}
		cases += f.Cases
	}
	t.Logf("verl %s: %d stand-ins, %d cases; the largest difference in float64 is %.2g", out.Version, len(out.Functions), cases, farthest)
}
