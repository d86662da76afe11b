package batcharrays

import (
	"bufio"
	"bytes"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/batchjson"
)

// BenchmarkRead reads 128 groups of 8 rollouts, as arrays and as the document.
func BenchmarkRead(b *testing.B) {
	batch := &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasReward | envs.HasMode}
	for range 128 {
		g := estimators.Group{Problem: "p"}
		for i := range 8 {
			g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: true, Candidates: []*envs.Verdict{{Reward: []float64{float64(i % 2)}, Mode: envs.Mode("m0" + string(rune('0'+i)))}}})
		}
		batch.Groups = append(batch.Groups, g)
	}
	message, ok := encode(batch)
	document, err := batchjson.Append(nil, batch, envs.HasReward|envs.HasMode, 0)
	if !ok || err != nil {
		b.Fatal(ok, err)
	}
	b.Run("arrays", func(b *testing.B) {
		for b.Loop() {
			if _, err := Read(bufio.NewReader(bytes.NewReader(message))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("document", func(b *testing.B) {
		for b.Loop() {
			if _, err := batchjson.Read(bytes.NewReader(document)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
