package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadAudit(t *testing.T) {
	low, high := 0.5, 1.0
	want := &Audit{
		Version: AuditVersion, Env: Component{Name: "bandit", Params: map[string]any{"start": "zipf"}}, Problems: 1,
		Policy: [][]float64{{0.25, 0.75}}, Groups: []int{2}, Ks: []int{1, 2}, Outcomes: 9, Samples: 64, Seed: 3,
		Rows: []AuditRow{
			{Label: "grpo", Method: "grpo", Family: "Baselines", Group: 2, How: AuditSampled, Claim: "reward", Steps: 64,
				Scale: &AuditNumber{Value: 0.75, Low: &low, High: &high}, Pass: []*AuditNumber{{Value: 1}, nil}},
			{Label: "poly-epo", Method: "poly-epo", Group: 2, Why: "too small"},
		},
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), AuditFile)
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(string(data))
	got, err := ReadAudit(path)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for _, c := range []struct{ reason, text, want string }{
		{"cut off", string(data[:50]), "audit.json:1:51: unexpected end of JSON input"},
		{"another version", `{"version":7}`, "audit.json: audit version 7, this program reads version 1: audit again"},
		{"a foreign file", `{"spec":"s"}`, `unknown field "spec"`},
		{"a row that does not fit", strings.Replace(string(data), `"k":[1,2]`, `"k":[1]`, 1), "rows[0]: 2 cosines with pass@k for 1 values of k"},
	} {
		write(c.text)
		if _, err := ReadAudit(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
	if _, err := ReadAudit(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
