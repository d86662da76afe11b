// Package ptx reads PTX, the text that clang makes of the kernels, into instructions. It is
// for tests: nothing else needs more of the text than package cuda reads itself.
//
// It reads what clang's NVPTX back-end writes for kernels that call no function: one
// statement a line, registers, parameters and shared memory that a kernel declares for
// itself. All else is an error that names its line.
package ptx

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Kernel is an entry of the file.
type Kernel struct {
	Name      string
	Params    []Param
	Shared    []Shared
	Registers []Registers
	Code      []Instruction
	Labels    map[string]int // of the instruction that follows, len(Code) at the end
}

// A Param is a parameter; its type is one of PTX, such as u64.
type Param struct{ Name, Type string }

// Shared is an array of so many bytes in the shared memory of a block.
type Shared struct {
	Name         string
	Align, Bytes int
}

// Registers declares the registers %name1 to %name(count-1).
type Registers struct {
	Type, Name string
	Count      int
}

// An Instruction is an operation with its operands, of which the destination comes first.
type Instruction struct {
	Line int
	// Guard is the predicate's register; the instruction has an effect where that is
	// true, or false if Unless is set. "" for one that always has.
	Guard  string
	Unless bool
	Op     []string // the operation's parts: ld, global, f32
	Args   []Operand
}

// Name is the operation as it is written.
func (i *Instruction) Name() string { return strings.Join(i.Op, ".") }

// Type is the operation's last part.
func (i *Instruction) Type() string { return i.Op[len(i.Op)-1] }

// Errorf is an error about the instruction, which names it and its line.
func (i *Instruction) Errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s: %s", i.Line, i.Name(), fmt.Sprintf(format, args...))
}

// OperandKind is what an operand is.
type OperandKind int

// What operands are.
const (
	Register OperandKind = iota + 1 // Name, without the percent sign, also that of a special register
	Constant                        // Bits
	Symbol                          // Name: of a label, a parameter or an array
	Address                         // Base (a register, constant or symbol) and Offset
	Vector                          // Parts
)

// An Operand is what an instruction works on.
type Operand struct {
	Kind   OperandKind
	Name   string
	Bits   uint64 // of an int, sign-extended; of a float's own width
	Base   *Operand
	Offset int64
	Parts  []Operand
}

// Parse reads a file.
func Parse(text string) ([]*Kernel, error) {
	p := &parser{}
	for line := range strings.Lines(text) {
		p.line++
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.read(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if p.kernel != nil {
		return nil, fmt.Errorf("kernel %s does not end", p.kernel.Name)
	}
	return p.all, nil
}

type parser struct {
	all    []*Kernel
	kernel *Kernel // the one that lines belong to
	body   bool    // they do within its braces
	line   int
}

var (
	entryLine    = regexp.MustCompile(`^(?:\.visible\s+)?\.entry\s+([A-Za-z_$][\w$]*)\s*\(\s*(\))?$`)
	paramLine    = regexp.MustCompile(`^\.param\s+\.([a-z]+\d+)\s+(?:\.ptr\s+)?(?:\.(?:global|const)\s+)?(?:\.align\s+\d+\s+)?([\w$]+),?$`)
	labelLine    = regexp.MustCompile(`^([A-Za-z_$][\w$]*):$`)
	registerLine = regexp.MustCompile(`^\.reg\s+\.(\w+)\s+%([A-Za-z]+)<(\d+)>;$`)
	sharedLine   = regexp.MustCompile(`^\.shared\s+\.align\s+(\d+)\s+\.b8\s+([\w$]+)\[(\d+)\];$`)
	codeLine     = regexp.MustCompile(`^(?:@(!?)%(\w+)\s+)?([a-z][a-z0-9_]*(?:\.[a-z0-9_:]+)*)(?:\s+(.*))?;$`)
)

// read takes one line.
func (p *parser) read(line string) error {
	if !p.body {
		return p.readHead(line)
	}
	k := p.kernel
	if line == "}" {
		p.all, p.kernel, p.body = append(p.all, k), nil, false
		return nil
	}
	if strings.HasPrefix(line, ".pragma ") {
		return nil // advice to the compiler
	}
	if m := registerLine.FindStringSubmatch(line); m != nil {
		n, err := strconv.Atoi(m[3])
		k.Registers = append(k.Registers, Registers{m[1], m[2], n})
		return err
	}
	if m := sharedLine.FindStringSubmatch(line); m != nil {
		align, _ := strconv.Atoi(m[1])
		bytes, err := strconv.Atoi(m[3])
		k.Shared = append(k.Shared, Shared{m[2], align, bytes})
		return err
	}
	if m := labelLine.FindStringSubmatch(line); m != nil {
		if _, twice := k.Labels[m[1]]; twice {
			return fmt.Errorf("the label %s for the second time", m[1])
		}
		k.Labels[m[1]] = len(k.Code)
		return nil
	}
	m := codeLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is no statement that is known here", line)
	}
	i := Instruction{Line: p.line, Guard: m[2], Unless: m[1] == "!", Op: strings.Split(m[3], ".")}
	var err error
	i.Args, err = operands(m[4])
	k.Code = append(k.Code, i)
	return err
}

// readHead takes a line outside of braces.
func (p *parser) readHead(line string) error {
	if m := entryLine.FindStringSubmatch(line); m != nil && p.kernel == nil {
		p.kernel = &Kernel{Name: m[1], Labels: map[string]int{}}
		return nil
	}
	if p.kernel == nil {
		for _, directive := range []string{".version ", ".target ", ".address_size 64"} {
			if strings.HasPrefix(line, directive) {
				return nil
			}
		}
		return fmt.Errorf("%q is nothing that is known here outside of kernels", line)
	}
	if m := paramLine.FindStringSubmatch(line); m != nil {
		p.kernel.Params = append(p.kernel.Params, Param{m[2], m[1]})
		return nil
	}
	switch {
	case line == ")", strings.HasPrefix(line, ".maxntid "), strings.HasPrefix(line, ".minnctapersm "), strings.HasPrefix(line, ".reqntid "):
		return nil
	case line == "{":
		p.body = true
		return nil
	}
	return fmt.Errorf("%q is nothing that is known here at the head of a kernel", line)
}

// operands reads what follows an operation.
func operands(text string) ([]Operand, error) {
	var all []Operand
	for _, part := range split(text) {
		o, err := operand(part)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// split cuts at the commas that are in no braces.
func split(text string) (parts []string) {
	depth, from := 0, 0
	for at, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, text[from:at]), at+1
			}
		}
	}
	if strings.TrimSpace(text) != "" {
		parts = append(parts, text[from:])
	}
	return parts
}

var (
	registerText = regexp.MustCompile(`^%([A-Za-z_][\w]*(?:\.[xyz])?)$`)
	symbolText   = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
	addressText  = regexp.MustCompile(`^\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]$`)
)

func operand(text string) (Operand, error) {
	text = strings.TrimSpace(text)
	if m := registerText.FindStringSubmatch(text); m != nil {
		return Operand{Kind: Register, Name: m[1]}, nil
	}
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		parts, err := operands(text[1 : len(text)-1])
		return Operand{Kind: Vector, Parts: parts}, err
	}
	if m := addressText.FindStringSubmatch(text); m != nil {
		base, err := operand(m[1])
		if err != nil {
			return Operand{}, err
		}
		var offset int64
		if m[2] != "" {
			offset, err = strconv.ParseInt(m[2], 0, 64)
		}
		return Operand{Kind: Address, Base: &base, Offset: offset}, err
	}
	if digits, ok := strings.CutPrefix(text, "0f"); ok && len(digits) == 8 {
		bits, err := strconv.ParseUint(digits, 16, 32)
		return Operand{Kind: Constant, Bits: bits}, err
	}
	if bits, err := strconv.ParseInt(text, 0, 64); err == nil {
		return Operand{Kind: Constant, Bits: uint64(bits)}, nil
	}
	if bits, err := strconv.ParseUint(text, 0, 64); err == nil {
		return Operand{Kind: Constant, Bits: bits}, nil
	}
	if symbolText.MatchString(text) {
		return Operand{Kind: Symbol, Name: text}, nil
	}
	return Operand{}, fmt.Errorf("%q is no operand that is known here", text)
}

// Width is the number of bits that a type has; a predicate has one. It is 0 for a type that
// is not known.
func Width(typ string) int {
	if typ == "pred" {
		return 1
	}
	if typ == "" || !strings.Contains("bsuf", typ[:1]) {
		return 0
	}
	n, err := strconv.Atoi(typ[1:])
	if err != nil || n != 8 && n != 16 && n != 32 && n != 64 {
		return 0
	}
	return n
}
