package transformer

import (
	"fmt"
	"testing"

	"modebench/policies/internal/device/cuda/cudatest"
)

// TestStepLaunches counts the kernels that a step of pre-training starts on the substitute for
// the driver: each takes a card microseconds, however small the model is.
func TestStepLaunches(t *testing.T) {
	cudatest.StandIn(t)         // which counts
	const fixed, layer = 16, 24 // launches of a step, and those of each layer
	for _, layers := range []int{2, 4} {
		t.Run(fmt.Sprintf("%d layers", layers), func(t *testing.T) {
			w := least
			w.config.Layers = layers
			_, encoding, demonstration := w.blanks(t)
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
				batch = append(batch, work{task: d.Task, group: i, tokens: d.Tokens})
			}
			before := cudatest.Count(t, "cuLaunchKernel")
			if _, err := p.imitate(t.Context(), batch, 1e-3); err != nil {
				t.Fatal(err)
			}
			if got, want := cudatest.Count(t, "cuLaunchKernel")-before, fixed+layers*layer; got != want {
				t.Errorf("%d launches, want %d", got, want)
			}
		})
	}
}
