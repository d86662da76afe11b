package cuda

import (
	"errors"
	"sync"
	"testing"
)

// TestModuleIsShared: devices that are open on a card at the same time have its kernels
// compiled once, and the last to close gives them back.
func TestModuleIsShared(t *testing.T) {
	c := controlShim(t)
	c.Set("devices", 2)
	count := func(when string, loads, modules int) {
		t.Helper()
		if n := c.Count("cuModuleLoadDataEx"); n != loads {
			t.Errorf("%s: loaded %d times, want %d", when, n, loads)
		}
		if n := c.Count("modules"); n != modules {
			t.Errorf("%s: %d modules, want %d", when, n, modules)
		}
	}
	works := func(d *Device) {
		t.Helper()
		p, err := d.Alloc(4)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Clear(p, 4), d.Launch("add", Dim{}, Dim{X: 32}, p, p, int32(1)), d.Synchronize()); err != nil {
			t.Error(err)
		}
	}
	closed := func(d *Device) {
		t.Helper()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}

	c.Fail("cuModuleLoadDataEx", 0, codeInvalidValue)
	if d, err := Open(shimLibrary(t), 0); err == nil {
		t.Fatal("opened without kernels: ", d)
	}
	count("after a failure", 1, 0)

	var devices [6]*Device
	var all sync.WaitGroup
	for i := range devices {
		all.Go(func() {
			var err error
			if devices[i], err = Open(shimLibrary(t), i%2); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	count("three devices on each of two cards", 3, 2)
	other, err := open(shimLibrary(t), 0, []byte(".version 6.3\n"))
	if err != nil {
		t.Fatal(err)
	}
	count("other PTX", 4, 3)

	closed(devices[0])
	closed(devices[0]) // which counts once
	closed(devices[2])
	works(devices[4])
	closed(devices[4])
	works(devices[1])
	count("the first card's are closed", 4, 2)
	for _, d := range []*Device{devices[1], devices[3], devices[5], other} {
		closed(d)
	}
	count("all are", 4, 0)

	again := openPooled(t)
	works(again)
	count("opened again", 5, 1)
	c.Fail("cuStreamCreate", 0, codeInvalidValue)
	if _, err := Open(shimLibrary(t), 0); err == nil {
		t.Error("opened without a stream")
	}
	works(again)
	count("one that fails gives back what it shared", 5, 1)
	closed(again)
	nothingLeft(t, c)
}

// TestWaitingSleeps: contexts are made with the flag that has threads sleep that wait for
// a card. The substitute takes it, as older drivers do, only before there is a context.
func TestWaitingSleeps(t *testing.T) {
	c := controlShim(t)
	for range 2 {
		openPooled(t)
	}
	if n := c.Count("flags"); n != 4 {
		t.Errorf("flags %d, want 4, CU_CTX_SCHED_BLOCKING_SYNC", n)
	}
}
