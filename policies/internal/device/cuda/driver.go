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

// result is a CUresult.
type result int32

const (
	success      result = 0
	outOfMemory  result = 2
	noDevice     result = 100
	notSupported result = 801

	contextActive result = 708
)

// isFault reports whether a result tells of a kernel that went wrong while it ran. The
// driver gives it from some later call, and then from all of them.
func (r result) isFault() bool {
	const uncorrectableMemory, outOfResources = 214, 701 // of the latter it never started
	return r == uncorrectableMemory || r >= 700 && r < 720 && r != outOfResources && r != contextActive
}

// Device attributes (CUdevice_attribute) and options of the driver's compiler
// (CUjit_option).
const (
	attributeMultiprocessors = 16
	attributeMajor           = 75
	attributeMinor           = 76

	optionErrorLog     = 5
	optionErrorLogSize = 6
)

// A driver is a library with the functions of the CUDA driver API, by address.
type driver struct {
	library string
	version int // of CUDA that it supports: 12040 is 12.4

	getVersion, init, deviceCount, deviceGet, deviceName, deviceAttribute, deviceMemory uintptr
	contextFlags, contextRetain, contextRelease, contextSet                             uintptr
	moduleLoad, moduleUnload, moduleFunction                                            uintptr
	alloc, free, memoryInfo, hostAlloc, hostFree                                        uintptr
	copyIn, copyOut, copyWithin, fill                                                   uintptr
	streamCreate, streamWait, streamDestroy                                             uintptr
	launch, errorName, errorText                                                        uintptr
}

// functions lists the driver's functions but getVersion, and where their addresses go.
// Of two names the second is the older one.
func (a *driver) functions() []function {
	return []function{
		{"cuInit", &a.init},
		{"cuGetErrorName", &a.errorName},
		{"cuGetErrorString", &a.errorText},
		{"cuDeviceGetCount", &a.deviceCount},
		{"cuDeviceGet", &a.deviceGet},
		{"cuDeviceGetName", &a.deviceName},
		{"cuDeviceGetAttribute", &a.deviceAttribute},
		{"cuDeviceTotalMem_v2", &a.deviceMemory},
		{"cuDevicePrimaryCtxRetain", &a.contextRetain},
		{"cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease", &a.contextRelease},
		{"cuCtxSetCurrent", &a.contextSet},
		{"cuModuleLoadDataEx", &a.moduleLoad},
		{"cuModuleUnload", &a.moduleUnload},
		{"cuModuleGetFunction", &a.moduleFunction},
		{"cuMemAlloc_v2", &a.alloc},
		{"cuMemFree_v2", &a.free},
		{"cuMemGetInfo_v2", &a.memoryInfo},
		{"cuMemAllocHost_v2", &a.hostAlloc},
		{"cuMemFreeHost", &a.hostFree},
		{"cuMemcpyHtoDAsync_v2", &a.copyIn},
		{"cuMemcpyDtoHAsync_v2", &a.copyOut},
		{"cuMemcpyDtoDAsync_v2", &a.copyWithin},
		{"cuMemsetD8Async", &a.fill},
		{"cuStreamCreate", &a.streamCreate},
		{"cuStreamSynchronize", &a.streamWait},
		{"cuStreamDestroy_v2", &a.streamDestroy},
		{"cuLaunchKernel", &a.launch},
	}
}

type function struct {
	names   string
	address *uintptr
}

// drivers holds the libraries that are open. They stay so: a driver has threads of
// its own, which must not lose their code.
var drivers struct {
	sync.Mutex
	open   map[string]uintptr
	faults map[cardKey]*cardFault
	// modules are those that have been loaded, also if they are unused by now.
	modules map[moduleKey]*module
}

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

// fault is the fault of a card.
func (a *driver) fault(ordinal int) *cardFault {
	drivers.Lock()
	defer drivers.Unlock()
	key := cardKey{a.library, ordinal}
	if drivers.faults[key] == nil {
		if drivers.faults == nil {
			drivers.faults = map[cardKey]*cardFault{}
		}
		drivers.faults[key] = new(cardFault)
	}
	return drivers.faults[key]
}

// leastVersion is the oldest version of CUDA whose driver reads PTX 6.3, the oldest version of
// PTX that has the target sm_75: 10.0.
const leastVersion = 10000

// openDriver opens the library, "" for DefaultLibrary, and checks that it is a driver
// that can compile the kernels.
func openDriver(library string) (*driver, error) {
	if library == "" {
		library = DefaultLibrary
	}
	if !supported {
		_, err := openLibrary(library)
		return nil, fail(ErrBuild, err, "%v", err)
	}
	drivers.Lock()
	defer drivers.Unlock()
	handle, opened := drivers.open[library]
	if !opened {
		var err error
		if handle, err = openLibrary(library); err != nil {
			return nil, fail(ErrNoDriver, err, "cannot open the CUDA driver's library %s, which an NVIDIA driver installs: %s",
				library, oneLine(err.Error()))
		}
		if drivers.open == nil {
			drivers.open = map[string]uintptr{}
		}
		drivers.open[library] = handle
	}

	a := &driver{library: library}
	// The version first: it explains what else is missing.
	var err error
	if a.getVersion, err = symbol(handle, "cuDriverGetVersion"); err != nil {
		return nil, fail(ErrNoDriver, err, "%s has no function cuDriverGetVersion: it is not the library of an NVIDIA driver", library)
	}
	var version int32
	if r := call(a.getVersion, uintptr(unsafe.Pointer(&version))); r != success {
		return nil, fail(ErrNoDriver, nil, "%s does not report the version of CUDA that it supports (cuDriverGetVersion: error %d): it is not the library of a working NVIDIA driver", library, r)
	}
	a.version = int(version)
	if a.version < leastVersion {
		return nil, fail(ErrOldDriver, nil, "the NVIDIA driver supports CUDA %s, want %s or newer: update the driver",
			versionText(a.version), versionText(leastVersion))
	}
	for _, f := range a.functions() {
		first, second, _ := strings.Cut(f.names, " ")
		*f.address, err = symbol(handle, first)
		if err != nil && second != "" {
			*f.address, err = symbol(handle, second)
		}
		if err != nil {
			return nil, fail(ErrOldDriver, err, "%s has no function %s, although it supports CUDA %s: update the NVIDIA driver",
				library, first, versionText(a.version))
		}
	}
	// Drivers of 2020 or older lack this function, which is not needed: 0 then.
	a.contextFlags, _ = symbol(handle, "cuDevicePrimaryCtxSetFlags_v2")
	switch r := call(a.init, 0); r {
	case success:
		return a, nil
	case noDevice:
		return nil, errNoDevice(a.err("cuInit", r))
	default:
		err := a.err("cuInit", r)
		return nil, fail(ErrNoDriver, err, "the NVIDIA driver does not start: %v", err)
	}
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
	if name := a.text(a.errorName, r); name != "" {
		e.Name = name
	}
	if text := a.text(a.errorText, r); text != "" {
		e.Text = oneLine(text)
	}
	return e
}

// text asks the driver for one of its texts about a result; "" without one.
func (a *driver) text(function uintptr, r result) string {
	var text *byte
	if call(function, uintptr(r), uintptr(unsafe.Pointer(&text))) != success || text == nil {
		return ""
	}
	const limit = 1000
	n := 0
	for n < limit && *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(text, n))
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstLine is the first line of a text that is not empty.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = oneLine(line); line != "" {
			return line
		}
	}
	return ""
}

// card describes a device, as the driver reports it.
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
	r := call(a.deviceCount, uintptr(unsafe.Pointer(&count)))
	if r == noDevice || r == success && count < 1 {
		return 0, errNoDevice(a.err("cuDeviceGetCount", r))
	}
	return int(count), a.err("cuDeviceGetCount", r)
}

func (a *driver) card(ordinal int) (card, error) {
	c := card{ordinal: ordinal}
	if r := call(a.deviceGet, uintptr(unsafe.Pointer(&c.handle)), uintptr(ordinal)); r != success {
		return c, a.err("cuDeviceGet", r)
	}
	var name [256]byte
	if r := call(a.deviceName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)-1), uintptr(c.handle)); r != success {
		return c, a.err("cuDeviceGetName", r)
	}
	text, _, _ := bytes.Cut(name[:], []byte{0})
	c.name = oneLine(string(text))
	for _, attribute := range []struct {
		number uintptr
		value  *int
	}{{attributeMajor, &c.major}, {attributeMinor, &c.minor}, {attributeMultiprocessors, &c.multiprocessors}} {
		var value int32
		if r := call(a.deviceAttribute, uintptr(unsafe.Pointer(&value)), attribute.number, uintptr(c.handle)); r != success {
			return c, a.err("cuDeviceGetAttribute", r)
		}
		*attribute.value = int(value)
	}
	var memory uint64
	if r := call(a.deviceMemory, uintptr(unsafe.Pointer(&memory)), uintptr(c.handle)); r != success {
		return c, a.err("cuDeviceTotalMem_v2", r)
	}
	c.memory = int(memory)
	return c, nil
}

// The oldest compute capability that the PTX runs on.
const leastMajor, leastMinor = 7, 5

// check returns the first fault of the card, or nil.
func (c card) check() error {
	if c.major > leastMajor || c.major == leastMajor && c.minor >= leastMinor {
		return nil
	}
	return fail(ErrOldDevice, nil, "%s (cuda:%d) has compute capability %d.%d, want %d.%d or newer",
		c.name, c.ordinal, c.major, c.minor, leastMajor, leastMinor)
}
