package cuda

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Codes of the driver's errors that tests provoke.
const (
	codeInvalidValue   = 1
	codeIllegalAddress = 700
	codeLaunchFailed   = 719
	codeUnknown        = 999 // the substitute driver has no name for it
)

// openPooled opens a device as users do, with the pool, and does not mind errors of
// Close.
func openPooled(t testing.TB) *Device {
	t.Helper()
	d, err := Open(shimLibrary(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func isOneLine(t *testing.T, err error) {
	t.Helper()
	if err == nil || err.Error() == "" || strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("error %q, want one line", err)
	}
}

// nothingLeft reports whether the substitute driver has everything back.
func nothingLeft(t *testing.T, c *shimControl) {
	t.Helper()
	for _, what := range []string{"contexts", "modules", "streams", "blocks", "bytes", "host"} {
		if n := c.Count(what); n != 0 {
			t.Errorf("%d %s left", n, what)
		}
	}
}

func TestOpenWithoutADriver(t *testing.T) {
	if !supported {
		d, err := Open("", 0)
		if d != nil || !errors.Is(err, ErrBuild) || !errors.Is(err, ErrUnavailable) {
			t.Errorf("Open = %v, %v, want ErrBuild", d, err)
		}
		return
	}
	for _, test := range []struct {
		library, why string
		want         string // in the error
	}{
		{"libmodebench-nothing.so.1", "there is none of this name", "libmodebench-nothing.so.1, which an NVIDIA driver installs"},
		{"libm.so.6", "another library", "libm.so.6 has no function cuDriverGetVersion"},
	} {
		d, err := Open(test.library, 0)
		if d != nil || !errors.Is(err, ErrNoDriver) || !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrOldDriver) {
			t.Errorf("%s: Open = %v, %v, want ErrNoDriver", test.why, d, err)
			continue
		}
		isOneLine(t, err)
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", test.why, err, test.want)
		}
		if lines := Probe(test.library); len(lines) != 1 || !strings.Contains(lines[0], err.Error()) {
			t.Errorf("%s: Probe says %q, want the error", test.why, lines)
		}
	}
}

func TestOpenADriverThatLacksFunctions(t *testing.T) {
	shimLibrary(t)
	folder := t.TempDir()
	source, library := filepath.Join(folder, "old.cc"), filepath.Join(folder, "libold.so")
	text := `extern "C" int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
extern "C" int cuInit(unsigned) { return 0; }`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("c++", "-shared", "-fPIC", source, "-o", library).CombinedOutput(); err != nil {
		t.Skipf("c++: %v\n%s", err, out)
	}
	_, err := Open(library, 0)
	if !errors.Is(err, ErrOldDriver) || !strings.Contains(err.Error(), "cuGetErrorName") || !strings.Contains(err.Error(), "12.4") {
		t.Errorf("Open: %v, want ErrOldDriver with the function and the version", err)
	}
	isOneLine(t, err)
}

func TestOpenErrors(t *testing.T) {
	for _, test := range []struct {
		why     string
		set     map[string]int
		fail    string // this function, with code
		code    int
		ptx     string
		ordinal int
		kind    error
		machine bool // ErrUnavailable
		want    []string
	}{
		{why: "a driver of 2018", set: map[string]int{"version": 9020}, kind: ErrOldDriver, machine: true, want: []string{"CUDA 9.2", "want 10.0 or newer"}},
		{why: "no card", set: map[string]int{"devices": 0}, kind: ErrNoDevice, machine: true, want: []string{"finds no CUDA device", "CUDA_VISIBLE_DEVICES"}},
		{why: "no card, said late", fail: "cuDeviceGetCount", code: 100, kind: ErrNoDevice, machine: true, want: []string{"finds no CUDA device"}},
		{why: "the second of one", ordinal: 1, kind: ErrOrdinal, want: []string{"cuda:1", "there is one, cuda:0"}},
		{why: "the third of two", set: map[string]int{"devices": 2}, ordinal: 2, kind: ErrOrdinal, want: []string{"cuda:2", "there are 2, cuda:0 to cuda:1"}},
		{why: "below the first", ordinal: -1, kind: ErrOrdinal, want: []string{"cuda:-1"}},
		{why: "a card of 2017", set: map[string]int{"major": 7, "minor": 0}, kind: ErrOldDevice, machine: true, want: []string{"NVIDIA Shim 0 (cuda:0)", "7.0", "want 7.5"}},
		{why: "minor counts only within major", set: map[string]int{"major": 6, "minor": 9}, kind: ErrOldDevice, machine: true, want: []string{"6.9"}},
		{why: "PTX that does not compile", ptx: "not PTX", set: map[string]int{"version": 13000}, kind: ErrKernels,
			want: []string{"NVIDIA Shim 0", "9.0", "CUDA_ERROR_INVALID_PTX", "fatal : Missing .version directive"}},
		{why: "no room for a context", fail: "cuDevicePrimaryCtxRetain", code: 2, kind: ErrOutOfMemory, want: []string{"NVIDIA Shim 0"}},
		{why: "a driver that does not start", fail: "cuInit", code: 3, kind: ErrNoDriver, machine: true, want: []string{"does not start", "CUDA_ERROR_NOT_INITIALIZED"}},
		{why: "an error without a name", fail: "cuInit", code: codeUnknown, kind: ErrNoDriver, machine: true, want: []string{"error 999"}},
		{why: "a driver of no version", fail: "cuDriverGetVersion", code: codeUnknown, kind: ErrNoDriver, machine: true, want: []string{"cuDriverGetVersion", "999"}},
	} {
		t.Run(test.why, func(t *testing.T) {
			c := controlShim(t)
			for name, value := range test.set {
				c.Set(name, value)
			}
			if test.fail != "" {
				c.Fail(test.fail, 0, test.code)
			}
			text := ptx
			if test.ptx != "" {
				text = []byte(test.ptx)
			}
			d, err := open(shimLibrary(t), test.ordinal, text)
			if d != nil || !errors.Is(err, test.kind) || errors.Is(err, ErrUnavailable) != test.machine {
				t.Fatalf("open = %v, %v, want %v", d, err, test.kind)
			}
			isOneLine(t, err)
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q in it", err, want)
				}
			}
			nothingLeft(t, c)
		})
	}
	for _, set := range []map[string]int{{"major": 7, "minor": 5}, {"major": 8, "minor": 0}, {"version": 10000}} {
		c := controlShim(t)
		for name, value := range set {
			c.Set(name, value)
		}
		d, err := Open(shimLibrary(t), 0)
		if err != nil {
			t.Errorf("%v is enough, but %v", set, err)
			continue
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenFailsAnywhere has each function that Open calls fail once.
func TestOpenFailsAnywhere(t *testing.T) {
	c := controlShim(t)
	for _, function := range []string{"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
		"cuDeviceTotalMem_v2", "cuDevicePrimaryCtxSetFlags_v2", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuModuleLoadDataEx", "cuStreamCreate"} {
		c.Fail(function, 0, codeInvalidValue)
		d, err := Open(shimLibrary(t), 0)
		var driver *DriverError
		if d != nil || !errors.As(err, &driver) || driver.Function != function || driver.Code != codeInvalidValue ||
			driver.Name != "CUDA_ERROR_INVALID_VALUE" || driver.Text != "invalid argument" {
			t.Errorf("%s fails: open = %v, %v (%+v)", function, d, err, driver)
			continue
		}
		isOneLine(t, err)
		nothingLeft(t, c)
	}
}

// TestClose has each function that Close calls fail once: it returns the error and gives the rest
// back.
func TestClose(t *testing.T) {
	c := controlShim(t)
	for _, function := range []string{"", "cuStreamSynchronize", "cuStreamDestroy_v2", "cuMemFree_v2", "cuMemFreeHost", "cuModuleUnload"} {
		d := openPooled(t)
		kept, err := d.Alloc(1000)
		if err != nil {
			t.Fatal(err)
		}
		pooled, err := d.Alloc(1000)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Upload(kept, []float32{1}); err != nil {
			t.Fatal(err)
		}
		d.Free(pooled)
		if n := c.Count("blocks"); n != 2 {
			t.Errorf("%d blocks in use, want one that is and one in the pool", n)
		}
		if function != "" {
			c.Fail(function, 0, codeInvalidValue)
		}
		err = d.Close()
		var driver *DriverError
		if function == "" && err != nil || function != "" && (!errors.As(err, &driver) || driver.Function != function) {
			t.Errorf("%q fails: Close says %v", function, err)
		}
		nothingLeft(t, c)
	}
}

func TestClosed(t *testing.T) {
	d := openPooled(t)
	p, err := d.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, alloc := d.Alloc(4)
	for name, err := range map[string]error{
		"Alloc": alloc, "Upload": d.Upload(p, []float32{1}),
		"Download": d.Download([]float32{1}, p),
		"Launch":   d.Launch("add", Dim{}, Dim{}, p, p, int32(1)), "Synchronize": d.Synchronize(),
		"Copy": d.Copy(p, p, 4), "Clear": d.Clear(p, 4), "Direct": d.Direct(true),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	d.Free(p)
	if err := d.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// TestHost: memory of the host that the card reads and writes by itself comes and goes as it
// should, also where Close gives it back.
func TestHost(t *testing.T) {
	d := openPooled(t)
	memory, err := d.Host(100)
	host := memory.Floats
	if err != nil || len(host) != 100 || len(memory.Ints) != 100 {
		t.Fatalf("%d numbers, %v", len(host), err)
	}
	p, err := d.Alloc(400)
	if err != nil {
		t.Fatal(err)
	}
	for i := range host {
		host[i] = float32(i)
	}
	want := slices.Clone(host)
	if err := errors.Join(d.UploadHost(p, memory, 100), d.Synchronize()); err != nil {
		t.Fatal(err)
	}
	clear(host)
	if err := d.Download(host, p); err != nil || !slices.Equal(host, want) {
		t.Errorf("downloaded %v, %v", host, err)
	}
	if memory.Ints[1] != int32(math.Float32bits(1)) {
		t.Error("ints and floats are other memory")
	}
	if err := d.UploadHost(p, memory, 101); !errors.Is(err, ErrArgument) {
		t.Errorf("more than it has: %v", err)
	}
	d.FreeHost(memory)
	d.FreeHost(Host{})
	if none, err := d.Host(0); none.Floats != nil || err != nil {
		t.Errorf("no numbers: %v, %v", none, err)
	}
	if _, err := d.Host(7); err != nil { // for Close
		t.Fatal(err)
	}
	if _, err := d.Host(1 << 44); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("more than there is: %v", err)
	}
}

func TestCopies(t *testing.T) {
	d := openShim(t)
	// Off and beyond the staging memory, which the second upload starts in the middle of.
	const n = stagingSize/4 + 1001
	src := make([]float32, n)
	for i := range src {
		src[i] = float32(i)
	}
	p, err := d.Alloc(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(src)
	for range 2 {
		if err := d.Upload(p, src); err != nil {
			t.Fatal(err)
		}
		// The slice is ours again.
		for i := range src {
			src[i] = -1
		}
		got := make([]float32, n)
		if err := d.Download(got, p); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Error("downloaded something else than was uploaded")
		}
		copy(src, want)
		if err := d.Upload(p, src[:77]); err != nil {
			t.Fatal(err)
		}
	}

	ints := []int32{math.MinInt32, -1, 0, math.MaxInt32}
	if err := d.Upload(p.At(100), asFloats(ints)); err != nil {
		t.Fatal(err)
	}
	if err := d.Copy(p.At(200), p.At(100), 16); err != nil {
		t.Fatal(err)
	}
	if err := d.Clear(p.At(201), 8); err != nil {
		t.Fatal(err)
	}
	got := make([]int32, 4)
	if err := d.Download(asFloats(got), p.At(200)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []int32{math.MinInt32, 0, 0, math.MaxInt32}) {
		t.Errorf("after Copy and Clear: %v", got)
	}

	// Nothing at all, and addresses outside.
	if err := errors.Join(d.Upload(p, nil), d.Download(nil, p), d.Copy(p, p, 0), d.Clear(p, 0)); err != nil {
		t.Errorf("of no bytes: %v", err)
	}
	aboutShim(t) // a driver need not know where within its pages a block ends
	two := make([]float32, 2)
	for name, err := range map[string]error{
		"Upload": d.Upload(p.At(n-1), two), "Download": d.Download(two, p.At(n-1)), "Clear": d.Clear(p.At(n-1), 8),
		"Copy": d.Copy(p, p.At(n-1), 8), "Copy to": d.Copy(p.At(n-1), p, 8), "from null": d.Download(two, 0),
	} {
		var driver *DriverError
		if !errors.As(err, &driver) || driver.Code != codeInvalidValue {
			t.Errorf("%s beyond the end: %v, want an invalid value", name, err)
		}
	}
	for name, err := range map[string]error{"Copy": d.Copy(p, p, -1), "Clear": d.Clear(p, -1)} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s of -1 bytes: %v, want ErrArgument", name, err)
		}
	}
}

// TestUnwritten: unwritten numbers are NaNs, and huge ints.
func TestUnwritten(t *testing.T) {
	aboutShim(t)
	d := openShim(t)
	p, err := d.Alloc(4 * 3)
	if err != nil {
		t.Fatal(err)
	}
	got, ints := make([]float32, 3), make([]int32, 3)
	if err := errors.Join(d.Download(got, p), d.Download(asFloats(ints), p)); err != nil {
		t.Fatal(err)
	}
	for i, x := range got {
		if x == x || ints[i] < 1<<30 {
			t.Errorf("entry %d: %v, as an int %d", i, x, ints[i])
		}
	}
}

// TestLaunch adds vectors, in launches that no one waits for one by one.
func TestLaunch(t *testing.T) {
	d := openShim(t)
	const n = 70
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), float32(1000*i)
	}
	a, err := d.Alloc(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, n)
	err = errors.Join(
		d.Upload(a, x),
		d.Upload(b, y),
		d.Launch("add", Dim{X: 2}, Dim{X: 64}, a, uint64(b), int32(n)),
		d.Launch("axpy", Dim{}, Dim{X: 32}, a, float32(-0.5), b, int32(n)),
		d.Upload(b, x), // after the launches
		d.Launch("add", Dim{X: 1}, Dim{X: 256}, a, b, int32(n)),
		d.Download(got, a))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if want := 2*x[i] + 0.5*y[i]; v != want {
			t.Errorf("entry %d: %v, want %v", i, v, want)
		}
	}
}

func TestLaunchErrors(t *testing.T) {
	aboutShim(t)
	d := openShim(t)
	p, err := d.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	ok := []any{p, p, int32(1)}
	for _, test := range []struct {
		why         string
		kernel      string
		grid, block Dim
		args        []any
		kind        error
		want        []string
	}{
		{"no such kernel", "subtract", Dim{}, Dim{}, ok, ErrKernels, []string{`"subtract"`, "CUDA_ERROR_NOT_FOUND"}},
		{"too few arguments", "add", Dim{}, Dim{}, ok[:2], ErrArgument, []string{"add", "2 arguments, want 3"}},
		{"too many arguments", "add", Dim{}, Dim{}, append(ok, p), ErrArgument, []string{"4 arguments, want 3"}},
		{"far too many arguments", "add", Dim{}, Dim{}, make([]any, maxParams+1), ErrArgument, []string{"33 arguments"}},
		{"an int of Go", "add", Dim{}, Dim{}, []any{p, p, 1}, ErrArgument, []string{"argument 2", "want Pointer, uint64, int32 or float32"}},
		{"nil", "add", Dim{}, Dim{}, []any{nil, p, int32(1)}, ErrArgument, []string{"argument 0"}},
		{"a float for an int", "add", Dim{}, Dim{}, []any{p, p, float32(1)}, ErrArgument, []string{"argument 2 is a float, want an int"}},
		{"an int for an address", "add", Dim{}, Dim{}, []any{p, int32(1), int32(1)}, ErrArgument, []string{"argument 1 is an int, want an address"}},
		{"an address for a float", "axpy", Dim{}, Dim{}, []any{p, p, p, int32(1)}, ErrArgument, []string{"argument 1 is an address, want a float"}},
		{"a negative grid", "add", Dim{Y: -1}, Dim{}, ok, ErrArgument, []string{"add", "grid 1x-1x1", "block 1x1x1"}},
		{"a negative block", "add", Dim{}, Dim{Z: -3}, ok, ErrArgument, []string{"block 1x1x-3"}},
		{"a block beyond the kernel's bounds", "add", Dim{}, Dim{X: 128, Y: 3}, ok, ErrArgument, []string{"block 128x3x1", "at most 256 threads"}},
		{"a block that overflows", "add", Dim{}, Dim{X: 1 << 30, Y: 1 << 30, Z: 16}, ok, ErrArgument, []string{"at most 256"}},
		{"a grid that the driver refuses", "add", Dim{X: 2, Y: 65536}, Dim{X: 32}, ok, ErrLaunch, []string{"add", "NVIDIA Shim 0", "grid 2x65536x1", "block 32x1x1", "CUDA_ERROR_INVALID_VALUE"}},
	} {
		err := d.Launch(test.kernel, test.grid, test.block, test.args...)
		if !errors.Is(err, test.kind) {
			t.Errorf("%s: %v, want %v", test.why, err, test.kind)
			continue
		}
		isOneLine(t, err)
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", test.why, err, want)
			}
		}
	}
	// Nothing of it is the device's fault.
	if err := errors.Join(d.Clear(p, 4), d.Launch("add", Dim{}, Dim{}, ok...), d.Synchronize()); err != nil {
		t.Error(err)
	}

	// A kernel whose parameters the PTX does not list: the driver sees the end of
	// the arguments, or so does its substitute.
	delete(d.signatures, "gelu")
	for _, args := range [][]any{{p, p}, {p, p, int32(1), int32(1)}} {
		if err := d.Launch("gelu", Dim{}, Dim{}, args...); !errors.Is(err, ErrLaunch) {
			t.Errorf("%d arguments for 3: %v, want ErrLaunch", len(args), err)
		}
	}
}

// TestFaults runs kernels that go wrong, each on a device of its own: from then on
// every call returns it, also a call of another device that is open on the card, and none can be opened
// before the process ends.
func TestFaults(t *testing.T) {
	const n = 64
	for _, test := range []struct {
		why   string
		fault func(d *Device, p, q Pointer) error
		code  int
		want  []string
	}{
		{"a write past the end", func(d *Device, p, q Pointer) error {
			return d.Launch("add", Dim{X: 3}, Dim{X: 32}, p, q, int32(n+2))
		}, codeIllegalAddress, []string{"add (grid 3x1x1, block 32x1x1)", "add wrote 0 bytes past the end of a block of 256 bytes"}},
		{"a write before the start", func(d *Device, p, q Pointer) error {
			return d.Launch("axpy", Dim{}, Dim{X: 32}, p-8, float32(2), q, int32(2))
		}, codeIllegalAddress, []string{"axpy", "wrote 8 bytes before the start"}},
		{"a write after Free", func(d *Device, p, q Pointer) error {
			d.Free(p)
			return d.Launch("add", Dim{}, Dim{X: 32}, p, q, int32(1))
		}, codeIllegalAddress, []string{"after it was freed"}},
		{"half a warp", func(d *Device, p, q Pointer) error {
			if err := d.Upload(q, asFloats([]int32{0, 0, 0, 1})); err != nil { // one row of one cell
				return err
			}
			return d.Launch("layer_norm", Dim{}, Dim{X: 16}, p, q, q.At(1), p, q, q, q.At(2), q, int32(32))
		}, codeLaunchFailed, []string{"layer_norm", "CUDA_ERROR_LAUNCH_FAILED"}},
	} {
		t.Run(test.why, func(t *testing.T) {
			c := controlShim(t)
			d := openPooled(t)
			beside, err := Open(shimLibrary(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Direct(true); err != nil {
				t.Fatal(err)
			}
			p, err := d.Alloc(4 * n)
			if err != nil {
				t.Fatal(err)
			}
			q, err := d.Alloc(4 * n)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.Clear(p, 4*n), d.Clear(q, 4*n), d.Synchronize()); err != nil {
				t.Fatal(err)
			}
			if err := test.fault(d, p, q); err != nil {
				t.Fatalf("the launch: %v, want an error later", err)
			}
			_, alloc := d.Alloc(4)
			for _, call := range []struct {
				name string
				err  error
			}{
				{"Synchronize", d.Synchronize()},
				{"Download", d.Download(make([]float32, n), q)},
				{"Upload", d.Upload(q, make([]float32, n))},
				{"Launch", d.Launch("add", Dim{X: 3}, Dim{X: 32}, q, q, int32(1))},
				{"Alloc", alloc},
			} {
				if call.name == "Alloc" {
					_, call.err = d.Alloc(4)
				}
				var driver *DriverError
				if !errors.Is(call.err, ErrLaunch) || !errors.As(call.err, &driver) || driver.Code != test.code {
					t.Errorf("%s: %v, want the fault", call.name, call.err)
					continue
				}
				isOneLine(t, call.err)
				for _, want := range append(test.want, "NVIDIA Shim 0") {
					if call.name == "Synchronize" && !strings.Contains(call.err.Error(), want) {
						t.Errorf("%s: %v, want %q in it", call.name, call.err, want)
					}
				}
			}
			if err := d.Close(); !errors.Is(err, ErrLaunch) {
				t.Errorf("Close: %v, want the fault", err)
			}
			const over = "NVIDIA Shim 0 (cuda:0) computes no more in this process, which has to be started again: a kernel failed on"
			_, err = beside.Alloc(4)
			_, opened := Open(shimLibrary(t), 0)
			for name, err := range map[string]error{
				"Alloc beside it": err, "Launch beside it": beside.Launch("add", Dim{}, Dim{X: 32}, q, q, int32(1)), "opened again": opened,
			} {
				if !errors.Is(err, ErrLaunch) || !strings.HasPrefix(err.Error(), over) {
					t.Errorf("%s: %v, want %s", name, err, over)
				}
			}
			if err := beside.Close(); !errors.Is(err, ErrLaunch) {
				t.Errorf("Close beside it: %v, want the fault", err)
			}
			nothingLeft(t, c)
			endProcess(c)
			again := openShim(t)
			if err := again.Synchronize(); err != nil {
				t.Errorf("opened by another process: %v", err)
			}
		})
	}
}

func TestOutOfMemory(t *testing.T) {
	c := controlShim(t)
	c.Set("total", 10<<20)
	d := openPooled(t)
	held, err := d.Alloc(6 << 20)
	if err != nil {
		t.Fatal(err)
	}
	const asked = 5<<20 - 100
	_, err = d.Alloc(asked)
	var e *OutOfMemoryError
	if !errors.Is(err, ErrOutOfMemory) || !errors.As(err, &e) || errors.Is(err, ErrUnavailable) {
		t.Fatalf("Alloc: %v, want an OutOfMemoryError", err)
	}
	isOneLine(t, err)
	if e.Asked != asked || e.Free != 4<<20 || e.Total != 10<<20 || e.Device != "NVIDIA Shim 0" {
		t.Errorf("%+v", e)
	}
	for _, want := range []string{"NVIDIA Shim 0", "5.0 MiB (5242780 bytes)", "4.0 MiB (4194304 bytes) free of 10.0 MiB"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	// Unused memory of the pool is given back first.
	d.Free(held)
	if n := c.Count("blocks"); n != 1 {
		t.Errorf("%d blocks, want one in the pool", n)
	}
	if _, err = d.Alloc(asked); err != nil {
		t.Errorf("with the pool to give back: %v", err)
	}
	if n := c.Count("bytes"); n != 5<<20 {
		t.Errorf("%d bytes in use, want %d", n, 5<<20)
	}
	// The driver need not report how much there is.
	c.Fail("cuMemGetInfo_v2", 0, codeUnknown)
	if _, err = d.Alloc(8 << 20); !errors.As(err, &e) || e.Total != 0 || !strings.Contains(err.Error(), "does not report") {
		t.Errorf("without cuMemGetInfo: %v", err)
	}
	for _, bytes := range []int{-1, math.MinInt, math.MaxInt} {
		if _, err := d.Alloc(bytes); !errors.Is(err, ErrArgument) {
			t.Errorf("%d bytes: %v, want ErrArgument", bytes, err)
		}
	}
}

func TestPool(t *testing.T) {
	c := controlShim(t)
	d := openPooled(t)
	get := func(bytes int) Pointer {
		t.Helper()
		p, err := d.Alloc(bytes)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := get(1000), get(1000)
	if a == b {
		t.Fatal("one block given out twice")
	}
	d.Free(a)
	if p := get(1001); p != a {
		t.Errorf("a size of the same class: %#x, want the block that was freed, %#x", p, a)
	}
	d.Free(a)
	if err := d.Synchronize(); err != nil {
		t.Errorf("freed, given out again and freed: %v", err)
	}
	if p := get(1002); p != a {
		t.Errorf("freed twice: %#x, want %#x again", p, a)
	}
	d.Free(b)
	if p := get(3000); p == b {
		t.Error("a larger size has the small block")
	}
	if p := get(0); p == 0 || p == a || p == b {
		t.Errorf("no bytes: %#x, want a block of its own", p)
	}
	if n := c.Count("cuMemAlloc_v2"); n != 4 {
		t.Errorf("%d blocks from the driver, want 4", n)
	}
	if n := c.Count("cuMemFree_v2"); n != 0 {
		t.Errorf("%d blocks given back, want none", n)
	}
	if err := d.Direct(true); err != nil {
		t.Fatal(err)
	}
	if n := c.Count("cuMemFree_v2"); n != 1 {
		t.Errorf("%d blocks given back by Direct, want the unused one", n)
	}
	before := c.Count("bytes")
	p := get(1001)
	if n := c.Count("bytes") - before; n != 1001 {
		t.Errorf("%d bytes from the driver, want 1001 to the byte", n)
	}
	d.Free(p)
	if n := c.Count("bytes") - before; n != 0 {
		t.Errorf("%d bytes still with the driver", n)
	}
}

// TestFreeMisuse: Free has no error, so the next wait tells.
func TestFreeMisuse(t *testing.T) {
	d := openPooled(t)
	p, err := d.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	d.Free(0)
	d.Free(p)
	if err := d.Synchronize(); err != nil {
		t.Errorf("nothing was wrong: %v", err)
	}
	for why, wrong := range map[string]Pointer{"twice": p, "inside a block": p + 4, "from nowhere": 12345} {
		d.Free(wrong)
		err := d.Synchronize()
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: %v, want ErrArgument", why, err)
		}
		if err := d.Synchronize(); err != nil {
			t.Errorf("%s: reported twice: %v", why, err)
		}
	}
	d.Free(p)
	if err := d.Close(); !errors.Is(err, ErrArgument) {
		t.Errorf("Close: %v, want ErrArgument", err)
	}
}

func TestClass(t *testing.T) {
	for bytes := 0; bytes < 1<<22; bytes += 1 + bytes/997 {
		got := class(bytes)
		if got < bytes || class(got) != got || bytes > smallest && 5*got > 6*bytes+5*64+got {
			t.Fatalf("%d bytes get a block of %d", bytes, got)
		}
		if bytes > 320 && 5*(got-bytes) > got {
			t.Fatalf("of %d bytes for %d, more than a fifth is left over", got, bytes)
		}
	}
	for bytes, want := range map[int]int{0: 256, 1: 256, 256: 256, 257: 320, 512: 512, 513: 640, 1024: 1024, 1025: 1280, 1 << 40: 1 << 40, 1<<40 + 1: 5 << 38} {
		if got := class(bytes); got != want {
			t.Errorf("class(%d) = %d, want %d", bytes, got, want)
		}
	}
	if class(maxBytes) < maxBytes {
		t.Error("the largest size overflows")
	}
}

// TestThreads calls from many goroutines, on as many threads, no thread of which has a
// current context of its own.
func TestThreads(t *testing.T) {
	d := openShim(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			x := []float32{float32(g), 1}
			for range 20 {
				p, err := d.Alloc(8)
				if err != nil {
					t.Error(err)
					return
				}
				err = errors.Join(d.Upload(p, x), d.Launch("add", Dim{}, Dim{X: 32}, p, p, int32(2)), d.Download(x, p))
				if err != nil {
					t.Error(err)
				}
				d.Free(p)
			}
			if want := float32(g) * (1 << 20); x[0] != want || x[1] != 1<<20 {
				t.Errorf("goroutine %d: %v, want %v and 2^20", g, x, want)
			}
		})
	}
	all.Wait()
}

// TestTwoDevices opens one card twice, and two cards.
func TestTwoDevices(t *testing.T) {
	c := controlShim(t)
	c.Set("devices", 2)
	one, same := openShim(t), openShim(t)
	other, err := Open(shimLibrary(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	if one.Name() != "NVIDIA Shim 0" || other.Name() != "NVIDIA Shim 1" || one.Multiprocessors() != 4 {
		t.Errorf("%q with %d multiprocessors, %q", one.Name(), one.Multiprocessors(), other.Name())
	}
	p, err := one.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 1)
	err = errors.Join(one.Upload(p, []float32{7}), one.Synchronize(), same.Download(got, p))
	if err != nil || got[0] != 7 {
		t.Errorf("the same card: %v, %v", got, err)
	}
	if err := other.Download(got, p); err == nil {
		t.Error("one card reads the other's memory")
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if n := c.Count("contexts"); n != 2 {
		t.Errorf("%d contexts, want those of the first card", n)
	}
}

func TestProbe(t *testing.T) {
	c := controlShim(t)
	library := shimLibrary(t)
	c.Set("devices", 2)
	c.Set("total", 80<<30)
	want := []string{
		"cuda:0 NVIDIA Shim 0, compute capability 9.0, 4 multiprocessors, 80.0 GiB, driver for CUDA 12.4",
		"cuda:1 NVIDIA Shim 1, compute capability 9.0, 4 multiprocessors, 80.0 GiB, driver for CUDA 12.4",
	}
	if got := Probe(library); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := c.Count("contexts"); n != 0 {
		t.Errorf("%d contexts, want none for a look", n)
	}
	c.Fail("cuDeviceGetName", 1, codeInvalidValue)
	if got := Probe(library); len(got) != 2 || got[0] != want[0] || !strings.HasPrefix(got[1], "cuda:1 not usable: cuDeviceGetName: CUDA_ERROR_INVALID_VALUE") {
		t.Errorf("where one fails: %q", got)
	}
	c.Set("major", 7)
	if got := Probe(library); len(got) != 2 || !strings.HasSuffix(got[0], "; not usable: want compute capability 7.5 or newer") {
		t.Errorf("too old: %q", got)
	}
	c.Set("devices", 0)
	if got := Probe(library); len(got) != 1 || !strings.HasPrefix(got[0], "no CUDA device: the NVIDIA driver finds no CUDA device") {
		t.Errorf("none: %q", got)
	}
	c.Set("version", 9000)
	if got := Probe(library); len(got) != 1 || !strings.Contains(got[0], "supports CUDA 9.0") {
		t.Errorf("too old a driver: %q", got)
	}
}

// TestOwnPTX: the kernels are in the version of PTX of leastVersion, and name what
// each takes.
func TestOwnPTX(t *testing.T) {
	if leastVersion != 10000 || !regexp.MustCompile(`(?m)^\.version 6\.3$`).Match(ptx) {
		t.Errorf("CUDA %d for kernels.ptx, want 10000 for PTX 6.3 and no other", leastVersion)
	}
	all := signatures(ptx)
	entries := regexp.MustCompile(`(?m)^\s*(?:\.visible\s+)?\.entry\s+(\w+)`).FindAllSubmatch(ptx, -1)
	if len(entries) == 0 || len(all) != len(entries) {
		t.Errorf("%d signatures of %d kernels", len(all), len(entries))
	}
	for name, s := range all {
		if len(s.params) == 0 || len(s.params) > maxParams || s.threads == 0 {
			t.Errorf("%s: %d parameters, at most %d threads", name, len(s.params), s.threads)
		}
	}
}

func TestSignatures(t *testing.T) {
	got := signatures([]byte(`
.visible .entry plain(
	.param .u64 plain_param_0,
	.param .u32 plain_param_1,
	.param .f32 plain_param_2
)
.maxntid 16, 8, 1
{
}
.entry modern(.param .u64 .ptr .align 1 a, .param .b32 b)
{
}
.visible .entry none()
{
}
.visible .entry by_value(
	.param .align 8 .b8 s[16]
)
{
}
.visible .func (.param .b32 r) helper(.param .b64 x) { }
`))
	want := map[string]signature{
		"plain":  {[]paramKind{paramAddress, paramInt, paramFloat}, 128},
		"modern": {[]paramKind{paramAddress, paramBits}, 0},
		"none":   {nil, 0},
		// by_value takes what Launch cannot give: nothing is known of it
	}
	if len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, w := range want {
		if g := got[name]; !slices.Equal(g.params, w.params) || g.threads != w.threads {
			t.Errorf("%s: %v, want %v", name, g, w)
		}
	}
	for _, test := range []struct {
		parameter, argument paramKind
		want                bool
	}{
		{paramBits, paramInt, true}, {paramBits, paramFloat, true}, {paramBits, paramAddress, false},
		{paramInt, paramInt, true}, {paramInt, paramFloat, false}, {paramAddress, paramInt, false},
	} {
		if got := test.parameter.takes(test.argument); got != test.want {
			t.Errorf("%v takes %v: %v", test.parameter, test.argument, got)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 80 << 30: "80.0 GiB", math.MaxInt: "8.0 EiB"} {
		if got := size(bytes); got != want {
			t.Errorf("size(%d) = %s, want %s", bytes, got, want)
		}
	}
}

// BenchmarkLaunch times a launch on this side of the driver: the substitute
// looks at it and forgets it.
func BenchmarkLaunch(b *testing.B) {
	c := controlShim(b)
	d := openShim(b)
	c.Set("execute", 0)
	p, err := d.Alloc(4)
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Clear(p, 4); err != nil {
		b.Fatal(err)
	}
	n := int32(12345)
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Launch("axpy", Dim{X: 1}, Dim{X: 256}, p, float32(n), p, n); err != nil {
			b.Fatal(err)
		}
	}
}
