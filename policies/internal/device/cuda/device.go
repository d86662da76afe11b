// Package cuda computes on an NVIDIA GPU, with the bits of package device's contract.
//
// It needs the NVIDIA driver and nothing else: no CUDA toolkit and no cgo. The
// kernels (kernels/*.cu) are compiled to PTX ahead of time and embedded; the driver,
// a shared library that is opened when a device is, compiles them for the card at
// hand. The same kernels run on the CPU in tests, behind a library in place of the driver (shim).
//
// To open libraries without cgo makes a program depend on the C library's loader, also where
// CGO_ENABLED=0 would have linked it statically. The build tag nocuda leaves this out.
package cuda

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"
)

// A Pointer is an address in a device's memory, in bytes; arithmetic is the
// caller's. Zero is no memory.
type Pointer uint64

// At is the address of float32 or int32 number i from p.
func (p Pointer) At(i int) Pointer { return p + Pointer(4*i) }

// A Dim is the size of a grid in blocks or of a block in threads. Zero fields count as 1.
type Dim struct{ X, Y, Z int }

func (d Dim) String() string {
	x, y, z := d.sizes()
	return fmt.Sprintf("%dx%dx%d", x, y, z)
}

func (d Dim) sizes() (x, y, z int) { return cmp.Or(d.X, 1), cmp.Or(d.Y, 1), cmp.Or(d.Z, 1) }

func (d Dim) fits() bool {
	x, y, z := d.sizes()
	return min(x, y, z) > 0 && max(x, y, z) <= math.MaxInt32
}

const maxParams = 32

// A Device is an opened card: a context, the compiled kernels, memory, and one stream,
// in which all that is launched, uploaded and downloaded happens in the order of the
// calls. Launch and Upload return before it has happened.
//
// Calls from several goroutines wait for each other, also for a call that waits for the card;
// workers that should overlap open the device once each (they share its memory and the compiled
// kernels).
//
// The driver keeps the current context per thread, and goroutines change threads: so each call
// stays on its thread (runtime.LockOSThread) from setting the context until it is done. That takes
// some tens of nanoseconds a call and asks nothing of the caller; a thread of its own for each
// Device would make each launch wait for a switch of threads, which takes microseconds.
type Device struct {
	driver *driver
	card   card

	mu         sync.Mutex
	opened     bool
	context    uintptr
	module     *module
	stream     uintptr
	kernels    map[string]*kernel
	signatures map[string]signature
	launch     *launchBuffer
	last       launched
	memory     memory
	staging    staging
	host       map[unsafe.Pointer]bool // memory of the host that is to be given back
	// misuse is an error of a call that returns none; the next wait reports it.
	misuse error
	// fault is the card's; sawFault is set if this device saw it.
	fault    *cardFault
	sawFault bool
}

type kernel struct {
	name     string
	function uintptr
	signature
	known bool // the signature is
}

// launchBuffer is where the driver finds the arguments of a launch: it is handed
// addresses, and copies what lies there. It is on the heap, where nothing moves, and
// spares launches allocations of their own.
type launchBuffer struct {
	values   [maxParams]uint64
	pointers [maxParams + 1]unsafe.Pointer // one nil after the last
	call     [11]uintptr                   // the arguments of cuLaunchKernel
	context  [1]uintptr                    // that of cuCtxSetCurrent
}

type launched struct {
	kernel      string
	grid, block Dim
}

// Open opens a device by its number, from 0. library is the driver's, "" for
// DefaultLibrary. The error names the part that is missing or too old (ErrUnavailable, ErrOrdinal,
// ErrKernels, ErrOutOfMemory or a *DriverError).
func Open(library string, ordinal int) (*Device, error) {
	return open(library, ordinal, ptx)
}

func open(library string, ordinal int, ptx []byte) (*Device, error) {
	a, err := openDriver(library)
	if err != nil {
		return nil, err
	}
	count, err := a.cards()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= count {
		have := "there is one, cuda:0"
		if count > 1 {
			have = fmt.Sprintf("there are %d, cuda:0 to cuda:%d", count, count-1)
		}
		return nil, fail(ErrOrdinal, nil, "no device cuda:%d: %s", ordinal, have)
	}
	c, err := a.card(ordinal)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	fault := a.fault(ordinal)
	if err := fault.err(c); err != nil {
		return nil, err
	}

	d := &Device{
		driver: a, card: c, opened: true, fault: fault,
		kernels: map[string]*kernel{}, signatures: signatures(ptx), launch: new(launchBuffer),
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.start(ptx); err != nil {
		_ = d.stop() // the first error is the one to tell
		return nil, err
	}
	return d, nil
}

// start makes what a Device holds of the driver; stop gives it back, also half of it.
func (d *Device) start(ptx []byte) error {
	context, function, r := d.driver.retain(d.card)
	if r == outOfMemory {
		return d.noMemory(function, 0)
	} else if r != success {
		return d.driver.err(function, r)
	}
	d.context = context
	if err := d.setContext(); err != nil {
		return err
	}
	var err error
	if d.module, err = d.driver.module(ptx, d.card); err != nil {
		return err
	}
	const nonBlocking = 1 // not ordered with the work of others in the same context
	return d.driver.try("cuStreamCreate", uintptr(unsafe.Pointer(&d.stream)), nonBlocking)
}

// stop returns the first error and goes on after it: a context in which a kernel went
// wrong answers every call with the same error until it is released.
func (d *Device) stop() error {
	if d.context == 0 {
		return nil
	}
	first := d.setContext()
	note := func(function string, argument uintptr) {
		if err := d.try(function, argument); first == nil {
			first = err
		}
	}
	if d.stream != 0 {
		note("cuStreamSynchronize", d.stream)
		note("cuStreamDestroy_v2", d.stream)
	}
	d.memory.close(note)
	if d.staging.memory != nil {
		note("cuMemFreeHost", uintptr(d.staging.memory))
	}
	for memory := range d.host {
		note("cuMemFreeHost", uintptr(memory))
	}
	d.host, d.staging = nil, staging{}
	if d.module != nil {
		if err := d.err("cuModuleUnload", d.module.leave(d.driver)); first == nil {
			first = err
		}
	}
	note("cuCtxSetCurrent", 0)
	note("cuDevicePrimaryCtxRelease_v2", uintptr(d.card.handle))
	d.context, d.stream, d.module = 0, 0, nil
	return first
}

// Close waits for the launched kernels and gives everything back, memory included. It reports the
// first error since the last wait. A second Close does nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.opened {
		return nil
	}
	d.opened = false
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := d.stop()
	if err == nil {
		err = d.misuse
	}
	return err
}

// do makes a call while the device is this goroutine's and the context this thread's.
func (d *Device) do(call func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !d.opened {
		return fail(ErrClosed, nil, "%s (cuda:%d) was closed", d.card.name, d.card.ordinal)
	}
	if !d.sawFault {
		if err := d.fault.err(d.card); err != nil {
			return err
		}
	}
	if err := d.setContext(); err != nil {
		return err
	}
	return call()
}

// try calls a function of the driver.
//
//go:uintptrescapes
func (d *Device) try(function string, args ...uintptr) error {
	return d.err(function, callWith(d.driver.functions[function], args))
}

func (d *Device) setContext() error {
	d.launch.context[0] = d.context
	return d.err("cuCtxSetCurrent", callWith(d.driver.context, d.launch.context[:]))
}

// err makes an error of a function's result. For a fault, which may be that of any kernel since the
// last wait, it names the last kernel. The kernel may also be another device's on the card; the
// first device to see the fault keeps its error for all of them.
func (d *Device) err(function string, r result) error {
	if r == success {
		return nil
	}
	err := d.driver.err(function, r)
	if !r.isFault() {
		return err
	}
	if d.last.kernel != "" {
		err = fail(ErrLaunch, err, "a kernel failed on %s: %v; the last one started in this stream was %s (grid %v, block %v); with CUDA_LAUNCH_BLOCKING=1 in the environment it is the one at fault",
			d.card.name, err, d.last.kernel, d.last.grid, d.last.block)
	}
	if !d.sawFault && !d.fault.note(err) {
		return d.fault.err(d.card)
	}
	d.sawFault = true
	return err
}

// Name is the card's.
func (d *Device) Name() string { return d.card.name }

// Multiprocessors is the number of the card's multiprocessors.
func (d *Device) Multiprocessors() int { return d.card.multiprocessors }

// Launch starts a kernel. args are its parameters: Pointer or uint64 for an address, int32 for an
// int, float32 for a float. An error of the arguments, or one with which the driver refuses to
// start it, is returned at once; an error while it runs, by a later call (ErrLaunch).
func (d *Device) Launch(kernel string, grid, block Dim, args ...any) error {
	return d.do(func() error { return d.launchKernel(kernel, grid, block, args) })
}

func (d *Device) launchKernel(name string, grid, block Dim, args []any) error {
	k, err := d.find(name)
	if err == nil {
		err = k.check(grid, block, len(args))
	}
	if err == nil {
		err = d.launch.put(k, args)
	}
	if err != nil {
		return err
	}
	d.last = launched{name, grid, block}
	gridX, gridY, gridZ := grid.sizes()
	blockX, blockY, blockZ := block.sizes()
	const sharedBytes = 0 // beyond what kernels declare
	l := d.launch
	l.call = [...]uintptr{k.function, uintptr(gridX), uintptr(gridY), uintptr(gridZ), uintptr(blockX), uintptr(blockY), uintptr(blockZ),
		sharedBytes, d.stream, uintptr(unsafe.Pointer(&l.pointers[0])), 0}
	r := callWith(d.driver.launch, l.call[:])
	if r == success || r.isFault() {
		return d.err("cuLaunchKernel", r)
	}
	err = d.driver.err("cuLaunchKernel", r)
	return fail(ErrLaunch, err, "kernel %s does not start on %s with grid %v, block %v: %v", name, d.card.name, grid, block, err)
}

func (k *kernel) check(grid, block Dim, args int) error {
	x, y, z := block.sizes()
	switch {
	case !grid.fits() || !block.fits():
		return fail(ErrArgument, nil, "kernel %s: grid %v, block %v: want sizes from 1 to %d", k.name, grid, block, math.MaxInt32)
	case k.known && args != len(k.params):
		return fail(ErrArgument, nil, "kernel %s: %d arguments, want %d, as in the PTX (if the kernel has changed, go generate)", k.name, args, len(k.params))
	case args > maxParams:
		return fail(ErrArgument, nil, "kernel %s: %d arguments, want at most %d", k.name, args, maxParams)
	case k.threads > 0 && (max(x, y, z) > k.threads || x*y*z > k.threads):
		return fail(ErrArgument, nil, "kernel %s: block %v, want at most %d threads, as it was compiled for", k.name, block, k.threads)
	}
	return nil
}

func (l *launchBuffer) put(k *kernel, args []any) error {
	for i, arg := range args {
		var kind paramKind
		switch v := arg.(type) {
		case Pointer:
			kind, l.values[i] = paramAddress, uint64(v)
		case uint64:
			kind, l.values[i] = paramAddress, v
		case int32:
			kind, l.values[i] = paramInt, uint64(uint32(v))
		case float32:
			kind, l.values[i] = paramFloat, uint64(math.Float32bits(v))
		default:
			return fail(ErrArgument, nil, "kernel %s: argument %d has a wrong type, want Pointer, uint64, int32 or float32", k.name, i)
		}
		if k.known && !k.params[i].takes(kind) {
			return fail(ErrArgument, nil, "kernel %s: argument %d is %v, want %v, as in the PTX (if the kernel has changed, go generate)", k.name, i, kind, k.params[i])
		}
		l.pointers[i] = unsafe.Pointer(&l.values[i])
	}
	l.pointers[len(args)] = nil
	return nil
}

func (d *Device) find(name string) (*kernel, error) {
	if k := d.kernels[name]; k != nil {
		return k, nil
	}
	text := append([]byte(name), 0)
	k := &kernel{name: name}
	if err := d.try("cuModuleGetFunction", uintptr(unsafe.Pointer(&k.function)), d.module.handle, uintptr(unsafe.Pointer(&text[0]))); err != nil {
		return nil, fail(ErrKernels, err, "no kernel %q among the compiled ones (go generate compiles them): %v", name, err)
	}
	k.signature, k.known = d.signatures[name]
	d.kernels[name] = k
	return k, nil
}

// Synchronize waits until all that was started has happened, and reports what went wrong.
func (d *Device) Synchronize() error { return d.do(d.wait) }

func (d *Device) wait() error {
	if err := d.try("cuStreamSynchronize", d.stream); err != nil {
		return err
	}
	d.staging.used = 0
	err := d.misuse
	d.misuse = nil
	return err
}
