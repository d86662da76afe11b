package audit

import (
	"strings"
	"testing"

	"modebench/experiments/record"
)

// TestSteps: by hand. Rows that were not audited are left out, missing numbers are null, and the output of Text
// is read back.
func TestSteps(t *testing.T) {
	number := func(x float64) *record.AuditNumber { return &record.AuditNumber{Value: x} }
	a := &record.Audit{
		Version: record.AuditVersion, Groups: []int{4, Rollouts}, Ks: []int{1, 8},
		Rows: []record.AuditRow{
			{Label: "b", Group: 4, How: record.AuditExact, SNR: number(2), Pass: []*record.AuditNumber{number(9), number(9)}},
			{Label: "b", Group: Rollouts, How: record.AuditExact, Pass: []*record.AuditNumber{number(0.123456), nil}},
			{Label: "a", Group: Rollouts, How: record.AuditExact, SNR: number(3), Pass: []*record.AuditNumber{number(1), number(-1)}},
			{Label: "c", Group: Rollouts, Why: "Not a bandit's."},
		},
	}
	s, err := NewSteps(a)
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.Text())
	for _, want := range []string{`{"method":"a","pass":[1,-1],"snr":[null,3]}`, `{"method":"b","pass":[0.1235,null],"snr":[2,null]}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	again, err := ParseSteps("steps.json", s.Text())
	if err != nil || string(again.Text()) != text || strings.Contains(text, `"c"`) {
		t.Errorf("read again: %v\n%s", err, text)
	}
	s.Methods[0].SNR = nil
	if _, err := ParseSteps("s.json", s.Text()); err == nil || !strings.Contains(err.Error(), "s.json: a has 2 cosines and 0 ratios") {
		t.Errorf("a method without ratios: error %v", err)
	}
	a.Groups = []int{4}
	if _, err := NewSteps(a); err == nil || !strings.Contains(err.Error(), "want 16 among them") {
		t.Errorf("an audit of other groups: error %v", err)
	}
}
