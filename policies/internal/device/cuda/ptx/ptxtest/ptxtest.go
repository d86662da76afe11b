// Package ptxtest has what the tests of all that runs PTX share: kernels of a few statements,
// and what these are to give.
package ptxtest

import "strings"

// HeadLines is the number of lines before a kernel's first statement.
const HeadLines = 13

// Kernel is a kernel k of some statements, a line each, with an address and an int as its
// parameters.
func Kernel(statements ...string) string {
	return `.version 6.3
.target sm_75
.address_size 64
.visible .entry k(
	.param .u64 k_param_0,
	.param .u32 k_param_1
)
{
	.reg .pred %p<9>;
	.reg .b16 %rs<9>;
	.reg .b32 %r<9>;
	.reg .f32 %f<9>;
	.reg .b64 %rd<20>;
` + strings.Join(statements, "\n") + "\n}\n"
}

// An Operation is statements, the register that they fill, and its bits then.
type Operation struct {
	Statements, Register string
	Want                 uint64
}

// Kernel stores the register where the first parameter points.
func (o Operation) Kernel() string {
	width := "32"
	if strings.HasPrefix(o.Register, "%rd") {
		width = "64"
	}
	statements := strings.Split(o.Statements, "; ")
	for i, s := range statements {
		statements[i] = strings.TrimSuffix(s, ";") + ";"
	}
	return Kernel(append(statements, "ld.param.u64 %rd9, [k_param_0];", "st.global.b"+width+" [%rd9], "+o.Register+";", "ret;")...)
}

const nan, one, two = "0f7FC00000", "0f3F800000", "0f40000000"

// Operations are those that the kernels seldom have, or have no hard cases of.
var Operations = []Operation{
	{"shl.b32 %r1, 3, 31;", "%r1", 0x80000000},
	{"mov.u32 %r2, 32; shl.b32 %r1, 3, %r2;", "%r1", 0},
	{"mov.u32 %r2, 40; shr.s32 %r1, -8, %r2;", "%r1", 0xffffffff},
	{"mov.u32 %r2, 40; shr.u32 %r1, -8, %r2;", "%r1", 0},
	{"shr.s64 %rd1, -8, 1;", "%rd1", 0xfffffffffffffffc},
	{"mul.wide.s32 %rd1, -2, 3;", "%rd1", 0xfffffffffffffffa},
	{"mul.wide.u32 %rd1, -2, 3;", "%rd1", 0x2fffffffa},
	{"mul.hi.u32 %r1, -2, 3;", "%r1", 2},
	{"mul.hi.s64 %rd1, -2, 3;", "%rd1", 0xffffffffffffffff},
	{"mul.lo.s64 %rd1, -2, 3;", "%rd1", 0xfffffffffffffffa},
	{"mov.u64 %rd2, 5; mad.lo.s64 %rd1, -2, 3, %rd2;", "%rd1", 0xffffffffffffffff},
	{"mov.u64 %rd2, 5; mad.wide.u32 %rd1, -1, 2, %rd2;", "%rd1", 0x200000003},
	{"div.s32 %r1, -7, 2;", "%r1", 0xfffffffd},
	{"rem.s32 %r1, -7, 2;", "%r1", 0xffffffff},
	{"div.u32 %r1, -7, 2;", "%r1", 0x7ffffffc},
	{"min.s32 %r1, -7, 2;", "%r1", 0xfffffff9},
	{"min.u32 %r1, -7, 2;", "%r1", 2},
	{"abs.s32 %r1, -7;", "%r1", 7},
	{"bfe.u32 %r1, -16, 2, 4;", "%r1", 12},
	{"bfe.s32 %r1, -16, 2, 4;", "%r1", 0xfffffffc},
	{"bfe.u32 %r1, -16, 28, 20;", "%r1", 15},
	{"cvt.s64.s32 %rd1, -7;", "%rd1", 0xfffffffffffffff9},
	{"cvt.u64.u32 %rd1, -7;", "%rd1", 0xfffffff9},
	{"mov.u32 %r2, 0x18005; cvt.u16.u32 %rs1, %r2; cvt.s32.s16 %r1, %rs1;", "%r1", 0xffff8005},
	{"mov.u32 %r1, 3; mov.u32 %r2, 1; mov.b64 %rd1, {%r1, %r2};", "%rd1", 0x100000003},
	{"mov.u64 %rd2, -7; mov.b64 {%r2, %r1}, %rd2;", "%r1", 0xffffffff},
	{"cvt.rn.f32.s32 %f1, 16777217; mov.b32 %r1, %f1;", "%r1", 0x4b800000},
	{"mov.b32 %f1, 1065353216; add.rn.f32 %f1, %f1, " + one + "; mov.b32 %r1, %f1;", "%r1", 0x40000000},
	{"mov.f32 %f2, " + one + "; neg.f32 %f1, %f2; mov.b32 %r1, %f1;", "%r1", 0xbf800000},
	{"setp.ne.f32 %p1, " + nan + ", " + one + "; selp.b32 %r1, 1, 2, %p1;", "%r1", 2},
	{"setp.neu.f32 %p1, " + nan + ", " + one + "; selp.b32 %r1, 1, 2, %p1;", "%r1", 1},
	{"setp.equ.f32 %p1, " + one + ", " + two + "; selp.b32 %r1, 1, 2, %p1;", "%r1", 2},
	{"setp.ltu.f32 %p1, " + one + ", " + nan + "; selp.b32 %r1, 1, 2, %p1;", "%r1", 1},
	{"setp.nan.f32 %p1, " + one + ", " + two + "; selp.b32 %r1, 1, 2, %p1;", "%r1", 2},
	{"setp.lt.s32 %p1, -1, 1; setp.lt.u32 %p2, -1, 1; xor.pred %p3, %p1, %p2; selp.b32 %r1, 1, 2, %p3;", "%r1", 1},
	{"setp.lo.u32 %p1, -1, 1; selp.b32 %r1, 1, 2, %p1;", "%r1", 2},
	{"mov.pred %p1, -1; mov.u32 %r1, 3; @!%p1 mov.u32 %r1, 4;", "%r1", 3},
}

// Unknown are statements that are to be refused, with what the error is to name.
var Unknown = []struct{ Why, Statement, Want string }{
	{"an approximation", "rcp.approx.f32 %f1, %f2;", "rcp.approx.f32"},
	{"subnormals flushed", "fma.rn.ftz.f32 %f1, %f2, %f3, %f4;", "fma.rn.ftz.f32"},
	{"a product that may be contracted", "mul.f32 %f1, %f2, %f3;", "mul.f32"},
	{"another rounding", "add.rz.f32 %f1, %f2, %f3;", "add.rz.f32"},
	{"a sum that saturates", "add.sat.s32 %r1, %r2, %r3;", "add.sat.s32"},
	{"double precision", "add.rn.f64 %rd1, %rd2, %rd3;", "add.rn.f64"},
	{"an atomic", "atom.global.add.u32 %r1, [%rd1], %r2;", "atom.global.add.u32"},
	{"a load that is volatile", "ld.volatile.global.u32 %r1, [%rd1];", "volatile"},
	{"another barrier", "bar.sync 1;", "bar.sync"},
	{"a barrier of some threads", "bar.sync 0, 64;", "bar.sync"},
	{"a shuffle of half a warp", "shfl.sync.bfly.b32 %r1, %r2, 1, 15, -1;", "shfl.sync.bfly.b32"},
	{"a comparison with a condition", "setp.lt.and.s32 %p1, %r1, %r2, %p2;", "setp.lt.and.s32"},
	{"an unordered comparison of ints", "setp.neu.s32 %p1, %r1, %r2;", "setp.neu.s32"},
	{"a float made an int", "cvt.rzi.s32.f32 %r1, %f1;", "cvt.rzi.s32.f32"},
	{"another special register", "mov.u32 %r1, %clock.x;", "clock"},
	{"a label that is not there", "bra L;", "bra"},
	{"an array that is not there", "mov.u64 %rd1, room;", "mov.u64"},
	{"a parameter of another width", "ld.param.u32 %r1, [k_param_0];", "ld.param.u32"},
	{"too few operands", "add.s32 %r1, %r2;", "add.s32"},
}
