package cuda

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// DefaultLibrary is the library that an NVIDIA driver installs.
const DefaultLibrary = "libcuda.so.1"

type result int32

const (
	success       result = 0
	outOfMemory   result = 2
	noDevice      result = 100
	contextActive result = 708
	notSupported  result = 801
)

// isFault reports whether a result tells of a kernel that went wrong while it ran. The
// driver gives it from some later call, and then from all of them.
func (r result) isFault() bool {
	const uncorrectableMemory, outOfResources = 214, 701 // of the latter it never started
	return r == uncorrectableMemory || r >= 700 && r < 720 && r != outOfResources && r != contextActive
}

// A driver is a library with the functions of the CUDA driver API.
type driver struct {
	library   string
	version   int                // of CUDA that it supports: 12040 is 12.4
	functions map[string]uintptr // their addresses
	launch    uintptr            // that of cuLaunchKernel; these two are called most often
	context   uintptr            // that of cuCtxSetCurrent
}

// needed lists the driver's functions beside cuDriverGetVersion and cuDevicePrimaryCtxSetFlags_v2.
const needed = `cuInit cuGetErrorName cuGetErrorString
	cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2
	cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxSetCurrent
	cuModuleLoadDataEx cuModuleUnload cuModuleGetFunction
	cuMemAlloc_v2 cuMemFree_v2 cuMemGetInfo_v2 cuMemAllocHost_v2 cuMemFreeHost
	cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async
	cuStreamCreate cuStreamSynchronize cuStreamDestroy_v2 cuLaunchKernel`

// call calls a function: see call.
//
//go:uintptrescapes
func (a *driver) call(function string, args ...uintptr) result {
	return callWith(a.functions[function], args)
}

// try is call with an error.
//
//go:uintptrescapes
func (a *driver) try(function string, args ...uintptr) error {
	return a.err(function, callWith(a.functions[function], args))
}

// drivers holds the libraries that are open. They stay so: a driver has threads of
// its own, which must not lose their code.
var drivers = struct {
	sync.Mutex
	open    map[string]uintptr
	faults  map[cardKey]*cardFault
	modules map[moduleKey]*module // those that have been loaded, also if they are unused by now
}{open: map[string]uintptr{}, faults: map[cardKey]*cardFault{}, modules: map[moduleKey]*module{}}

type cardKey struct {
	library string
	ordinal int
}

// A cardFault is the first fault on a card since the process began: all devices that are open
// there share a context, which a fault ends for all of them. A new context does not help: by the
// driver's documentation the process has to be started again.
type cardFault struct{ first atomic.Pointer[error] }

// note keeps the error, and reports whether it is the first.
func (f *cardFault) note(err error) bool { return f.first.CompareAndSwap(nil, &err) }

// err is an error that names the first fault, for all but the device that saw it; nil without a
// fault.
func (f *cardFault) err(c card) error {
	first := f.first.Load()
	if first == nil {
		return nil
	}
	return fail(ErrLaunch, *first, "%s (cuda:%d) computes no more in this process, which has to be started again: %v", c.name, c.ordinal, *first)
}

func (a *driver) fault(ordinal int) *cardFault {
	drivers.Lock()
	defer drivers.Unlock()
	key := cardKey{a.library, ordinal}
	if drivers.faults[key] == nil {
		drivers.faults[key] = new(cardFault)
	}
	return drivers.faults[key]
}

// leastVersion is CUDA 10.0, whose drivers read PTX 6.3, the oldest version with the target sm_75.
const leastVersion = 10000

// openDriver opens the library, "" for DefaultLibrary, of a driver that can compile the kernels.
func openDriver(library string) (*driver, error) {
	if library == "" {
		library = DefaultLibrary
	}
	if !supported {
		_, err := openLibrary(library)
		return nil, fail(ErrBuild, err, "%v", err)
	}
	handle, err := openOnce(library)
	if err != nil {
		return nil, fail(ErrNoDriver, err, "cannot open the CUDA driver's library %s, which an NVIDIA driver installs: %s",
			library, oneLine(err.Error()))
	}
	a := &driver{library: library, functions: map[string]uintptr{}}
	if err := a.readVersion(handle); err != nil { // first: it explains what else is missing
		return nil, err
	}
	if err := a.find(handle); err != nil {
		return nil, err
	}
	switch r := a.call("cuInit", 0); r {
	case success:
		return a, nil
	case noDevice:
		return nil, errNoDevice(a.err("cuInit", r))
	default:
		err := a.err("cuInit", r)
		return nil, fail(ErrNoDriver, err, "the NVIDIA driver does not start: %v", err)
	}
}

func openOnce(library string) (handle uintptr, err error) {
	drivers.Lock()
	defer drivers.Unlock()
	handle, opened := drivers.open[library]
	if !opened {
		if handle, err = openLibrary(library); err == nil {
			drivers.open[library] = handle
		}
	}
	return handle, err
}

func (a *driver) readVersion(handle uintptr) error {
	getVersion, err := symbol(handle, "cuDriverGetVersion")
	if err != nil {
		return fail(ErrNoDriver, err, "%s has no function cuDriverGetVersion: it is not the library of an NVIDIA driver", a.library)
	}
	var version int32
	if r := call(getVersion, uintptr(unsafe.Pointer(&version))); r != success {
		return fail(ErrNoDriver, nil, "%s does not report the version of CUDA that it supports (cuDriverGetVersion: error %d): it is not the library of a working NVIDIA driver", a.library, r)
	}
	if a.version = int(version); a.version < leastVersion {
		return fail(ErrOldDriver, nil, "the NVIDIA driver supports CUDA %s, want %s or newer: update the driver",
			versionText(a.version), versionText(leastVersion))
	}
	return nil
}

func (a *driver) find(handle uintptr) error {
	for _, name := range strings.Fields(needed) {
		address, err := symbol(handle, name)
		if err != nil && name == "cuDevicePrimaryCtxRelease_v2" {
			address, err = symbol(handle, "cuDevicePrimaryCtxRelease") // of older drivers
		}
		if err != nil {
			return fail(ErrOldDriver, err, "%s has no function %s, although it supports CUDA %s: update the NVIDIA driver",
				a.library, name, versionText(a.version))
		}
		a.functions[name] = address
	}
	a.launch, a.context = a.functions["cuLaunchKernel"], a.functions["cuCtxSetCurrent"]
	// Drivers of 2020 or older lack this function, which is not needed: 0 then.
	a.functions[setFlags], _ = symbol(handle, setFlags)
	return nil
}

func errNoDevice(cause error) error {
	return fail(ErrNoDevice, cause, "the NVIDIA driver finds no CUDA device (the environment variable CUDA_VISIBLE_DEVICES may hide it)")
}

// versionText writes 12040 as 12.4.
func versionText(version int) string {
	return fmt.Sprintf("%d.%d", version/1000, version%1000/10)
}

// err makes an error of a function's result; nil for success.
func (a *driver) err(function string, r result) error {
	if r == success {
		return nil
	}
	e := &DriverError{Function: function, Code: int(r), Name: fmt.Sprintf("error %d", r), Text: "unknown to this driver"}
	if name := a.text("cuGetErrorName", r); name != "" {
		e.Name = name
	}
	if text := a.text("cuGetErrorString", r); text != "" {
		e.Text = oneLine(text)
	}
	return e
}

func (a *driver) text(function string, r result) string {
	var text *byte
	if a.call(function, uintptr(r), uintptr(unsafe.Pointer(&text))) != success || text == nil {
		return ""
	}
	const limit = 1000
	n := 0
	for n < limit && *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(text, n))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = oneLine(line); line != "" {
			return line
		}
	}
	return ""
}

type card struct {
	ordinal         int
	handle          int32
	name            string
	major, minor    int // compute capability
	multiprocessors int
	memory          int // bytes
}

func (a *driver) cards() (int, error) {
	var count int32
	r := a.call("cuDeviceGetCount", uintptr(unsafe.Pointer(&count)))
	if r == noDevice || r == success && count < 1 {
		return 0, errNoDevice(a.err("cuDeviceGetCount", r))
	}
	return int(count), a.err("cuDeviceGetCount", r)
}

func (a *driver) card(ordinal int) (card, error) {
	c := card{ordinal: ordinal}
	if err := a.try("cuDeviceGet", uintptr(unsafe.Pointer(&c.handle)), uintptr(ordinal)); err != nil {
		return c, err
	}
	var name [256]byte
	if err := a.try("cuDeviceGetName", uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)-1), uintptr(c.handle)); err != nil {
		return c, err
	}
	text, _, _ := bytes.Cut(name[:], []byte{0})
	c.name = oneLine(string(text))
	for attribute, to := range map[uintptr]*int{16: &c.multiprocessors, 75: &c.major, 76: &c.minor} { // of CUdevice_attribute
		var value int32
		if err := a.try("cuDeviceGetAttribute", uintptr(unsafe.Pointer(&value)), attribute, uintptr(c.handle)); err != nil {
			return c, err
		}
		*to = int(value)
	}
	var memory uint64
	err := a.try("cuDeviceTotalMem_v2", uintptr(unsafe.Pointer(&memory)), uintptr(c.handle))
	c.memory = int(memory)
	return c, err
}

// The oldest compute capability that the PTX runs on.
const leastMajor, leastMinor = 7, 5

func (c card) check() error {
	if c.major > leastMajor || c.major == leastMajor && c.minor >= leastMinor {
		return nil
	}
	return fail(ErrOldDevice, nil, "%s (cuda:%d) has compute capability %d.%d, want %d.%d or newer",
		c.name, c.ordinal, c.major, c.minor, leastMajor, leastMinor)
}

// Probe describes the devices in lines for people: one for each, with the reason if it cannot be
// used, or one line that explains why there is no device. library is the driver's, "" for
// DefaultLibrary. It opens no device.
func Probe(library string) []string {
	none := func(err error) []string { return []string{"no CUDA device: " + err.Error()} }
	a, err := openDriver(library)
	if err != nil {
		return none(err)
	}
	count, err := a.cards()
	if err != nil {
		return none(err)
	}
	var lines []string
	for ordinal := range count {
		c, err := a.card(ordinal)
		if err != nil {
			lines = append(lines, fmt.Sprintf("cuda:%d not usable: %v", ordinal, err))
			continue
		}
		line := fmt.Sprintf("cuda:%d %s, compute capability %d.%d, %d multiprocessors, %s, driver for CUDA %s",
			ordinal, c.name, c.major, c.minor, c.multiprocessors, size(c.memory), versionText(a.version))
		if c.check() != nil {
			line += fmt.Sprintf("; not usable: want compute capability %d.%d or newer", leastMajor, leastMinor)
		}
		lines = append(lines, line)
	}
	return lines
}
