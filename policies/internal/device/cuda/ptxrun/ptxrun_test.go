package ptxrun

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/policies/internal/device/cuda/ptx/ptxtest"
)

// run runs the kernel k of a file on a memory of 64 ints that nobody has written, which its
// first parameter points to.
func run(t *testing.T, text string, grid, block int, written ...uint32) ([]byte, Result) {
	t.Helper()
	programs, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 256)
	for i := range 64 {
		binary.LittleEndian.PutUint32(memory[4*i:], Unwritten)
	}
	for i, bits := range written {
		binary.LittleEndian.PutUint32(memory[4*i:], bits)
	}
	const address = 1 << 20
	return memory, programs["k"].Run(Launch{
		Grid: [3]int{grid, 1, 1}, Block: [3]int{block, 1, 1}, Params: []uint64{address, 7},
		Memory: []Block{{address, memory}}, Most: 1 << 16,
	})
}

func TestUnknown(t *testing.T) {
	line := fmt.Sprintf("line %d: ", ptxtest.HeadLines+1)
	for _, test := range ptxtest.Unknown {
		_, err := Read(ptxtest.Kernel(test.Statement))
		if err == nil || !strings.Contains(err.Error(), line) || !strings.Contains(err.Error(), test.Want) {
			t.Errorf("%s: %v, want %q and %q", test.Why, err, line, test.Want)
		}
	}
}

func TestOperations(t *testing.T) {
	for _, o := range ptxtest.Operations {
		memory, result := run(t, o.Kernel(), 1, 1, 0, 0)
		got := binary.LittleEndian.Uint64(memory)
		if got != o.Want || len(result.Findings) > 0 {
			t.Errorf("%s gives %#x, want %#x, and finds %v", o.Statements, got, o.Want, result.Findings)
		}
	}
}

// TestFMA holds fma to exact arithmetic, most of all where it is close to a middle.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() float32 {
		return math.Float32frombits(r.Uint32()&0x80ffffff | uint32(100+r.IntN(55))<<23&0x7f800000)
	}
	for range 200000 {
		a, b, c := draw(), draw(), draw()
		if r.IntN(2) == 0 { // a sum that is a middle, or next to one
			c = math.Nextafter32(float32(float64(a)*float64(b)), draw())
			c = float32(math.Ldexp(float64(c), r.IntN(60)-30))
		}
		product := new(big.Float).SetPrec(600).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
		want, _ := new(big.Float).SetPrec(600).Add(product, big.NewFloat(float64(c))).Float32()
		if got := fma(a, b, c); got != want {
			t.Fatalf("fma(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
	}
}

// TestFindings runs kernels that are right, and some that are wrong, which is to be found.
func TestFindings(t *testing.T) {
	const shared = ".shared .align 16 .b8 room[256];"
	// Registers: %rd1 is the memory, %rd2 room, %r1 the thread, %rd3 and %rd4 its int in
	// both, %rd5 that of its neighbour in room, of 8.
	setup := []string{shared,
		"ld.param.u64 %rd1, [k_param_0];", "mov.u64 %rd2, room;", "mov.u32 %r1, %tid.x;", "mul.wide.u32 %rd9, %r1, 4;",
		"add.s64 %rd3, %rd1, %rd9;", "add.s64 %rd4, %rd2, %rd9;", "xor.b32 %r2, %r1, 1;", "mul.wide.u32 %rd9, %r2, 4;", "add.s64 %rd5, %rd2, %rd9;"}
	put, take, give := "st.shared.u32 [%rd4], %r1;", "ld.shared.u32 %r3, [%rd5];", "st.global.u32 [%rd3], %r3;"
	for _, test := range []struct {
		why           string
		grid, threads int
		code          []string
		want          string // "": nothing is found
	}{
		{"a barrier between", 1, 64, []string{put, "bar.sync 0;", take, give}, ""},
		{"no barrier", 1, 64, []string{put, take, give}, "race: is "},
		{"a barrier of the warp between, and neighbours are in one", 1, 64, []string{put, "bar.warp.sync -1;", take, give}, ""},
		{"a shuffle orders no memory", 1, 64, []string{put, "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;", take, give}, "race: is "},
		{"a barrier of the warp, and the neighbour is in another", 1, 64,
			[]string{"xor.b32 %r2, %r1, 32;", "mul.wide.u32 %rd9, %r2, 4;", "add.s64 %rd5, %rd2, %rd9;", put, "bar.warp.sync -1;", take, give}, "race: is "},
		{"written again too early", 1, 64, []string{put, "bar.sync 0;", take, put, give}, "race: is written, and read by"},
		{"written again after a barrier", 1, 64, []string{put, "bar.sync 0;", take, "bar.sync 0;", put, give}, ""},
		{"two threads write one word", 1, 2, []string{"st.global.u32 [%rd1], 1;"}, "race: is written, and written by"},
		{"blocks have no barrier between them", 2, 32, []string{"st.global.u32 [%rd3], 1;", "bar.sync 0;"}, "race: is written, and written by"},
		{"blocks may read the same", 2, 32, []string{"st.shared.u32 [%rd4], 1;", "ld.global.nc.u32 %r3, [%rd1];"}, ""},
		{"a thread reads as constant what it wrote", 1, 1, []string{"st.global.u32 [%rd1], 1;", "ld.global.nc.u32 %r3, [%rd1];"}, "is read as constant"},
		{"a thread writes what it read as constant", 1, 1, []string{"ld.global.nc.u32 %r3, [%rd1];", "st.global.u32 [%rd1], 1;"}, "is written, and read as constant"},
		{"past the end", 1, 65, []string{"st.global.u32 [%rd3], 1;"}, "4 bytes at byte 256 of block 0 of memory, which has 256"},
		{"before the beginning", 1, 1, []string{"ld.global.u32 %r3, [%rd1+-4];"}, "4 bytes at 4 bytes before block 0"},
		{"past the end of shared memory", 1, 1, []string{"ld.shared.u32 %r3, [%rd2+256];"}, "of shared room, which has 256"},
		{"an odd address", 1, 1, []string{"ld.global.v2.u32 {%r3, %r4}, [%rd1+4];"}, "moves 8 bytes at 0x100004, which is no multiple"},
		{"a shared address taken for one of all memory", 1, 1, []string{"ld.u32 %r3, [%rd2];"}, "before block 0"},
		{"a shared address made one of all memory", 1, 1, []string{put, "cvta.shared.u64 %rd6, %rd2;", "ld.u32 %r3, [%rd6];", give}, ""},
		{"what nobody wrote is stored", 1, 1, []string{"ld.shared.u32 %r3, [%rd2];", give}, "stores what nobody wrote"},
		{"what nobody wrote is read and not used", 1, 1, []string{"ld.shared.u32 %r3, [%rd2];", "mov.u32 %r3, 5;", give}, ""},
		{"what nobody wrote is not chosen", 1, 1, []string{"mov.pred %p1, -1;", "ld.shared.u32 %r3, [%rd2];", "selp.b32 %r3, 1, %r3, %p1;", give}, ""},
		{"what nobody wrote decides", 1, 1, []string{"ld.global.u32 %r3, [%rd1];", "setp.eq.s32 %p1, %r3, 0;", "@%p1 bra L;", "L:"}, "by a value that nobody wrote"},
		{"what nobody wrote is an address", 1, 1, []string{"ld.global.u32 %r3, [%rd1];", "mul.wide.u32 %rd9, %r3, 0;", "add.s64 %rd9, %rd9, %rd1;", "ld.global.u32 %r3, [%rd9];"}, "an address that nobody wrote"},
		{"a thread that ends before a barrier", 1, 64, []string{"setp.eq.s32 %p1, %r1, 40;", "@%p1 ret;", "bar.sync 0;"}, "thread 0 waits on line 26, thread 40 has ended"},
		{"a lane that ends before a shuffle", 1, 32, []string{"setp.eq.s32 %p1, %r1, 7;", "@%p1 ret;", "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;"}, "thread 7 has ended"},
		{"threads at two barriers", 1, 64, []string{"setp.eq.s32 %p1, %r1, 7;", "@%p1 bra L;", "bar.sync 0;", "ret;", "L:", "bar.sync 0;"}, "not all threads come to"},
		{"half a warp", 1, 16, []string{"bar.warp.sync -1;"}, "not all lanes come to"},
		{"a mask that leaves lanes out", 1, 32, []string{"bar.warp.sync 65535;"}, "leaves lanes out"},
		{"no end", 1, 1, []string{"L:", "bra L;"}, "does not end"},
	} {
		_, result := run(t, ptxtest.Kernel(append(append(setup[:len(setup):len(setup)], test.code...), "ret;")...), test.grid, test.threads)
		found := strings.Join(result.Findings, "; ")
		if test.want == "" && found != "" || !strings.Contains(found, test.want) {
			t.Errorf("%s: found %q, want %q", test.why, found, test.want)
		}
	}
}
