package transformer

import (
	"strings"
	"sync/atomic"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cpu"
	"modebench/policies/internal/device/cuda"
	"modebench/policies/internal/device/cuda/cudatest"
)

// shortTrial is a trial that the substitute driver makes in seconds.
func shortTrial(t *testing.T) *Trial {
	t.Helper()
	w := mazes(t)
	return &Trial{
		Name: "short", Config: Config{Layers: 1, Width: 32, Heads: 2, Steps: 3, Batch: 4, LR: 3e-3, Seed: 1},
		Encoding: w.encoding, Demonstration: w.demonstration, Tasks: w.tasks(t, 2), Rollouts: 2, Steps: 2,
	}
}

// compared makes the trial on a device, held to the plain path.
func compared(t *testing.T, d *Device) []Finding {
	t.Helper()
	plain, err := PlainProcessor()
	if err != nil {
		t.Fatal(err)
	}
	found, err := shortTrial(t).Compare(t.Context(), d, plain)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSelfTestOfCard: a card gives the plain path's bits, and its name.
func TestSelfTestOfCard(t *testing.T) {
	d := &Device{open: func() (*cuda.Device, error) { return cuda.Open(cudatest.Library(t), 0) }}
	defer d.Close()
	found := compared(t, d)
	if len(found) != 5 {
		t.Errorf("%d findings, want 5", len(found))
	}
	for _, f := range found {
		if f.Differ != "" {
			t.Errorf("%s: %s", f.What, f.Differ)
		}
	}
	if name, err := d.Name(); err != nil || !strings.HasPrefix(name, "cuda ") {
		t.Errorf("the device is named %q, %v", name, err)
	}
}

// A flawed processor multiplies one number.
type flawed struct {
	device.Kernels
	size, number int   // of the tensor of this size, and which of its numbers
	at           int64 // at this step of the optimiser, from 1
	by           float32
	steps        *atomic.Int64 // made so far
}

func (f flawed) AdamW(p, g, m, v []float32, by device.AdamW) {
	f.Kernels.AdamW(p, g, m, v, by)
	if len(p) == f.size && f.steps.Add(1) == f.at {
		p[f.number] *= f.by
	}
}

// TestSelfTestFindsWrongBits: a number that is off, if only by its last bit, is found.
func TestSelfTestFindsWrongBits(t *testing.T) {
	kernels, err := cpu.New("")
	if err != nil {
		t.Fatal(err)
	}
	const proj = 32 * 32 // no other tensor has that many numbers
	const bit = 1 + 1.0/(1<<23)
	same := [5]string{}
	for _, c := range []struct {
		name string
		flaw flawed
		want [5]string // parts of each finding; "" if the bits are the same, "*" for either
	}{
		{"none", flawed{}, same},
		{"much, after the first step", flawed{size: proj, number: 3, at: 1, by: 100},
			[5]string{"step 2, loss: ", "parameter ", "step 1, ", "parameter ", "rollout "}},
		{"a bit, after the last step of pre-training", flawed{size: proj, number: 3, at: 3, by: bit},
			[5]string{"", "parameter 0.proj.weight[3]: ", "*", "parameter ", "*"}},
		{"a bit, after the last step of learning", flawed{size: proj, number: 5, at: 5, by: bit},
			[5]string{"", "", "", "parameter 0.proj.weight[5]: ", "*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.flaw.Kernels, c.flaw.steps = kernels, new(atomic.Int64)
			differ := false
			for i, f := range compared(t, &Device{kernels: c.flaw}) {
				differ = differ || f.Differ != ""
				if c.want[i] != "*" && (!strings.Contains(f.Differ, c.want[i]) || (f.Differ == "") != (c.want[i] == "")) {
					t.Errorf("%s: %q, want %q", f.What, f.Differ, c.want[i])
				}
			}
			if differ == (c.want == same) {
				t.Errorf("differs: %v", differ)
			}
		})
	}
}

// TestSelfTestOfRollouts: any difference of a rollout is found.
func TestSelfTestOfRollouts(t *testing.T) {
	rollout := func() policies.Rollout {
		return policies.Rollout{Tokens: []envs.Token{1, 2}, Logp: []float64{-1, -2}, Entropy: []float64{0.5, 0.25}}
	}
	for want, change := range map[string]func(r *policies.Rollout){
		"rollout 2, log-probability of token 2: -3 (bits c008000000000000), want -2 (bits c000000000000000)": func(r *policies.Rollout) { r.Logp[1] = -3 },
		"rollout 2, entropy at token 1: none, want 0.5 (bits 3fe0000000000000)":                              func(r *policies.Rollout) { r.Entropy = nil },
		"rollout 2: tokens [1 3], want [1 2]":                                                                func(r *policies.Rollout) { r.Tokens[1] = 3 },
		"":                                                                                                   func(*policies.Rollout) {},
	} {
		got := []policies.Rollout{rollout(), rollout()}
		change(&got[1])
		if said := partRollout(got, []policies.Rollout{rollout(), rollout()}); said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
	if said := partRollout(nil, []policies.Rollout{rollout()}); said != "0 rollouts, want 1" {
		t.Error(said)
	}
}

// TestSelfTestStops: no device, and a context that ends, are errors.
func TestSelfTestStops(t *testing.T) {
	none := &Device{open: func() (*cuda.Device, error) { return cuda.Open("there-is-no-such-library.so", 0) }}
	if name, err := none.Name(); err == nil {
		t.Errorf("no device is named %q", name)
	}
	plain, err := PlainProcessor()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shortTrial(t).Compare(t.Context(), none, plain); err == nil || !strings.Contains(err.Error(), "there-is-no-such-library") {
		t.Errorf("without a device: %v", err)
	}
}
