package cuda

import (
	"cmp"
	"math/bits"
	"runtime"
	"unsafe"
)

// memory is a pool: blocks that are freed are kept by their size and given out again,
// since to get memory from the driver takes as long as hundreds of launches, and to
// give it back waits for the card. A block may be given out while kernels still run on its earlier
// content: its new owner's work comes later in the same stream.
//
// Sizes are rounded up to four steps between two powers of two, so that at most a
// fifth of a block is left over and there are few sizes. If the driver has no more, the unused
// blocks are given back to it first.
type memory struct {
	direct bool // see Device.Direct
	sizes  map[Pointer]int
	unused map[int][]Pointer
}

const smallest = 256 // bytes; the driver aligns blocks to as many

const maxBytes = 1 << (bits.UintSize - 4)

func class(bytes int) int {
	if bytes <= smallest {
		return smallest
	}
	// (4 to 7) * step covers one power of two.
	step := 1 << max(bits.Len(uint(bytes-1))-3, 6)
	return (bytes + step - 1) / step * step
}

// Alloc gives memory of that many bytes, 0 or more, aligned to 256; its content is undefined. The
// caller frees it, or Close does. If memory runs out, the error is an *OutOfMemoryError.
func (d *Device) Alloc(bytes int) (p Pointer, err error) {
	err = d.do(func() (err error) {
		p, err = d.alloc(bytes)
		return err
	})
	return p, err
}

func (d *Device) alloc(bytes int) (p Pointer, err error) {
	if bytes < 0 || bytes > maxBytes {
		return 0, fail(ErrArgument, nil, "memory of %d bytes, want 0 to %d", bytes, maxBytes)
	}
	m := &d.memory
	wanted := class(bytes)
	if m.direct {
		wanted = max(bytes, 1)
	}
	if same := m.unused[wanted]; len(same) > 0 {
		p = same[len(same)-1]
		m.unused[wanted] = same[:len(same)-1]
		m.sizes[p] = wanted
		return p, nil
	}
	r := d.driver.call("cuMemAlloc_v2", uintptr(unsafe.Pointer(&p)), uintptr(wanted))
	if r == outOfMemory {
		if err := d.giveBack(); err != nil {
			return 0, err
		}
		r = d.driver.call("cuMemAlloc_v2", uintptr(unsafe.Pointer(&p)), uintptr(wanted))
	}
	if r == outOfMemory {
		return 0, d.noMemory("cuMemAlloc_v2", bytes)
	}
	if r != success {
		return 0, d.err("cuMemAlloc_v2", r)
	}
	if m.sizes == nil {
		m.sizes, m.unused = map[Pointer]int{}, map[int][]Pointer{}
	}
	m.sizes[p] = wanted
	return p, nil
}

func (d *Device) noMemory(function string, asked int) error {
	e := &OutOfMemoryError{Device: d.card.name, Asked: asked, cause: d.driver.err(function, outOfMemory)}
	var free, total uint64
	if d.driver.call("cuMemGetInfo_v2", uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))) == success {
		e.Free, e.Total = int(free), int(total)
	}
	return e
}

// Free gives memory back; zero is nothing. Kernels started before may still use it. An address that
// Alloc did not give, or that is free already, is reported by the next call that waits.
func (d *Device) Free(p Pointer) {
	if p == 0 {
		return
	}
	_ = d.do(func() error { // after an error Close frees, or has freed, everything
		m := &d.memory
		bytes, given := m.sizes[p]
		delete(m.sizes, p)
		switch {
		case !given:
			d.blame(fail(ErrArgument, nil, "Free of address %#x, which is not in use", uint64(p)))
		case m.direct:
			d.blame(d.try("cuMemFree_v2", uintptr(p)))
		default:
			m.unused[bytes] = append(m.unused[bytes], p)
		}
		return nil
	})
}

func (d *Device) blame(err error) {
	d.misuse = cmp.Or(d.misuse, err)
}

// Direct has Alloc and Free go to the driver with the very sizes that they are given,
// instead of to the pool. That is slow; it is for tools that watch the ends of blocks and unwritten
// memory, as compute-sanitizer does.
func (d *Device) Direct(enabled bool) error {
	return d.do(func() error {
		d.memory.direct = enabled
		return d.giveBack()
	})
}

// Trim gives the driver back what is not in use, for others to have: each Device has a
// pool of its own. It waits for the card.
func (d *Device) Trim() error { return d.do(d.giveBack) }

// giveBack hands unused blocks to the driver, when nothing that was started uses them any more.
func (d *Device) giveBack() error {
	if len(d.memory.unused) == 0 {
		return nil
	}
	first := d.wait()
	for size, blocks := range d.memory.unused {
		for _, p := range blocks {
			if err := d.try("cuMemFree_v2", uintptr(p)); first == nil {
				first = err
			}
		}
		delete(d.memory.unused, size)
	}
	return first
}

func (m *memory) close(note func(function string, argument uintptr)) {
	for _, blocks := range m.unused {
		for _, p := range blocks {
			note("cuMemFree_v2", uintptr(p))
		}
	}
	for p := range m.sizes {
		note("cuMemFree_v2", uintptr(p))
	}
	*m = memory{}
}

// staging is memory of the host that the card reads by itself, where uploads go first:
// so they need not wait for the card, and the caller's slice is the caller's again at
// once. It fills up from its beginning until something waits for the card.
type staging struct {
	memory unsafe.Pointer
	used   int // bytes that may not have been read yet
}

// stagingSize is some uploads of a training step's tokens, or a part of its weights.
const stagingSize = 4 << 20

// Upload copies to the device. It may return before that has happened; src is the
// caller's again. The len(src) numbers from dst must lie within memory from Alloc.
func (d *Device) Upload(dst Pointer, src []float32) error {
	return d.do(func() (err error) {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), 4*len(src))
		s := &d.staging
		if s.memory == nil {
			s.memory, err = d.hostAlloc(stagingSize)
		}
		for err == nil && len(bytes) > 0 {
			if s.used == stagingSize {
				if err := d.wait(); err != nil {
					return err
				}
			}
			place := unsafe.Add(s.memory, s.used)
			n := copy(unsafe.Slice((*byte)(place), stagingSize-s.used), bytes)
			err = d.try("cuMemcpyHtoDAsync_v2", uintptr(dst), uintptr(place), uintptr(n), d.stream)
			s.used += n
			dst, bytes = dst+Pointer(n), bytes[n:]
		}
		return err
	})
}

func (d *Device) hostAlloc(bytes int) (memory unsafe.Pointer, err error) {
	r := d.driver.call("cuMemAllocHost_v2", uintptr(unsafe.Pointer(&memory)), uintptr(bytes))
	if r == outOfMemory {
		return nil, d.noMemory("cuMemAllocHost_v2", bytes)
	}
	return memory, d.err("cuMemAllocHost_v2", r)
}

// Host is memory of the host that the card reads and writes by itself: the same bytes, seen as
// floats and as ints.
type Host struct {
	Floats []float32
	Ints   []int32
}

// Host gives such memory for n numbers. Download fills it at the full rate, and UploadHost
// needs no copy of its own. Whoever has it gives it back by FreeHost, or Close does; it must
// not be touched after that.
func (d *Device) Host(n int) (h Host, err error) {
	err = d.do(func() error {
		if n <= 0 {
			return nil
		}
		memory, err := d.hostAlloc(4 * n)
		if err != nil {
			return err
		}
		if d.host == nil {
			d.host = map[unsafe.Pointer]bool{}
		}
		d.host[memory] = true
		h = Host{unsafe.Slice((*float32)(memory), n), unsafe.Slice((*int32)(memory), n)}
		return nil
	})
	return h, err
}

// FreeHost gives back what Host gave, once the card is done with it. The zero Host is nothing.
func (d *Device) FreeHost(h Host) {
	memory := unsafe.Pointer(unsafe.SliceData(h.Floats))
	_ = d.do(func() error { // after an error Close frees, or has freed, everything
		if d.host[memory] {
			d.blame(d.wait())
			delete(d.host, memory)
			d.blame(d.try("cuMemFreeHost", uintptr(memory)))
		}
		return nil
	})
}

// UploadHost copies the first n numbers of memory from Host to the device. They are not to be
// written to before something has waited for the card.
func (d *Device) UploadHost(dst Pointer, src Host, n int) error {
	if n < 0 || n > len(src.Floats) {
		return fail(ErrArgument, nil, "upload of %d numbers of %d", n, len(src.Floats))
	}
	return d.onBytes("upload", 4*n, func() error {
		return d.try("cuMemcpyHtoDAsync_v2", uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(src.Floats))), uintptr(4*n), d.stream)
	})
}

// Download copies from the device and waits for it, and so for all that was started before.
func (d *Device) Download(dst []float32, src Pointer) error {
	return d.do(func() (err error) {
		if len(dst) > 0 {
			to := unsafe.Pointer(unsafe.SliceData(dst))
			err = d.try("cuMemcpyDtoHAsync_v2", uintptr(to), uintptr(src), uintptr(4*len(dst)), d.stream)
		}
		err = cmp.Or(err, d.wait())
		runtime.KeepAlive(dst) // the driver may write until now
		return err
	})
}

// Copy copies that many bytes within the device. The two must not overlap.
func (d *Device) Copy(dst, src Pointer, bytes int) error {
	return d.onBytes("copy", bytes, func() error {
		return d.try("cuMemcpyDtoDAsync_v2", uintptr(dst), uintptr(src), uintptr(bytes), d.stream)
	})
}

// Clear sets that many bytes to zero.
func (d *Device) Clear(dst Pointer, bytes int) error {
	return d.onBytes("clearing", bytes, func() error {
		return d.try("cuMemsetD8Async", uintptr(dst), 0, uintptr(bytes), d.stream)
	})
}

// onBytes makes a call about 1 byte or more.
func (d *Device) onBytes(name string, bytes int, call func() error) error {
	return d.do(func() error {
		switch {
		case bytes < 0:
			return fail(ErrArgument, nil, "%s of %d bytes, want 0 or more", name, bytes)
		case bytes == 0:
			return nil
		}
		return call()
	})
}
