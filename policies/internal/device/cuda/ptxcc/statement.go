package ptxcc

import (
	"fmt"
	"strings"

	"modebench/policies/internal/device/cuda/ptx"
)

// A translator translates the instructions of a kernel.
type translator struct{ *ptx.Kernel }

// value is an operand as C++: a register, a constant, or the address of an array.
func (t translator) value(i *ptx.Instruction, o ptx.Operand) (string, error) {
	switch o.Kind {
	case ptx.Register:
		if place, ok := places[o.Name]; ok {
			return place, nil
		}
		if strings.Contains(o.Name, ".") {
			return "", i.Errorf("the register %%%s is not known here", o.Name)
		}
		return o.Name, nil
	case ptx.Constant:
		if i.Type() == "f32" {
			return fmt.Sprintf("as_float(%#xu)", o.Bits), nil
		}
		if ptx.Width(i.Type()) == 32 {
			return fmt.Sprintf("%#xu", uint32(o.Bits)), nil
		}
		return fmt.Sprintf("%#xull", o.Bits), nil
	case ptx.Symbol:
		for _, s := range t.Shared {
			if s.Name == o.Name {
				return "(uint64_t)" + identifier(o.Name), nil
			}
		}
		return "", i.Errorf("%s is no array of the kernel", o.Name)
	}
	return "", i.Errorf("an operand that is not known here")
}

// address is where an operand in brackets points.
func (t translator) address(i *ptx.Instruction, o ptx.Operand) (string, error) {
	if o.Kind != ptx.Address {
		return "", i.Errorf("want an address")
	}
	base, err := t.value(i, *o.Base)
	return fmt.Sprintf("%s + (%dll)", base, o.Offset), err
}

// statement is the instruction without its guard.
func (t translator) statement(i *ptx.Instruction) (string, error) {
	switch i.Name() {
	case "ret", "exit":
		return "return;", nil
	case "bra", "bra.uni":
		if len(i.Args) != 1 || i.Args[0].Kind != ptx.Symbol {
			return "", i.Errorf("want a label")
		}
		if _, ok := t.Labels[i.Args[0].Name]; !ok {
			return "", i.Errorf("no label %s", i.Args[0].Name)
		}
		return "goto " + identifier(i.Args[0].Name) + ";", nil
	case "bar.sync", "barrier.sync":
		if len(i.Args) != 1 || i.Args[0].Kind != ptx.Constant || i.Args[0].Bits != 0 {
			return "", i.Errorf("want barrier 0, for all threads")
		}
		return fmt.Sprintf("shim_sync_block(%d);", i.Line), nil
	}
	switch i.Op[0] {
	case "ld", "st":
		return t.memory(i)
	case "mov":
		if len(i.Args) == 2 && (i.Args[0].Kind == ptx.Vector || i.Args[1].Kind == ptx.Vector) {
			return t.halves(i)
		}
	}
	args := make([]string, len(i.Args))
	for n, o := range i.Args {
		var err error
		if args[n], err = t.value(i, o); err != nil {
			return "", err
		}
	}
	return operation(i, args)
}

// halves translates a mov between a register and the two of half its width.
func (t translator) halves(i *ptx.Instruction) (string, error) {
	to, from := i.Args[0], i.Args[1]
	unknown := i.Errorf("want a 64-bit register and two of 32 bits")
	if i.Name() != "mov.b64" {
		return "", unknown
	}
	if from.Kind == ptx.Vector && len(from.Parts) == 2 && to.Kind == ptx.Register {
		low, err := t.value(i, from.Parts[0])
		if err != nil {
			return "", err
		}
		high, err := t.value(i, from.Parts[1])
		return fmt.Sprintf("set(%s, (uint64_t)as_bits(%s) | (uint64_t)as_bits(%s) << 32);", to.Name, low, high), err
	}
	if to.Kind == ptx.Vector && len(to.Parts) == 2 && from.Kind == ptx.Register {
		return fmt.Sprintf("{ const uint64_t whole = %s; set(%s, (uint32_t)whole); set(%s, (uint32_t)(whole >> 32)); }",
			from.Name, to.Parts[0].Name, to.Parts[1].Name), nil
	}
	return "", unknown
}

// memory translates loads and stores.
func (t translator) memory(i *ptx.Instruction) (string, error) {
	count, space := 1, "generic"
	for _, part := range i.Op[1 : len(i.Op)-1] {
		switch part {
		case "global", "shared", "param":
			space = part
		case "v2", "v4":
			count = int(part[1] - '0')
		case "nc":
		default:
			return "", i.Errorf("%s is not known here", part)
		}
	}
	typ := cType(i.Type())
	if typ == "" || len(i.Args) != 2 {
		return "", i.Errorf("want a type that is known here, and two operands")
	}
	if space == "param" {
		return t.param(i, typ)
	}
	there, here := i.Args[1], i.Args[0]
	if i.Op[0] == "st" {
		there, here = here, there
	}
	at, err := t.address(i, there)
	if err != nil {
		return "", err
	}
	parts := []ptx.Operand{here}
	if here.Kind == ptx.Vector {
		parts = here.Parts
	}
	if len(parts) != count {
		return "", i.Errorf("%d registers, want %d", len(parts), count)
	}
	size := ptx.Width(i.Type()) / 8
	statement := fmt.Sprintf("{ const uint64_t at = %s; ", at)
	if bytes := size * count; bytes > 4 {
		statement += fmt.Sprintf("if (at %% %d) shim_misaligned((const void *)at, %d, %d); ", bytes, bytes, i.Line)
	}
	for n, o := range parts {
		value, err := t.value(i, o)
		if err != nil {
			return "", err
		}
		if i.Op[0] == "ld" {
			statement += fmt.Sprintf("set(%s, load<%s>(at + %d)); ", value, typ, size*n)
		} else {
			statement += fmt.Sprintf("{ %s x; set(x, %s); store(at + %d, x); } ", typ, value, size*n)
		}
	}
	return statement + "}", nil
}

// param translates the load of a parameter, which may be of another type than it was
// declared with: it is its bytes that are read.
func (t translator) param(i *ptx.Instruction, typ string) (string, error) {
	from := i.Args[1]
	if i.Op[0] != "ld" || i.Args[0].Kind != ptx.Register || from.Kind != ptx.Address || from.Base.Kind != ptx.Symbol || from.Offset != 0 {
		return "", i.Errorf("want a register and a parameter")
	}
	for _, p := range t.Params {
		if p.Name == from.Base.Name && ptx.Width(p.Type) == ptx.Width(i.Type()) {
			return fmt.Sprintf("set(%s, load<%s>((uint64_t)&%s));", i.Args[0].Name, typ, identifier(p.Name)), nil
		}
	}
	return "", i.Errorf("no parameter %s of this width", from.Base.Name)
}
