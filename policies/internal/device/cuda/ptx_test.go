package cuda

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/policies/internal/device/cuda/compile"
)

// readSum reads kernels.sum: the compiler, and the lines about flags and files.
func readSum(t *testing.T) (compiler string, lines []string) {
	t.Helper()
	text, err := os.ReadFile("kernels.sum")
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	compiler, ok := strings.CutPrefix(lines[0], "compiler ")
	if !ok {
		t.Fatalf("kernels.sum begins with %q, want the compiler", lines[0])
	}
	return compiler, lines[1:]
}

// TestPTXIsCurrent needs no compiler.
func TestPTXIsCurrent(t *testing.T) {
	_, stored := readSum(t)
	present, err := compile.Sum(".", ptx)
	if err != nil {
		t.Fatal(err)
	}
	const advice = "run go generate ./policies/internal/device/cuda"
	for _, line := range present {
		if !slices.Contains(stored, line) {
			t.Errorf("kernels.ptx is not that of the sources: %s", line)
		}
	}
	for _, line := range stored {
		if !slices.Contains(present, line) {
			t.Errorf("kernels.ptx was made of other sources: %s", line)
		}
	}
	if t.Failed() {
		t.Error(advice)
	}
}

// TestPTXIsReproducible compiles the kernels again.
func TestPTXIsReproducible(t *testing.T) {
	made, _ := readSum(t)
	version, err := compile.Version()
	if err != nil {
		t.Skip(err)
	}
	if version != made {
		t.Skipf("kernels.ptx was made by %s, and here is %s, which may write it otherwise", made, version)
	}
	again, err := compile.PTX(".")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, ptx) {
		t.Error("compiling the kernels gives other PTX than kernels.ptx: run go generate ./policies/internal/device/cuda")
	}
}

// instruction matches the operation of a line of PTX, behind a predicate if any.
var instruction = regexp.MustCompile(`^\s+(?:@!?%p\d+\s+)?([a-z][a-z0-9_]*(?:\.[a-z0-9_:]+)*)\s`)

// floating matches operations on floating-point numbers of any kind.
var floating = regexp.MustCompile(`\.(b?f(16|32|64)|tf32|f16x2)\b`)

// allowed matches those that may be: they move or compare numbers, or round to
// nearest and name it. Others, as mul.f32, the driver's compiler may
// contract with an addition.
var allowed = regexp.MustCompile(`^((ld|st)\..*|(mov|selp|neg|abs)\.f32|setp\..*\.f32|(add|sub|mul|fma|div|rcp|sqrt)\.rn\.f32|cvt\.rn\.f32\.[su]32)$`)

// forbidden matches what must not be in any operation: flushing to zero,
// approximations, atomics, warps that reduce as they like, tensor cores.
var forbidden = regexp.MustCompile(`\.(ftz|approx|full|sat)\b|^(atom|red|redux|mma|wmma|rsqrt|ex2|lg2|sin|cos|tanh)\b`)

// wrongOperations lists what the contract rules out, with the lines' numbers.
func wrongOperations(ptx string) (wrong []string) {
	n := 0
	for line := range strings.Lines(ptx) {
		n++
		m := instruction.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if op := m[1]; forbidden.MatchString(op) || floating.MatchString(op) && !allowed.MatchString(op) {
			wrong = append(wrong, fmt.Sprintf("%s on line %d", op, n))
		}
	}
	return wrong
}

// TestPTXRounds: no operation of the kernels may round otherwise than the contract.
func TestPTXRounds(t *testing.T) {
	for _, wrong := range wrongOperations(string(ptx)) {
		t.Errorf("kernels.ptx has %s", wrong)
	}
	if n := strings.Count(string(ptx), "fma.rn.f32"); n < 100 {
		t.Errorf("kernels.ptx has %d times fma.rn.f32: is it the kernels?", n)
	}
}

func TestWrongOperations(t *testing.T) {
	for _, test := range []struct {
		reason, line string
		wrong        bool
	}{
		{"a sum that is rounded to nearest", "\tadd.rn.f32 \t%f1, %f2, %f3;", false},
		{"a product that says so behind a predicate", "\t@%p1 mul.rn.f32 \t%f1, %f2, %f3;", false},
		{"a product that may be contracted with a sum", "\tmul.f32 \t%f1, %f2, %f3;", true},
		{"the same behind a predicate", "\t@!%p12 add.f32 \t%f1, %f2, %f3;", true},
		{"a difference that may be contracted with a product", "\tsub.f32 \t%f1, %f2, %f3;", true},
		{"subnormals lost", "\tfma.rn.ftz.f32 \t%f1, %f2, %f3, %f4;", true},
		{"subnormals lost in a comparison", "\tsetp.gt.ftz.f32 \t%p1, %f2, %f3;", true},
		{"a division that is nearly right", "\tdiv.full.f32 \t%f1, %f2, %f3;", true},
		{"an approximation", "\trcp.approx.f32 \t%f1, %f2;", true},
		{"a root that is nearly right", "\tsqrt.approx.f32 \t%f1, %f2;", true},
		{"another rounding", "\tadd.rz.f32 \t%f1, %f2, %f3;", true},
		{"sums in any order", "\tatom.global.add.f32 \t%f1, [%rd1], %f2;", true},
		{"sums in any order, of integers", "\tred.global.add.u32 \t[%rd1], %r2;", true},
		{"the exponential of the card", "\tex2.approx.f32 \t%f1, %f2;", true},
		{"double precision, which no kernel is to have", "\tadd.rn.f64 \t%fd1, %fd2, %fd3;", true},
		{"half precision", "\tcvt.rn.f16.f32 \t%rs1, %f2;", true},
		{"tensor cores", "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 \t{%f1}, {%r1}, {%r2}, {%f3};", true},
		{"a load", "\tld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1];", false},
		{"integers, multiplied and added", "\tmad.lo.s32 \t%r1, %r2, %r3, %r4;", false},
		{"a whole number made a float", "\tcvt.rn.f32.s32 \t%f1, %r1;", false},
		{"a declaration", "\t.reg .f32 \t%f<30>;", false},
	} {
		if got := len(wrongOperations(test.line+"\n")) > 0; got != test.wrong {
			t.Errorf("%s: %q is wrong: %v, want %v", test.reason, test.line, got, test.wrong)
		}
	}
}

// entries gives each kernel's PTX by its name.
func entries(t *testing.T) map[string]string {
	t.Helper()
	parts := strings.Split(string(ptx), ".entry ")
	all := map[string]string{}
	for _, part := range parts[1:] {
		name, _, ok := strings.Cut(part, "(")
		if !ok {
			t.Fatalf("an entry of kernels.ptx without a name: %.40q", part)
		}
		all[name] = part
	}
	return all
}

// TestShimHasEveryKernel: each kernel of the PTX is in the table of the shim, and the other
// way round.
func TestShimHasEveryKernel(t *testing.T) {
	table, err := os.ReadFile("shim/table.cc")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s+KERNEL\((\w+)\)`).FindAllSubmatch(table, -1) {
		listed[string(m[1])] = true
	}
	compiled := entries(t)
	for name := range listed {
		if _, ok := compiled[name]; !ok {
			t.Errorf("shim/table.cc lists the kernel %s, which kernels.ptx lacks", name)
		}
	}
	for name := range compiled {
		if !listed[name] {
			t.Errorf("kernels.ptx has the kernel %s, which shim/table.cc does not list", name)
		}
	}
}

// TestKernelsFit: shared memory fits every card without asking, and no kernel
// has an array that went to memory for want of registers.
func TestKernelsFit(t *testing.T) {
	const most = 48 << 10
	shared := regexp.MustCompile(`\.shared \.align \d+ \.b8 \w+\[(\d+)\]`)
	before, _, _ := strings.Cut(string(ptx), ".entry ")
	if strings.Contains(before, ".shared") {
		t.Error("kernels.ptx has shared memory that belongs to no kernel: declare it in the kernel that uses it")
	}
	for name, text := range entries(t) {
		bytes := 0
		for _, m := range shared.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			bytes += n
		}
		if bytes > most {
			t.Errorf("kernel %s has %d bytes of shared memory, want at most %d", name, bytes, most)
		}
		if strings.Contains(text, ".local") {
			t.Errorf("kernel %s keeps variables in local memory", name)
		}
	}
}
