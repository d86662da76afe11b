// Package arith reads arithmetic expressions as people and language models write them, and
// computes with them exactly: integers and quotients of integers, never floating point.
//
// The grammar is that of numbers, + - * /, signs, parentheses and white space (any of
// Unicode's), with the precedence of Python: a sign binds tighter than * and /, which bind
// tighter than + and -, and operators of one rank group from the left. The signs × (U+00D7),
// ÷ (U+00F7) and − (U+2212), which papers print and language models write, are read as *, / and -.
// Numbers are natural, without leading zeros. Expressions are bounded in length, depth and size
// (MaxBytes, MaxDepth, MaxTokens), so that no text takes long.
package arith

// An Op is the kind of a node of an expression.
type Op byte

// The kinds of nodes.
const (
	Number Op = iota
	Add
	Sub
	Mul
	Div
	Neg // a minus sign with one operand
)

// A Node is a number or an operation. Nodes are in postfix order: operands come
// before their operation, and the last node is the whole expression.
type Node struct {
	Op          Op
	Left, Right int32 // numbers of the operands' nodes; Neg has Left alone
	Value       int64 // of a Number, at least 0
}

// Bounds of expressions.
const (
	MaxBytes  = 10_000
	MaxDepth  = 100  // parentheses open at a time
	MaxTokens = 1000 // numbers, operators and signs
)

// printed are the operators that are not ASCII, and their ASCII forms.
var printed = [...]struct {
	text  string
	ascii byte
}{{"×", '*'}, {"÷", '/'}, {"−", '-'}}
