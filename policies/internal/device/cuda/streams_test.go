package cuda

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// streams are two devices on one card, each with a stream of its own, and memory that the
// card reads by itself. Their functions call the driver directly: Device would wait.
type streams struct {
	t      *testing.T
	a, b   *Device
	p, q   Pointer
	pinned []float32
}

const streamFloats = 8

func openStreams(t *testing.T) *streams {
	s := &streams{t: t, a: openPooled(t), b: openPooled(t)}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	for _, p := range []*Pointer{&s.p, &s.q} {
		var err error
		if *p, err = s.a.Alloc(4 * streamFloats); err != nil {
			t.Fatal(err)
		}
	}
	s.must(s.a.setContext())
	var memory unsafe.Pointer
	s.must(s.a.try("cuMemAllocHost_v2", uintptr(unsafe.Pointer(&memory)), 4*streamFloats))
	s.pinned = unsafe.Slice((*float32)(memory), streamFloats)
	return s
}

func (s *streams) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// set writes into the memory that the card reads.
func (s *streams) set(value float32) {
	for i := range s.pinned {
		s.pinned[i] = value
	}
}

func (s *streams) upload(d *Device, to Pointer) {
	s.t.Helper()
	s.must(d.try("cuMemcpyHtoDAsync_v2", uintptr(to), uintptr(unsafe.Pointer(&s.pinned[0])), 4*streamFloats, d.stream))
}

func (s *streams) copy(d *Device, to, from Pointer) {
	s.t.Helper()
	s.must(d.Copy(to, from, 4*streamFloats))
}

func (s *streams) clear(d *Device, to Pointer) {
	s.t.Helper()
	s.must(d.Clear(to, 4*streamFloats))
}

func (s *streams) wait(devices ...*Device) {
	s.t.Helper()
	for _, d := range devices {
		s.must(d.Synchronize())
	}
}

func (s *streams) waitIf(right bool, d *Device) {
	s.t.Helper()
	if right {
		s.wait(d)
	}
}

// fresh leaves nothing that an earlier run wrote.
func (s *streams) fresh() {
	s.clear(s.a, s.p)
	s.clear(s.a, s.q)
	s.wait(s.a)
}

// get waits for both and reads what lies at p.
func (s *streams) get(p Pointer) []float32 {
	s.t.Helper()
	s.wait(s.a, s.b)
	got := make([]float32, streamFloats)
	s.must(s.a.Download(got, p))
	return got
}

// TestStreamsInAnyOrder: a program that lacks a wait gets wrong numbers
// from the substitute, with some seeds at least; and a program that waits never does.
func TestStreamsInAnyOrder(t *testing.T) {
	const seeds = 40
	for _, test := range []struct {
		reason string
		want   float32
		run    func(s *streams, right bool) []float32
	}{
		{"what is copied back is looked at before it is there", 1, func(s *streams, right bool) []float32 {
			s.set(1)
			s.upload(s.a, s.p)
			got := make([]float32, streamFloats)
			s.must(s.a.try("cuMemcpyDtoHAsync_v2", uintptr(unsafe.Pointer(&got[0])), uintptr(s.p), 4*streamFloats, s.a.stream))
			s.waitIf(right, s.a)
			seen := slices.Clone(got)
			s.wait(s.a) // before got is no more
			return seen
		}},
		{"memory of the host is used again before the card has read it", 1, func(s *streams, right bool) []float32 {
			s.set(1)
			s.upload(s.a, s.p)
			s.waitIf(right, s.a)
			s.set(2)
			return s.get(s.p)
		}},
		{"the same, after the other stream was waited for", 1, func(s *streams, right bool) []float32 {
			s.set(1)
			s.upload(s.a, s.p)
			s.wait(s.b)
			s.waitIf(right, s.a)
			s.set(2)
			return s.get(s.p)
		}},
		{"memory of the host is written after its copy was started", 2, func(s *streams, right bool) []float32 {
			s.set(1)
			if right {
				s.set(2)
			}
			s.upload(s.a, s.p)
			s.set(2)
			return s.get(s.p)
		}},
		{"one stream reads what another has yet to write, which is then waited for", 1, func(s *streams, right bool) []float32 {
			s.set(1)
			s.upload(s.b, s.p)
			s.waitIf(right, s.b)
			s.copy(s.a, s.q, s.p)
			s.wait(s.b, s.a)
			return s.get(s.q)
		}},
		{"two streams write, and the first is waited for first", 1, func(s *streams, right bool) []float32 {
			s.set(1)
			s.clear(s.a, s.p)
			s.waitIf(right, s.a)
			s.upload(s.b, s.p)
			s.wait(s.a)
			return s.get(s.p)
		}},
		{"one stream writes anew what another has yet to read", 1, func(s *streams, right bool) []float32 {
			s.set(1)
			s.upload(s.a, s.p)
			s.copy(s.a, s.q, s.p)
			s.waitIf(right, s.a)
			s.clear(s.b, s.p)
			s.wait(s.a)
			return s.get(s.q)
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			c := controlShim(t)
			s := openStreams(t)
			want := slices.Repeat([]float32{test.want}, streamFloats)
			wrong := 0
			for seed := range seeds {
				c.Set("seed", seed)
				s.fresh()
				if !slices.Equal(test.run(s, false), want) {
					wrong++
				}
				s.fresh()
				if got := test.run(s, true); !slices.Equal(got, want) {
					t.Fatalf("seed %d, with the wait: %v, want %v", seed, got, want)
				}
			}
			if wrong == 0 {
				t.Errorf("without the wait nothing is wrong with any of %d seeds", seeds)
			}
			t.Logf("without the wait the numbers are wrong with %d of %d seeds", wrong, seeds)
		})
	}
}

// TestUnloadBeforeItRan: a module goes while a kernel of it has yet to run.
func TestUnloadBeforeItRan(t *testing.T) {
	caught := 0
	for seed := range 20 {
		c := controlShim(t)
		c.Set("seed", seed)
		s := openStreams(t)
		image, name := append(slices.Clone(ptx), 0), []byte("add\x00")
		var module, function uintptr
		s.must(s.a.try("cuModuleLoadDataEx", uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&image[0])), 0, 0, 0))
		s.must(s.a.try("cuModuleGetFunction", uintptr(unsafe.Pointer(&function)), module, uintptr(unsafe.Pointer(&name[0]))))
		values := &[3]uint64{uint64(s.p), uint64(s.q), streamFloats}
		params := &[4]unsafe.Pointer{unsafe.Pointer(&values[0]), unsafe.Pointer(&values[1]), unsafe.Pointer(&values[2])}
		s.must(s.a.try("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, s.a.stream, uintptr(unsafe.Pointer(params)), 0))
		s.must(s.a.try("cuModuleUnload", module))
		if err := s.a.Synchronize(); err != nil {
			if !strings.Contains(err.Error(), "add ran after its module was unloaded") {
				t.Fatalf("seed %d: %v", seed, err)
			}
			caught++
		}
		_, _ = s.a.Close(), s.b.Close()
	}
	if caught == 0 {
		t.Error("nothing was wrong with any seed")
	}
}
