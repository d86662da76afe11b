package cuda

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// An operation is an instruction of machine code, such as {"FADD", "R1, R2, R3"}.
type operation struct {
	code, operands string
	helper         bool // in a function that the kernel calls
}

// A machineFunction is a kernel's machine code.
type machineFunction struct {
	operations []operation
	helpers    map[string]bool // functions of the compiler that came with it
}

var (
	machineSection = regexp.MustCompile(`^\.text\.(\w+):`)
	machineHelper  = regexp.MustCompile(`^\$[\w$]*\$(__cuda_\w+):`)
	machineOp      = regexp.MustCompile(`^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_.]*)\s*(.*?)\s*;`)
)

// disassemble reads the machine code of each kernel, all of it: an operation has 16
// bytes.
func disassemble(disassembler string, b build) (map[string]*machineFunction, error) {
	out, err := exec.Command(disassembler, "-c", b.path).Output()
	if err != nil {
		return nil, fmt.Errorf("nvdisasm: %w", err)
	}
	all := map[string]*machineFunction{}
	var f *machineFunction
	helper := false
	for line := range strings.Lines(string(out)) {
		if m := machineSection.FindStringSubmatch(line); m != nil {
			f, helper = &machineFunction{helpers: map[string]bool{}}, false
			all[m[1]] = f
		} else if m := machineHelper.FindStringSubmatch(line); m != nil && f != nil {
			helper = true
			f.helpers[m[1]] = true
		} else if m := machineOp.FindStringSubmatch(line); m != nil && f != nil {
			f.operations = append(f.operations, operation{m[1], m[2], helper})
		}
	}
	for name, code := range b.sections {
		kernel, ok := strings.CutPrefix(name, ".text.")
		if !ok {
			continue
		}
		if f := all[kernel]; f == nil || 16*len(f.operations) != len(code) {
			return nil, fmt.Errorf("nvdisasm shows the %d bytes of %s only in part", len(code), kernel)
		}
	}
	return all, nil
}

// requests counts what the PTX of each kernel asks for: "fma", "add" (and differences),
// "mul", "div", "rcp", "sqrt", "neg" (and absolute values) of floats.
func requests(ptx string) map[string]map[string]int {
	all := map[string]map[string]int{}
	for _, part := range strings.Split(ptx, ".entry ")[1:] {
		name, _, _ := strings.Cut(part, "(")
		counts := map[string]int{}
		for line := range strings.Lines(part) {
			m := instruction.FindStringSubmatch(line)
			if m == nil || !strings.HasSuffix(m[1], ".f32") {
				continue
			}
			op, _, _ := strings.Cut(m[1], ".")
			switch op {
			case "sub":
				op = "add"
			case "abs":
				op = "neg"
			}
			counts[op]++
		}
		all[name] = counts
	}
	return all
}

// numeric matches operations on floats of any kind, and what goes between them and
// integers. FLO finds a bit.
var numeric = regexp.MustCompile(`^U?(F|H[A-Z]+2|D(ADD|MUL|FMA|SETP|MNMX)|MUFU|I2F|I2H)`)

// plainNumeric matches those that may be anywhere: they round to nearest, keep
// subnormals, or do no arithmetic.
var plainNumeric = regexp.MustCompile(`^(FADD|FMUL|FFMA|FSEL|FMNMX\.NAN|FSETP\.[A-Z]+\.(AND|OR|XOR)|FCHK|I2F|I2F\.U32|I2FP\.F32\.[SU]32|U?FLO(\.U32)?(\.SH)?)$`)

// integerDivision matches what a quotient of integers begins with, which is corrected by
// products of integers.
var integerDivision = regexp.MustCompile(`^(U?I2F(\.U32)?\.RP|F2I\.FTZ\.U32\.TRUNC\.NTZ)$`)

// helperNumeric matches what the compiler's functions for quotients, reciprocals and
// roots may have besides: they handle extreme operands, and round as IEEE 754 says.
var helperNumeric = regexp.MustCompile(`^((FADD|FMUL)\.FTZ|FFMA\.R[MPZ]|FSETP\.[A-Z]+\.FTZ\.AND|MUFU\.(RCP|RSQ))$`)

// unordered matches operations that may be done in any order, and those of tensor cores.
var unordered = regexp.MustCompile(`^(ATOM|RED|SUATOM|SURED|UBLKRED|UTMARED)|^U?[A-Z0-9]*MMA`)

// moved matches operands with which HFMA2 only loads a constant: minus 0 times 0.
var moved = regexp.MustCompile(`^R\d+, -RZ, RZ, `)

// negated matches operands with which a sum only changes a sign.
var negated = regexp.MustCompile(`^R\d+, -R\d+, -RZ$`)

// helperOf says which function of the compiler belongs to an operation of the PTX. The
// names say that subnormals are kept: with .ftz they would be others.
var helperOf = map[string]string{
	"rcp": "__cuda_sm20_rcp_rn_f32_slowpath", "sqrt": "__cuda_sm20_sqrt_rn_f32_slowpath",
	"div": "__cuda_sm3x_div_rn_noftz_f32_slowpath",
}

// exchange matches helpers that only move values between the lanes of a warp.
var exchange = regexp.MustCompile(`^__cuda_sm70_(shflsync|warpsync)`)

// wrong lists what a kernel's machine code has that its PTX does not ask for, or lacks.
func (f *machineFunction) wrong(kernel string, asked map[string]int) (wrong []finding) {
	note := func(check, format string, args ...any) {
		wrong = append(wrong, finding{check, kernel + " " + fmt.Sprintf(format, args...)})
	}
	have := map[string]int{} // in the kernel itself
	for _, op := range f.operations {
		allowed := !numeric.MatchString(op.code) && !unordered.MatchString(op.code)
		switch {
		case allowed || plainNumeric.MatchString(op.code) || integerDivision.MatchString(op.code):
			allowed = true
		case op.code == "HFMA2" || op.code == "HFMA2.MMA":
			allowed = moved.MatchString(op.operands)
		case op.helper:
			allowed = helperNumeric.MatchString(op.code)
		case op.code == "MUFU.RCP":
			allowed = true // counted below
		case op.code == "MUFU.RSQ" || op.code == "FMUL.FTZ":
			allowed = asked["sqrt"] > 0 // the first steps of a root
		case op.code == "FADD.FTZ":
			// The other sign, in the first step of a reciprocal.
			allowed = asked["rcp"] > 0 && negated.MatchString(op.operands)
		}
		if !allowed {
			note(checkOperations, "has %s %s", op.code, op.operands)
		}
		if !op.helper {
			have[op.code]++
			if strings.HasSuffix(op.code, ".RP") {
				have["integer division"]++
			}
		}
	}
	for op, helper := range helperOf {
		if (asked[op] > 0) != f.helpers[helper] {
			note(checkOperations, "has the function %s: %v, and %d times %s in the PTX", helper, f.helpers[helper], asked[op], op)
		}
		delete(f.helpers, helper)
	}
	for helper := range f.helpers {
		if !exchange.MatchString(helper) {
			note(checkOperations, "calls %s", helper)
		}
	}
	// Loops are unrolled, so that there may be more of each. Quotients and roots are made
	// of fused operations too.
	quotients := asked["div"] + asked["rcp"]
	for _, kind := range []struct {
		code        string
		least, also int // if both are 0 there is to be none
	}{
		{"FFMA", asked["fma"], quotients + asked["sqrt"]}, {"FADD", asked["add"], asked["neg"]}, {"FMUL", asked["mul"], 0},
	} {
		if n := have[kind.code]; n < kind.least || n > 0 && kind.least+kind.also == 0 {
			note(checkCounts, "has %d times %s, and the PTX %d times what gives it", n, kind.code, kind.least)
		}
	}
	if n := have["MUFU.RCP"] - have["integer division"]; n < quotients || n > 0 && quotients == 0 {
		note(checkCounts, "has %d times MUFU.RCP besides integer divisions, and the PTX %d quotients", n, quotients)
	}
	return wrong
}

// TestNumericOperations: the patterns know operations that the kernels do not have.
func TestNumericOperations(t *testing.T) {
	for _, test := range []struct {
		code, operands string
		wrong          bool
	}{
		{"FFMA", "R1, R2, R3, R4", false}, {"FFMA.FTZ", "R1, R2, R3, R4", true}, {"FFMA.SAT", "R1, R2, R3, R4", true},
		{"FADD.RZ", "R1, R2, R3", true}, {"FMUL.FTZ", "R1, R2, R3", true}, {"FSETP.GT.FTZ.AND", "P0, PT, R1, R2, PT", true},
		{"FMNMX", "R1, R2, R3, PT", true}, {"MUFU.EX2", "R1, R2", true}, {"MUFU.LG2", "R1, R2", true}, {"MUFU.SQRT", "R1, R2", true},
		{"HFMA2.MMA", "R1, -RZ, RZ, 0, 0", false}, {"HFMA2", "R1, R2, R3, R4", true}, {"HADD2.F32", "R1, -RZ, R2.H0_H0", true},
		{"DFMA", "R2, R4, R6, R8", true}, {"DEPBAR.LE", "SB0, 0x0", false}, {"F2F.F16.F32", "R1, R2", true},
		{"FFMA2", "R2, R4, R6, R8", true}, {"HMMA.1688.F32.TF32", "R4, R8, R2, R4", true}, {"IMMA.8816.S8.S8", "R4, R8, R2, R4", true},
		{"UTCHMMA", "gdesc[UR4]", true}, {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "[R2], R5", true}, {"ATOMG.E.ADD", "R1, [R2], R5", true},
		{"ATOMS.ADD", "RZ, [R2], R5", true}, {"REDUX.SUM", "UR4, R2", true}, {"IMAD.WIDE", "R2, R3, R4, R5", false},
		{"FLO.U32", "R1, R2", false}, {"F2I.TRUNC.NTZ", "R1, R2", true}, {"F2I.FTZ.U32.TRUNC.NTZ", "R1, R2", false},
	} {
		f := &machineFunction{operations: []operation{{test.code, test.operands, false}}}
		found := false
		for _, w := range f.wrong("kernel", map[string]int{"fma": 1}) {
			found = found || w.check == checkOperations
		}
		if found != test.wrong {
			t.Errorf("%s %s is wrong: %v, want %v", test.code, test.operands, found, test.wrong)
		}
	}
}
