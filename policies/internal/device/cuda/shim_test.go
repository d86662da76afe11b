package cuda

import (
	"testing"
	"unsafe"

	"modebench/policies/internal/device/cuda/cudatest"
)

// shimLibrary gives the substitute for the driver. Tests that ask for it are
// about it, and skipped where tests run on a card.
func shimLibrary(t testing.TB) string {
	t.Helper()
	aboutShim(t)
	return cudatest.Library(t)
}

func aboutShim(t testing.TB) {
	t.Helper()
	cudatest.StandIn(t)
}

func TestMain(m *testing.M) { cudatest.Main(m) }

// openShim opens a device that runs the kernels on the CPU, or a card if tests run on
// one. Memory is not pooled, so that the end of each block is watched and, but on a card,
// unwritten memory is NaN. The device is closed with the test, which fails on an earlier
// error.
func openShim(t testing.TB) *Device {
	t.Helper()
	d, err := Open(cudatest.Library(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Direct(true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// A shimControl changes the answers of the substitute, see driver.cc.
type shimControl struct{ set, fail, reset, count uintptr }

// controlShim gives the controls; all is reset with the test.
func controlShim(t testing.TB) *shimControl {
	t.Helper()
	library, err := openLibrary(shimLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	c := new(shimControl)
	for name, address := range map[string]*uintptr{
		"shim_set": &c.set, "shim_fail": &c.fail, "shim_reset": &c.reset, "shim_count": &c.count,
	} {
		if *address, err = symbol(library, name); err != nil {
			t.Fatal(err)
		}
	}
	endProcess(c)
	t.Cleanup(func() { endProcess(c) })
	return c
}

// endProcess forgets what a new process would not know.
func endProcess(c *shimControl) {
	call(c.reset)
	drivers.Lock()
	clear(drivers.faults)
	clear(drivers.modules)
	drivers.Unlock()
}

func (c *shimControl) Set(name string, value int) {
	text := append([]byte(name), 0)
	call(c.set, uintptr(unsafe.Pointer(&text[0])), uintptr(value))
}

func (c *shimControl) Fail(function string, after, code int) {
	text := append([]byte(function), 0)
	call(c.fail, uintptr(unsafe.Pointer(&text[0])), uintptr(after), uintptr(code))
}

func (c *shimControl) Count(name string) int {
	text := append([]byte(name), 0)
	return int(call(c.count, uintptr(unsafe.Pointer(&text[0]))))
}
