package plots

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// auditOf makes an audit of that many methods, in two families, at two sizes: the first
// are sampled, the last was not audited at the smaller size.
func auditOf(methods int) *record.Audit {
	a := &record.Audit{Version: record.AuditVersion, Problems: 6, Groups: []int{8, 2}, Ks: []int{1, 2, 8, 64}}
	for i := range methods {
		name := fmt.Sprintf("method-%02d", i)
		if i < len(auditChoice) {
			name = auditChoice[i]
		}
		for _, n := range a.Groups {
			row := record.AuditRow{Label: name, Method: name, Family: []string{"First", "Second"}[2*i/methods], Group: n, How: record.AuditExact, Claim: "reward"}
			number := func(v float64) *record.AuditNumber {
				x := &record.AuditNumber{Value: v}
				if i == 0 {
					low, high := v-0.05, v+0.05
					x.Low, x.High, row.How = &low, &high, record.AuditSampled
				}
				return x
			}
			row.Cosine, row.SNR = number(-0.001), number(float64(n)/float64(i+1))
			row.Pass = []*record.AuditNumber{number(0.9), number(0.5), number(0.25), nil}
			if i == methods-1 && n == 2 {
				row = record.AuditRow{Label: name, Method: name, Group: n, Why: "too small"}
			}
			a.Rows = append(a.Rows, row)
		}
	}
	return a
}

func TestAuditFigures(t *testing.T) {
	for _, methods := range []int{1, 8, 60} {
		var before []byte
		for _, fig := range append(AuditFigures(auditOf(methods), 8), AuditFigures(auditOf(methods), 8)...) {
			d := drawtest.Read(t, fig.Figure)
			drawtest.CheckTexts(t, d)
			if d.Width > 1.02*float64(draw.PageWidth) {
				t.Errorf("%s of %d methods: %v points wide", fig.Name, methods, d.Width)
			}
			if strings.Contains(string(d.Bytes), "NaN") || strings.Contains(d.Joined(), "-0.00") {
				t.Errorf("%s of %d methods: a number that is none, or minus 0", fig.Name, methods)
			}
			switch fig.Name {
			case "audit":
				drawtest.WantLabels(t, d, "grpo", "claims", "SNR, N =", "0.90", "8.0")
				if before != nil && !bytes.Equal(before, d.Bytes) {
					t.Error("the same audit gives other bytes")
				}
				before = d.Bytes
			case "audit-pass":
				if !d.Has("grpo") || methods == 60 && d.Has("method-40") || !strings.Contains(d.Joined(), "Left: groups of 8. Steps on 6 bandits") {
					t.Errorf("audit-pass of %d methods: %s", methods, d.Joined())
				}
			}
		}
	}
	if figures := AuditFigures(&record.Audit{Groups: []int{2}, Ks: []int{1}}, 2); figures != nil {
		t.Errorf("%d figures of nothing", len(figures))
	}
}

func TestRatioText(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00", 0.304: "0.30", 2: "2.0", 11.21: "11", 345.6: "346"} {
		if got := ratioText(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
