package spec

import (
	"fmt"
	"strings"
	"testing"
)

// manyMethods is a spec of n methods that differ.
func manyMethods(n int) string {
	var b strings.Builder
	b.WriteString("[env]\nname = \"bandit\"\n[train]\nsteps = 20\n")
	for i := range n {
		fmt.Fprintf(&b, "[[method]]\nname = \"grpo\"\nlabel = \"m%d\"\ntrain = { lr = %g }\n", i, 0.001+float64(i)*1e-6)
	}
	return b.String()
}

// manyKeys is a spec with n keys in one table.
func manyKeys(n int) string {
	var b strings.Builder
	b.WriteString("[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\n[train]\n")
	for i := range n {
		fmt.Fprintf(&b, "a%d = %d\n", i, i)
	}
	return b.String()
}

// BenchmarkLoad measures loading a method and a key, of a small spec and of one near the
// limits.
func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		what string
		n    int
		text func(int) string
	}{{"methods", 400, manyMethods}, {"methods", 9000, manyMethods}, {"keys", 500, manyKeys}, {"keys", 20000, manyKeys}} {
		b.Run(fmt.Sprintf("%s=%d", c.what, c.n), func(b *testing.B) {
			text := []byte(c.text(c.n))
			for b.Loop() {
				if _, err := parseText("large.toml", text); (err == nil) != (c.what == "methods") {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.n), "ns/each")
		})
	}
}
