// Package ptxrun interprets PTX, thread by thread, and watches what a card would not tell:
// races, accesses outside of memory, at odd addresses, of memory that nobody has written. It
// is for tests; it shares no code with package ptxcc but the reader of PTX, so that the two
// can be held against each other.
package ptxrun

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/policies/internal/device/cuda/ptx"
)

// A Program is a kernel, ready to run.
type Program struct {
	Name   string
	params []ptx.Param
	code   []step
	start  []value // what a thread's registers begin with
	arrays []array // shared memory, in the order of addresses
	room   uint64  // the shared address after the last one
	places map[string]int32
	inputs []int32 // the registers that parameters are in
}

// value is what a register holds. It is undefined where it comes of memory or registers that
// nobody has written.
type value struct {
	bits      uint64
	undefined bool
}

type array struct {
	name     string
	from, to uint64
}

type kind uint8

const (
	compute kind = iota + 1
	choose
	halve // a 64-bit register into to and b
	load
	store
	jump
	end
	blockBarrier
	warpBarrier
	shuffle
)

// A step is an instruction with its registers by number; constants have registers too.
type step struct {
	kind    kind
	unless  bool
	line    int32
	guard   int32 // -1: none
	to      int32
	a, b, c int32
	compute func(a, b, c uint64) uint64 // of shuffle: the lane, of the own one and b
	target  int
	access
}

// access is what a load or store moves: registers of so many bytes each from or to an address.
type access struct {
	space     string // global, shared, or "" where the address says which
	registers []int32
	bytes     int
	widths    []int // of the registers, in bits
	signed    bool
	constant  bool // read as what nobody writes while the kernel runs (ld.global.nc)
	offset    uint64
}

// Where things lie: shared memory begins where a null pointer does not reach, with gaps between
// arrays, and generic addresses have it in a window of its own.
const (
	sharedStart = 1 << 12
	sharedGap   = 1 << 10
	window      = 1 << 56
)

// Read makes programs of the kernels of a file, by their names.
func Read(text string) (map[string]*Program, error) {
	kernels, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	all := map[string]*Program{}
	for _, k := range kernels {
		if all[k.Name], err = Compile(k); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Compile makes a program of a kernel. An operation that is not known is an error that names it
// and its line.
func Compile(k *ptx.Kernel) (*Program, error) {
	p := &Program{Name: k.Name, params: k.Params, places: map[string]int32{}, room: sharedStart}
	for _, s := range k.Shared {
		align := uint64(max(s.Align, 1))
		from := (p.room + sharedGap + align - 1) / align * align
		p.room = from + uint64(s.Bytes)
		p.arrays = append(p.arrays, array{s.Name, from, p.room})
	}
	c := &compiler{Program: p, kernel: k, registers: map[string]int32{}, constants: map[uint64]int32{}}
	for range k.Params {
		p.inputs = append(p.inputs, c.register(value{}))
	}
	for n := range k.Code {
		s, err := c.step(&k.Code[n])
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		p.code = append(p.code, s)
	}
	p.code = append(p.code, step{kind: end, guard: -1})
	return p, nil
}

type compiler struct {
	*Program
	kernel    *ptx.Kernel
	registers map[string]int32
	constants map[uint64]int32
}

func (c *compiler) register(v value) int32 {
	c.start = append(c.start, v)
	return int32(len(c.start) - 1)
}

func (c *compiler) constant(bits uint64) int32 {
	n, ok := c.constants[bits]
	if !ok {
		n = c.register(value{bits: bits})
		c.constants[bits] = n
	}
	return n
}

// width is how many bits a register was declared with, 0 if it was not.
func (c *compiler) width(name string) int {
	for _, r := range c.kernel.Registers {
		if number, ok := strings.CutPrefix(name, r.Name); ok && number != "" && strings.Trim(number, "0123456789") == "" {
			return ptx.Width(r.Type)
		}
	}
	return 0
}

// operand is the register of an operand; constants of a type are cut to its width.
func (c *compiler) operand(i *ptx.Instruction, o ptx.Operand, width int) (int32, error) {
	switch o.Kind {
	case ptx.Register:
		if n, ok := c.registers[o.Name]; ok {
			return n, nil
		}
		axis := slices.Contains([]string{"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z",
			"ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z"}, o.Name)
		if !axis && c.width(o.Name) == 0 {
			return 0, i.Errorf("the register %%%s is not known here", o.Name)
		}
		n := c.register(value{undefined: !axis})
		c.registers[o.Name] = n
		if axis {
			c.places[o.Name] = n
		}
		return n, nil
	case ptx.Constant:
		return c.constant(cut(o.Bits, width)), nil
	case ptx.Symbol:
		for _, a := range c.arrays {
			if a.name == o.Name {
				return c.constant(a.from), nil
			}
		}
		return 0, i.Errorf("%s is no array of the kernel", o.Name)
	}
	return 0, i.Errorf("an operand that is not known here")
}

func (c *compiler) step(i *ptx.Instruction) (step, error) {
	s := step{guard: -1, unless: i.Unless, line: int32(i.Line)}
	var err error
	if i.Guard != "" {
		if s.guard, err = c.operand(i, ptx.Operand{Kind: ptx.Register, Name: i.Guard}, 1); err != nil {
			return s, err
		}
	}
	switch name := i.Name(); {
	case name == "ret" || name == "exit":
		s.kind = end
		return s, nil
	case name == "bra" || name == "bra.uni":
		s.kind = jump
		ok := false
		if len(i.Args) == 1 {
			s.target, ok = c.kernel.Labels[i.Args[0].Name]
		}
		if !ok {
			return s, i.Errorf("no such label")
		}
		return s, nil
	case name == "bar.sync" || name == "barrier.sync":
		s.kind = blockBarrier
		if len(i.Args) != 1 || i.Args[0].Kind != ptx.Constant || i.Args[0].Bits != 0 {
			return s, i.Errorf("want barrier 0, for all threads")
		}
		return s, nil
	case i.Op[0] == "ld" && len(i.Op) == 3 && i.Op[1] == "param":
		return c.param(i, s)
	case i.Op[0] == "ld" || i.Op[0] == "st":
		return c.memory(i, s)
	}
	return c.operation(i, s)
}

// param is the load of a parameter, whose bits are read as they are.
func (c *compiler) param(i *ptx.Instruction, s step) (step, error) {
	s.kind, s.compute = compute, func(a, _, _ uint64) uint64 { return a }
	if len(i.Args) != 2 || i.Args[1].Kind != ptx.Address || i.Args[1].Offset != 0 {
		return s, i.Errorf("want a register and a parameter")
	}
	var err error
	if s.to, err = c.operand(i, i.Args[0], 0); err != nil {
		return s, err
	}
	if i.Type()[0] == 's' && c.width(i.Args[0].Name) > ptx.Width(i.Type()) {
		s.compute = func(a, _, _ uint64) uint64 {
			return cut(uint64(signed(a, ptx.Width(i.Type()))), c.width(i.Args[0].Name))
		}
	}
	for n, p := range c.params {
		if p.Name == i.Args[1].Base.Name && ptx.Width(p.Type) == ptx.Width(i.Type()) {
			s.a, s.b, s.c = c.inputs[n], c.inputs[n], c.inputs[n]
			return s, nil
		}
	}
	return s, i.Errorf("no parameter of this name and width")
}

// memory is a load or a store.
func (c *compiler) memory(i *ptx.Instruction, s step) (step, error) {
	s.kind = map[string]kind{"ld": load, "st": store}[i.Op[0]]
	count := 1
	for _, part := range i.Op[1 : len(i.Op)-1] {
		switch part {
		case "global", "shared":
			s.space = part
		case "v2":
			count = 2
		case "v4":
			count = 4
		case "nc":
			s.constant = true
		default:
			return s, i.Errorf("%s is not known here", part)
		}
	}
	s.bytes, s.signed = ptx.Width(i.Type())/8, i.Type()[0] == 's'
	if s.bytes == 0 || len(i.Args) != 2 {
		return s, i.Errorf("want a type that is known here, and two operands")
	}
	there, here := i.Args[1], i.Args[0]
	if s.kind == store {
		there, here = here, there
	}
	if there.Kind != ptx.Address {
		return s, i.Errorf("want an address")
	}
	var err error
	if s.a, err = c.operand(i, *there.Base, 64); err != nil {
		return s, err
	}
	s.offset = uint64(there.Offset)
	parts := []ptx.Operand{here}
	if here.Kind == ptx.Vector {
		parts = here.Parts
	}
	if len(parts) != count {
		return s, i.Errorf("%d registers, want %d", len(parts), count)
	}
	for _, o := range parts {
		n, err := c.operand(i, o, 8*s.bytes)
		if err != nil {
			return s, err
		}
		s.registers, s.widths = append(s.registers, n), append(s.widths, c.width(o.Name))
	}
	return s, nil
}

// cut leaves the lowest so many bits.
func cut(bits uint64, width int) uint64 {
	if width <= 0 || width >= 64 {
		return bits
	}
	return bits & (1<<width - 1)
}

// signed is the lowest so many bits as an int.
func signed(bits uint64, width int) int64 {
	return int64(bits<<(64-width)) >> (64 - width)
}

func float(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func bitsOf(x float32) uint64   { return uint64(math.Float32bits(x)) }
func truth(condition bool) uint64 {
	if condition {
		return 1
	}
	return 0
}
