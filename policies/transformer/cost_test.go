package transformer

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cuda/cudatest"
	"modebench/policies/internal/device/cuda/model"
)

// sizeOf is a workload as the model of a card has it.
func (w workload) sizeOf(features int) model.Size {
	return model.Size{
		Name: w.name, Layers: w.config.Layers, Width: w.config.Width, Heads: w.config.Heads, Vocabulary: w.vocabulary,
		Prompt: w.prompt, Rollout: w.rollout, PromptFeatures: w.promptFeatures, OfToken: w.rowFeatures, Features: features, Batch: w.batch,
	}
}

// TestModelSizes: the model's sizes are the workloads that are timed.
func TestModelSizes(t *testing.T) {
	for _, w := range workloads {
		_, encoding, _ := w.blanks(t)
		i := slices.IndexFunc(model.Sizes, func(s model.Size) bool { return s.Name == w.name })
		if i < 0 || model.Sizes[i] != w.sizeOf(encoding.Features) {
			t.Errorf("the model's sizes lack %+v", w.sizeOf(encoding.Features))
		}
		p, err := New(t.Context(), w.config, policies.DefaultOptimizer(), encoding)
		if err != nil {
			t.Fatal(err)
		}
		if n := w.sizeOf(encoding.Features).Parameters(); n != p.Parameters() {
			t.Errorf("%s: %d parameters by the model, want %d", w.name, n, p.Parameters())
		}
	}
}

// TestModelCounts: a step on the library that stands in for the driver starts the kernels, and copies
// the bytes, that the model says. Where it fails after a change of the policy or of the kernels, it
// is the model (policies/internal/device/cuda/model) that is to follow.
func TestModelCounts(t *testing.T) {
	cudatest.StandIn(t) // which counts
	deeper := least
	deeper.config.Layers = 4
	for _, w := range []workload{least, deeper} {
		t.Run(fmt.Sprintf("%d layers", w.config.Layers), func(t *testing.T) {
			env, encoding, demonstration := w.blanks(t)
			card := openCard(t)
			p, err := newOn(t.Context(), nil, on(card), w.config, pretraining, encoding)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var batch []work
			for i := range w.batch {
				d, err := demonstration(uint64(i))
				if err != nil {
					t.Fatal(err)
				}
				batch = append(batch, work{d.Task, i, d.Tokens})
			}
			size := w.sizeOf(encoding.Features)
			counted(t, model.StepOf(size, 1, card.Multiprocessors()), func() error {
				_, err := p.imitate(t.Context(), batch, 1e-3)
				return err
			}, card.Synchronize)
			var tasks []envs.Task
			for i := range w.problems {
				tasks = append(tasks, env.problem(i))
			}
			counted(t, model.SampleOf(size, len(tasks), 1, card.Multiprocessors()), func() error {
				_, err := p.Sample(tasks, w.batch/len(tasks), policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(2)})
				return err
			}, card.Synchronize)
		})
	}
}

// counted holds what a call starts and copies to the model.
func counted(t *testing.T, want *model.Work, call, wait func() error) {
	t.Helper()
	names := map[string]int{"cuMemcpyHtoDAsync_v2": want.Uploads, "cuMemcpyDtoHAsync_v2": want.Downloads, "cuMemsetD8Async": want.Clears, "cuLaunchKernel": len(want.Launches)}
	maps.Copy(names, want.Kernels())
	const upped, downed = "uploaded", "downloaded"
	before := map[string]int{}
	for name := range names {
		before[name] = cudatest.Count(t, name)
	}
	up, down := cudatest.Count(t, upped), cudatest.Count(t, downed)
	if err := call(); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	for name, n := range names {
		if got := cudatest.Count(t, name) - before[name]; got != n {
			t.Errorf("%s: %d times, by the model %d", name, got, n)
		}
	}
	// Which features occur in a chunk the model does not know.
	near := func(what string, got, want int) {
		if 5*max(got-want, want-got) > want {
			t.Errorf("%d bytes %s, by the model %d", got, what, want)
		}
	}
	near(upped, cudatest.Count(t, upped)-up, want.Uploaded)
	near(downed, cudatest.Count(t, downed)-down, want.Downloaded)
}
