//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"modebench/policies/internal/device/cuda/ptxrun"
)

// kernelTests launch every kernel, at shapes that are small enough to interpret.
var kernelTests = []struct {
	name string
	test func(*testing.T)
}{
	{"embed rows", TestEmbedRows}, {"embed grad", TestEmbedGrad},
	{"layer norm", TestLayerNorm}, {"layer norm backward", TestLayerNormBackward},
	{"gelu", TestGelu}, {"add and axpy", TestAddAndAxpy},
	{"pick and spread rows", TestPickAndSpreadRows}, {"log softmax", TestLogSoftmax},
	{"reduce chunks", TestReduceChunks}, {"sum squares", TestSumSquares}, {"adamw", TestAdamW},
	{"matmul", TestMatMul}, {"vectors", TestMatMulVectors}, {"strides", TestMatMulStrides}, {"chunks", TestMatMulChunks},
	{"attention", TestAttentionSameBits}, {"decode", TestDecodeSameBits},
}

// A kernelCase is a launch that is kept, with the steps that the interpreter took for it.
type kernelCase struct {
	*recorded
	steps int
}

// A walk is what launches of a kernel have run.
type walk struct {
	ran, passed []bool // see ptxrun.Result
	cases       []kernelCase
	launches    int
	largest     int // of the cases' steps
}

// add keeps a launch that runs what none did before. It keeps some more for their numbers, if
// they are not very large: larger ones than were kept, and every so many, ever fewer.
func (w *walk) add(r *recorded, result ptxrun.Result) {
	if w.ran == nil {
		w.ran, w.passed = make([]bool, len(result.Ran)), make([]bool, len(result.Ran))
	}
	w.launches++
	news := result.Steps < 1<<20 && (result.Steps > 2*w.largest || w.launches&(w.launches-1) == 0)
	for i := range w.ran {
		news = news || result.Ran[i] && !w.ran[i] || result.Passed[i] && !w.passed[i]
		w.ran[i], w.passed[i] = w.ran[i] || result.Ran[i], w.passed[i] || result.Passed[i]
	}
	if news {
		w.cases, w.largest = append(w.cases, kernelCase{r, result.Steps}), max(w.largest, result.Steps)
	}
}

// walks are those of all kernels, once the kernels' tests have been interpreted.
var walks map[string]*walk

// interpret runs the kernels' tests on the PTX that is committed, twice over: as C++, which the
// tests hold to the reference, and launch by launch in the interpreter, which is held to the
// C++ and says what is wrong with races and memory.
func interpret(t *testing.T) map[string]*walk {
	if walks != nil {
		return walks
	}
	all := map[string]*walk{}
	programs, err := ptxrun.Read(string(ptx))
	if err != nil {
		t.Fatal(err)
	}
	record(t, func(r *recorded) {
		l := r.copies()
		result := programs[r.kernel].Run(l)
		what := fmt.Sprintf("%s, grid %v, block %v", r.kernel, l.Grid, l.Block)
		for _, finding := range result.Findings {
			t.Errorf("%s: kernels.ptx, %s", what, finding)
		}
		if where := otherBits(l.Memory, r.after); where != "" {
			t.Errorf("%s: interpreted, %s as in C++", what, where)
		}
		if all[r.kernel] == nil {
			all[r.kernel] = new(walk)
		}
		all[r.kernel].add(r, result)
	})
	shapes := attentionShapes
	defer func() { attentionShapes = shapes }()
	attentionShapes = append(shapes[:0:0], shapes[0], shapes[1], shapes[4], shapes[len(shapes)-1]) // the reference takes long
	for _, of := range kernelTests {
		t.Run(of.name, of.test)
	}
	if t.Failed() {
		t.FailNow()
	}
	walks = all
	return all
}

// longTest skips a test that takes long, or that runs tests itself, where it is not to run.
func longTest(t *testing.T) {
	t.Helper()
	aboutShim(t)
	if testing.Short() {
		t.Skip("runs the kernels' tests, which takes long")
	}
}

// TestInterpreted interprets the kernels that are committed.
func TestInterpreted(t *testing.T) {
	longTest(t)
	all := interpret(t)
	programs, err := ptxrun.Read(string(ptx))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		w := all[name]
		if w == nil {
			t.Errorf("no test in kernelTests launches the kernel %s: add one", name)
			continue
		}
		var missing []int
		for i, line := range programs[name].Lines() {
			if !w.ran[i] {
				missing = append(missing, line)
			}
		}
		// Not all can be run: of a loop that the compiler unrolled the rest may never be.
		if of := len(w.ran); 10*len(missing) > of {
			t.Errorf("%s: the kernels' tests do not run %d of %d instructions of kernels.ptx, on the lines %v", name, len(missing), of, missing)
		} else if len(missing) > 0 {
			t.Logf("%s: %d of %d instructions are not run, on the lines %v", name, len(missing), of, missing)
		}
	}
}

// otherBits says where memory is not what it is to be, "" where it is. Any NaN is as good as
// any other.
func otherBits(got []ptxrun.Block, want [][]byte) string {
	isNaN := func(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }
	for i, b := range got {
		for at := 0; at+4 <= len(b.Bytes); at += 4 {
			g, w := binary.LittleEndian.Uint32(b.Bytes[at:]), binary.LittleEndian.Uint32(want[i][at:])
			if g != w && !(isNaN(g) && isNaN(w)) {
				return fmt.Sprintf("byte %d of block %d of memory is %#x, not %#x", at, i, g, w)
			}
		}
	}
	return ""
}
