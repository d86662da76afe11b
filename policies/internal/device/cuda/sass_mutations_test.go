package cuda

import (
	"slices"
	"strings"
	"testing"
)

// kernelAlone is the PTX of one kernel, and nothing else.
func kernelAlone(t *testing.T, kernel string) string {
	t.Helper()
	header, _, _ := strings.Cut(string(ptx), ".visible .entry ")
	text, ok := entries(t)[kernel]
	if !ok {
		t.Fatalf("kernels.ptx has no kernel %s", kernel)
	}
	return header + ".visible .entry " + strings.TrimSuffix(text, ".visible ")
}

// A machineMutation changes the PTX of a kernel, as a compiler might that does not do what it
// is asked.
type machineMutation struct {
	name, kernel string
	change       []string // what is replaced by what, as strings.NewReplacer takes them
	caught       string   // the check that has to see it
}

// unrounded is what a compiler may contract: operations that do not say how they round.
var unrounded = []string{"mul.rn.f32", "mul.f32", "add.rn.f32", "add.f32", "sub.rn.f32", "sub.f32"}

var machineMutations = []machineMutation{
	{"a product and a sum that may be contracted", "layer_norm_backward", unrounded, checkContraction},
	{"the same seen by the counts", "layer_norm_backward", unrounded, checkCounts},
	{"a product that may be contracted with a constant", "gelu", unrounded, checkContraction},
	{"a fused operation taken apart", "axpy", []string{"fma.rn.f32 \t%f4, %f1, %f2, %f3;", "mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f4, %f4, %f3;"}, checkCounts},
	{"sums fused", "add", []string{"add.rn.f32 \t%f3, %f1, %f2;", "fma.rn.f32 %f3, %f1, 0f3F800001, %f2;"}, checkCounts},
	{"subnormals flushed in fused operations", "axpy", []string{"fma.rn.f32", "fma.rn.ftz.f32"}, checkOperations},
	{"subnormals flushed in sums", "add", []string{"add.rn.f32", "add.rn.ftz.f32"}, checkOperations},
	{"subnormals flushed in products", "gelu", []string{"mul.rn.f32", "mul.rn.ftz.f32"}, checkOperations},
	{"subnormals flushed in comparisons", "log_softmax", []string{"setp.gt.f32", "setp.gt.ftz.f32"}, checkOperations},
	{"subnormals flushed in quotients", "gelu", []string{"div.rn.f32", "div.rn.ftz.f32"}, checkOperations},
	{"a quotient that is nearly right", "gelu", []string{"div.rn.f32", "div.approx.f32"}, checkOperations},
	{"a quotient over the full range that is nearly right", "adamw", []string{"div.rn.f32", "div.full.f32"}, checkOperations},
	{"a reciprocal that is nearly right", "layer_norm", []string{"rcp.rn.f32", "rcp.approx.f32"}, checkOperations},
	{"a root that is nearly right", "layer_norm", []string{"sqrt.rn.f32", "sqrt.approx.f32"}, checkOperations},
	{"another rounding", "add", []string{"add.rn.f32", "add.rz.f32"}, checkOperations},
	{"results cut off at 0 and 1", "axpy", []string{"fma.rn.f32", "fma.rn.sat.f32"}, checkOperations},
	{"sums in any order", "add", []string{"st.global.f32", "red.global.add.f32"}, checkOperations},
	{"exchanges in any order", "add", []string{"st.global.f32 \t", "atom.global.exch.b32 \t%r11, ", ".b32 \t%r<11>", ".b32 \t%r<12>", "[%rd9], %f3", "[%rd9], %r10"}, checkOperations},
	{"half precision", "add", []string{"add.rn.f32 \t%f3, %f1, %f2;",
		"{ .reg .b16 %h, %k; cvt.rn.f16.f32 %h, %f1; cvt.rn.f16.f32 %k, %f2; add.f16 %h, %h, %k; cvt.f32.f16 %f3, %h; }"}, checkOperations},
	{"double precision", "add", []string{"add.rn.f32 \t%f3, %f1, %f2;",
		"{ .reg .f64 %h, %k; cvt.f64.f32 %h, %f1; cvt.f64.f32 %k, %f2; add.rn.f64 %h, %h, %k; cvt.rn.f32.f64 %f3, %h; }"}, checkOperations},
	{"the exponential of the card", "gelu", []string{"div.rn.f32 \t%f22, %f2, %f21;", "div.rn.f32 %f22, %f2, %f21; ex2.approx.f32 %f22, %f22;"}, checkOperations},
	{"tensor cores", "add", []string{".version 6.3", ".version 6.5", "add.rn.f32 \t%f3, %f1, %f2;",
		"{ .reg .b32 %a; mov.b32 %a, %f1; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f3, %f1, %f2, %f2}, {%a, %a}, {%a}, {%f1, %f2, %f1, %f2}; }"}, checkOperations},
	{"too few registers", "attention", []string{".maxntid 128, 1, 1", ".maxntid 128, 1, 1\n.maxnreg 32"}, checkSpills},
}

// TestMachineCodeNotices: the checks of TestMachineCode see each mutation. They hold the
// machine code to the PTX without it, so that what they see is in the machine code,
// whatever ptx_test.go says of the PTX. One ptxas does, and two cards.
func TestMachineCodeNotices(t *testing.T) {
	assemblers, disassembler := cudaTools(t)
	if disassembler == "" {
		t.Skip("no nvdisasm")
	}
	limits, assembler := readLimits(t), assemblers[len(assemblers)-1]
	for _, m := range machineMutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			right := kernelAlone(t, m.kernel)
			mutated := strings.NewReplacer(m.change...).Replace(right)
			if mutated == right {
				t.Fatalf("the PTX of %s has none of %q: was the kernel changed?", m.kernel, m.change)
			}
			for _, arch := range []string{"75", "90"} {
				wrong, _, err := examine(t, assembler, disassembler, arch, mutated, right, limits)
				if err == errUnknownCard {
					continue
				}
				if err != nil {
					t.Fatalf("sm_%s: %v", arch, err)
				}
				if !slices.ContainsFunc(wrong, func(f finding) bool { return f.check == m.caught }) {
					t.Errorf("sm_%s: the check of %s does not see it; seen is %v", arch, m.caught, wrong)
				}
			}
		})
	}
}
