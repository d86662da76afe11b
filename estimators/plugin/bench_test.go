package plugin

import (
	"fmt"
	"testing"
	"time"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
)

// BenchmarkPlugin measures the cost of a step through a plug-in: groups of 8, and beside it
// how many times the built-in of the same formula takes.
func BenchmarkPlugin(b *testing.B) {
	for _, c := range []struct {
		name   string
		plugin func(b *testing.B) *Plugin
		dir    string
	}{
		{"go", func(b *testing.B) *Plugin { return plantedPlugin(b, "right") }, ""},
		{"python", func(b *testing.B) *Plugin { needNumpy(b); return &Plugin{Command: []string{"python3", "plain.py"}} }, "testdata"},
		{"adapter", func(b *testing.B) *Plugin { needNumpy(b); return &Plugin{Command: adapter("centred.py")} }, "../python/examples"},
	} {
		for _, groups := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("%s/%dx8", c.name, groups), func(b *testing.B) {
				p := c.plugin(b)
				if err := p.Open(b.Context(), Host{Dir: c.dir}); err != nil {
					b.Fatal(err)
				}
				defer p.Close()
				batch := batchtest.Sample(groups, 8, 0)
				dst := estimators.NewAdvantages(batch)
				for b.Loop() {
					if err := p.Advantages(dst, batch); err != nil {
						b.Fatal(err)
					}
				}
				perCall := float64(b.Elapsed()) / float64(b.N)
				builtin := batchtest.Method(b, "grpo", "scale=none").Estimator
				start := time.Now()
				for range 1000 {
					if err := builtin.Advantages(dst, batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(perCall*1000/float64(time.Since(start)), "x-built-in")
			})
		}
	}
}
