package batchjson

import (
	"testing"

	"modebench/estimators/internal/batchtest"
)

// BenchmarkAppend writes the document of 128 groups of 8 as GRPO needs it.
func BenchmarkAppend(b *testing.B) {
	batch := batchtest.Sample(128, 8, 0)
	needs := batchtest.Method(b, "grpo").Requirements()
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if text, err = Append(text[:0], batch, needs.CandidateFields, needs.RolloutFields); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
}
