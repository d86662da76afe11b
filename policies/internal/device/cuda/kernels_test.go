package cuda

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cpu"
	"modebench/policies/internal/device/devicetest"
)

// reference gives the kernels that define the bits.
func reference(t testing.TB) device.Kernels {
	t.Helper()
	k, err := cpu.New("reference")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var sameBits = devicetest.SameBits

// normal gives n normal draws.
func normal(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	devicetest.FillNormal(s, r)
	return s
}

// nasty gives n draws of which many are extreme.
func nasty(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	devicetest.FillNasty(s, r)
	return s
}

// A bench holds a kernel against the reference.
type bench struct {
	testing.TB
	dev  *Device
	k    device.Kernels
	rand *rand.Rand
	draw func(r *rand.Rand, n int) []float32
}

// forDraws runs a test with ordinary numbers and with extreme ones.
func forDraws(t *testing.T, test func(b bench)) {
	dev := openShim(t)
	for _, kind := range []struct {
		name string
		draw func(r *rand.Rand, n int) []float32
	}{{"ordinary", normal}, {"extreme", nasty}} {
		t.Run(kind.name, func(t *testing.T) {
			test(bench{t, dev, reference(t), rand.New(rand.NewPCG(1, 2)), kind.draw})
		})
	}
}

// draws makes operands of these sizes.
func (b bench) draws(sizes ...int) [][]float32 {
	var all [][]float32
	for _, n := range sizes {
		all = append(all, b.draw(b.rand, n))
	}
	return all
}

// must fails the test at an error.
func (b bench) must(what string, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}

// floats puts numbers on the device until the test is over.
func (b bench) floats(s []float32) Pointer {
	b.Helper()
	p := b.room(len(s))
	b.must("upload", b.dev.Upload(p, s))
	return p
}

// asFloats gives the same bytes as floats.
func asFloats(ints []int32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(ints))), len(ints))
}

// ints puts integers on the device until the test is over.
func (b bench) ints(s []int32) Pointer {
	b.Helper()
	p := b.room(len(s))
	b.must("upload", b.dev.Upload(p, asFloats(s)))
	return p
}

// A deal is rows dealt to cells, of which some may have no rows: cell c's are those from
// bounds[c] on, and its parameters begin at number at[c]. The last cell's come first.
type deal struct {
	cells, most     int // the most rows of a cell
	bounds          []int32
	at              []int
	starts, offsets Pointer // bounds and at, on the device
}

// deal deals rows to n cells, whose parameters lie apart by a distance.
func (b bench) deal(rows, cells, apart int) deal {
	b.Helper()
	d := deal{cells: cells, bounds: cut(b.rand, rows, cells)}
	var words []int32 // the offsets, in 64 bits each
	for c := range cells {
		d.most = max(d.most, int(d.bounds[c+1]-d.bounds[c]))
		d.at = append(d.at, (cells-1-c)*apart)
		words = append(words, int32(d.at[c]), 0)
	}
	d.starts, d.offsets = b.ints(d.bounds), b.ints(words)
	return d
}

// each calls do with each cell's rows, lo to hi-1, and where its parameters begin.
func (d deal) each(do func(lo, hi, at int)) {
	for c, at := range d.at {
		do(int(d.bounds[c]), int(d.bounds[c+1]), at)
	}
}

func (b bench) room(n int) Pointer {
	b.Helper()
	p, err := b.dev.Alloc(4 * max(n, 1))
	b.must("alloc", err)
	b.Cleanup(func() { b.dev.Free(p) })
	return p
}

// compare runs a kernel on operands and the reference on copies of them, and holds all
// operands to each other afterwards, those too that are only read.
func (b bench) compare(what string, operands [][]float32, kernel func(p []Pointer) error, want func(s [][]float32)) {
	b.Helper()
	var pointers []Pointer
	for _, s := range operands {
		p, err := b.dev.Alloc(4 * max(len(s), 1))
		b.must(what, err)
		b.must(what, b.dev.Upload(p, s))
		pointers = append(pointers, p)
	}
	b.must(what, kernel(pointers))
	b.must(what, b.dev.Synchronize())
	copies := make([][]float32, len(operands))
	for i, s := range operands {
		copies[i] = slices.Clone(s)
	}
	want(copies)
	for i, p := range pointers {
		got := make([]float32, len(operands[i]))
		b.must(what, b.dev.Download(got, p))
		b.dev.Free(p)
		sameBits(b, fmt.Sprintf("%s, operand %d", what, i), got, copies[i])
	}
	b.must(what, b.dev.Synchronize())
}

// grids are those that a kernel for any grid is run on: one warp that does all, some, more
// than there is work for.
var grids = []struct{ blocks, threads int }{{1, 32}, {3, 64}, {5, 256}}

// onGrids compares a kernel for any grid on each of them.
func (b bench) onGrids(what string, operands [][]float32, kernel func(p []Pointer, grid, block Dim) error, want func(s [][]float32)) {
	b.Helper()
	for _, g := range grids {
		b.compare(fmt.Sprintf("%s, %d blocks of %d threads", what, g.blocks, g.threads), operands,
			func(p []Pointer) error { return kernel(p, Dim{X: g.blocks}, Dim{X: g.threads}) }, want)
	}
}

// cut gives random bounds of n parts of rows, of which some are empty.
func cut(r *rand.Rand, rows, n int) []int32 {
	starts := make([]int32, n+1)
	for i := 1; i < n; i++ {
		starts[i] = int32(r.IntN(rows + 1))
	}
	starts[n] = int32(rows)
	slices.Sort(starts)
	return starts
}

// TestConstants holds the constants of contract.cuh to those of package cpu, as they
// are written: where the last bit of a coefficient is another, hardly a result is.
func TestConstants(t *testing.T) {
	read := func(path, pattern string) map[string]string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			name := strings.ToLower(strings.ReplaceAll(m[1], "_", ""))
			value := strings.Trim(m[2], "()")
			for _, suffix := range []string{".0f", "f"} { // of a decimal float, of any float
				value = regexp.MustCompile(regexp.QuoteMeta(suffix)+`\b`).ReplaceAllString(value, "")
			}
			all[name] = value
		}
		return all
	}
	const value = `(\(?-?[0-9][^\n/]*?\)?) *(?://.*)?\n`
	want := read("../cpu/vector_constants.go", `(?m)^(?:const)?\s+([a-z]\w+) *= `+value)
	got := read("kernels/contract.cuh", `(?m)^#define ([A-Z0-9_]+) `+value)
	if len(want) < 20 {
		t.Fatalf("package cpu has the constants %v: were they moved?", want)
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("contract.cuh has %s = %q, package cpu %q", name, got[name], w)
		}
	}
	if got["lanes"] != strconv.Itoa(device.Lanes) {
		t.Errorf("contract.cuh has %s lanes, package device %d", got["lanes"], device.Lanes)
	}
}
