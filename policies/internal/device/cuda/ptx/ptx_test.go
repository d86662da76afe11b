package ptx

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

const head = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f(\n\t.param .u64 f_param_0,\n\t.param .f32 f_param_1\n)\n.maxntid 256, 1, 1\n{\n"

func TestParse(t *testing.T) {
	kernels, err := Parse("// of a compiler\n" + head + `	.reg .pred 	%p<3>;
	.shared .align 16 .b8 room[128];
	@!%p1 bra 	$L__BB0_2;
L1:
	.pragma "nounroll";
	ld.global.nc.v2.f32 	{%f1, %f2}, [%rd1+-8];
	add.s32 	%r1, %tid.x, -0x10; // more
	mov.f32 	%f1, 0fFF800000;
	ld.shared.u32 	%r2, [room+4];
$L__BB0_2:
	ret;
$end:
}
`)
	if err != nil {
		t.Fatal(err)
	}
	reg := func(name string) Operand { return Operand{Kind: Register, Name: name} }
	rd1, room := reg("rd1"), Operand{Kind: Symbol, Name: "room"}
	want := &Kernel{
		Name: "f", Params: []Param{{"f_param_0", "u64"}, {"f_param_1", "f32"}},
		Shared: []Shared{{"room", 16, 128}}, Registers: []Registers{{"pred", "p", 3}},
		Labels: map[string]int{"L1": 1, "$L__BB0_2": 5, "$end": 6},
		Code: []Instruction{
			{Line: 13, Guard: "p1", Unless: true, Op: []string{"bra"}, Args: []Operand{{Kind: Symbol, Name: "$L__BB0_2"}}},
			{Line: 16, Op: []string{"ld", "global", "nc", "v2", "f32"}, Args: []Operand{
				{Kind: Vector, Parts: []Operand{reg("f1"), reg("f2")}}, {Kind: Address, Base: &rd1, Offset: -8}}},
			{Line: 17, Op: []string{"add", "s32"}, Args: []Operand{reg("r1"), reg("tid.x"), {Kind: Constant, Bits: 1<<64 - 16}}},
			{Line: 18, Op: []string{"mov", "f32"}, Args: []Operand{reg("f1"), {Kind: Constant, Bits: 0xff800000}}},
			{Line: 19, Op: []string{"ld", "shared", "u32"}, Args: []Operand{reg("r2"), {Kind: Address, Base: &room, Offset: 4}}},
			{Line: 21, Op: []string{"ret"}},
		},
	}
	if len(kernels) != 1 || !reflect.DeepEqual(kernels[0], want) {
		t.Errorf("%+v, want %+v", kernels[0], want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"a function", ".func g()\n", `line 1: ".func g()"`},
		{"memory of the module", ".global .align 4 .b8 table[16];\n", "line 1: "},
		{"a parameter that is a struct", ".visible .entry f(\n\t.param .align 8 .b8 s[16]\n)\n", "line 2: "},
		{"no end", head, "kernel f does not end"},
		{"two statements a line", head + "ret; ret;\n}\n", "line 10: "},
		{"local memory", head + "\t.local .align 4 .b8 \t__local_depot0[16];\n}\n", "line 10: "},
		{"an operand of double precision", head + "\tmov.f64 %fd1, 0d0000000000000000;\n}\n", `line 10: "0d0000000000000000" is no operand`},
		{"a label that is there", head + "L:\nL:\n}\n", "line 11: the label L for the second time"},
	} {
		if _, err := Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", test.why, err, test.want)
		}
	}
}

func TestWidth(t *testing.T) {
	for typ, want := range map[string]int{"pred": 1, "u64": 64, "b8": 8, "f32": 32, "s16": 16, "v4": 0, "": 0, "rn": 0, "b7": 0} {
		if got := Width(typ); got != want {
			t.Errorf("Width(%q) = %d, want %d", typ, got, want)
		}
	}
}

// TestParseKernels reads the kernels that are committed.
func TestParseKernels(t *testing.T) {
	text, err := os.ReadFile("../kernels.ptx")
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	instructions := 0
	for _, k := range kernels {
		instructions += len(k.Code)
	}
	if want := strings.Count(string(text), ".entry "); len(kernels) != want || instructions < 100*want {
		t.Errorf("%d kernels of %d instructions, want %d kernels", len(kernels), instructions, want)
	}
}
