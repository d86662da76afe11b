//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"modebench/policies/internal/device/cuda/cudatest"
	"modebench/policies/internal/device/cuda/ptxrun"
)

// told is what shim/record.cc tells of a launch.
type told struct {
	kernel      *byte
	grid, block [3]int32
	paramCount  uint64
	params      *uint64
	blockCount  uint64
	blocks      *toldBlock
}

type toldBlock struct {
	data *byte
	size uint64
}

// A recorded launch is that of a kernel, with memory as it was before and is after.
type recorded struct {
	kernel string
	ptxrun.Launch
	after [][]byte
}

// copies gives the launch with memory of its own, as it was before.
func (r *recorded) copies() ptxrun.Launch {
	l := r.Launch
	l.Memory = slices.Clone(l.Memory)
	for i := range l.Memory {
		l.Memory[i].Bytes = slices.Clone(l.Memory[i].Bytes)
	}
	return l
}

// record has tests run on a library that tells of each launch, until the test is over. take gets
// each when it has run.
func record(t *testing.T, take func(*recorded)) {
	t.Helper()
	path := cudatest.Recording(t)
	library, err := openLibrary(path)
	if err != nil {
		t.Fatal(err)
	}
	tell, err := symbol(library, "shim_tell")
	if err != nil {
		t.Fatal(err)
	}
	var last *recorded
	var blocks []toldBlock
	before := func(of *told) uintptr {
		name := string(unsafe.Slice(of.kernel, slices.Index(unsafe.Slice(of.kernel, 256), 0)))
		l := &recorded{kernel: name}
		for axis := range 3 {
			l.Grid[axis], l.Block[axis] = int(of.grid[axis]), int(of.block[axis])
		}
		l.Params = slices.Clone(unsafe.Slice(of.params, of.paramCount))
		blocks = slices.Clone(unsafe.Slice(of.blocks, of.blockCount))
		for _, b := range blocks {
			l.Memory = append(l.Memory, ptxrun.Block{
				Address: uint64(uintptr(unsafe.Pointer(b.data))), Bytes: slices.Clone(unsafe.Slice(b.data, b.size)),
			})
		}
		last = l
		return 1
	}
	after := func() {
		for _, b := range blocks {
			last.after = append(last.after, slices.Clone(unsafe.Slice(b.data, b.size)))
		}
		take(last)
	}
	call(tell, purego.NewCallback(before), purego.NewCallback(after))
	t.Cleanup(func() { call(tell, 0, 0) })
	cudatest.Instead(t, path)
}
