package model

import "math"

// A Card is what a step's time is worked out of. Its figures are of four kinds, which Figures names.
type Card struct {
	Multiprocessors int
	FLOPs           float64 // a second, float32
	Bandwidth       float64 // bytes a second, of its memory
	PCIe            float64 // bytes a second, each way
	Arithmetic      float64 // share of FLOPs that products reach when nothing else holds them up
	Memory          float64 // share of Bandwidth, likewise
	Launch          float64 // seconds from the start of a kernel that does nothing to that of the next
	Step            float64 // seconds of a step of a thread, see Launch.Chain
	Threads         int     // of the host
}

// H100 is an H100 SXM beside 16 cores of a Xeon, as the H200 was that was timed: the two differ in
// memory alone.
var H100 = Card{
	Multiprocessors: 132, FLOPs: 66.9e12, Bandwidth: 3.35e12, PCIe: 55e9,
	Arithmetic: 0.5, Memory: 0.8, Launch: 3e-6, Step: 106e-9, Threads: 16,
}

// The seconds of the host: of a row, of a feature of a row and of a logit, in one thread.
const (
	hostRow     = 15.5e-9
	hostFeature = 5.3e-9
	hostLogit   = 0.65e-9
)

// Figures says where the figures are from. L is a size that no benchmark has.
var Figures = []struct{ Kind, What string }{
	{"public", "a launch every 2.5 to 4 us, of which 3 are taken; H100 SXM: 66.9 TFLOP/s of float32, 3.35 TB/s, 132 multiprocessors (NVIDIA H100 datasheet); PCIe Gen5 x16, 64 GB/s each way, of which about 55 are reached"},
	{"measured", "a step of one cell and of eager PyTorch on an H200, where docs/gpu.md has it; the host's work (15.5 ns a row, 5.3 ns a feature, 0.65 ns a logit, in one thread of a Xeon, without a card)"},
	{"fitted", "106 ns a step of a thread, to the three measured steps of one cell (TestFitted)"},
	{"assumed", "products reach half of the peak, which their shared memory allows; memory four fifths, and keeps nothing in a cache from one kernel to the next; the host spreads cells over 16 threads"},
}

// Measured are milliseconds of a training step on the H200 (docs/gpu.md): of one cell, which started
// so many kernels then, and of eager PyTorch.
var Measured = map[string]struct {
	Ours, PyTorch float64
	Launches      int
}{
	"S": {1.37, 3.08, 72}, "M": {4.46, 4.94, 128}, "maze": {1.08, 4.28, 72},
}

// A Time is what a step takes, in seconds, by what holds it up: the start of kernels and copies,
// threads that go through their rows one after the other, the memory's bytes, arithmetic, copies
// from and to the host, and the host's own work.
type Time struct{ Launches, Chains, Memory, Arithmetic, Copies, Host float64 }

// Total is all of it.
func (t Time) Total() float64 {
	return t.Launches + t.Chains + t.Memory + t.Arithmetic + t.Copies + t.Host
}

// Bound names the largest part.
func (t Time) Bound() string {
	name, most := "", math.Inf(-1)
	for _, p := range []struct {
		name string
		part float64
	}{{"launches", t.Launches}, {"chains", t.Chains}, {"bytes", t.Memory}, {"arithmetic", t.Arithmetic}, {"copies", t.Copies}, {"host", t.Host}} {
		if p.part > most {
			name, most = p.name, p.part
		}
	}
	return name
}

// Time is that of a step's work on the card. Nothing overlaps but what a kernel does: it takes as
// long as the slowest of its arithmetic, its bytes and its longest thread.
func (c Card) Time(w *Work) (t Time) {
	for _, l := range w.Launches {
		chain, bytes, flop := float64(float64(l.Chain)*c.Step), float64(l.Bytes)/(c.Memory*c.Bandwidth), float64(l.FLOP)/(c.Arithmetic*c.FLOPs)
		switch max(chain, bytes, flop) {
		case chain:
			t.Chains += chain
		case bytes:
			t.Memory += bytes
		default:
			t.Arithmetic += flop
		}
	}
	t.Launches = c.Launch * float64(len(w.Launches)+w.Uploads+w.Downloads+w.Clears)
	t.Memory += float64(w.Cleared) / (c.Memory * c.Bandwidth)
	t.Copies = float64(w.Uploaded+w.Downloaded) / c.PCIe
	host := float64(hostRow*float64(w.rows)) + float64(hostFeature*float64(w.features)) + float64(hostLogit*float64(w.answers*w.size.Vocabulary))
	t.Host = host / float64(min(w.cells, c.Threads))
	return t
}
