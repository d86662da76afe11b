// Package ptxcc translates PTX to C++ that takes the place of the kernels' sources in the
// library that stands in for the driver (shim/table.cc). What runs there is then what the
// compiler made of the kernels, operation by operation. It is for tests.
package ptxcc

import (
	_ "embed"
	"fmt"
	"strings"

	"modebench/policies/internal/device/cuda/ptx"
)

//go:embed prelude.h
var prelude string

// Translate gives the C++ of all kernels and the table of them. An operation that it does not
// know is an error that names it and its line.
func Translate(text string) (string, error) {
	kernels, err := ptx.Parse(text)
	if err != nil {
		return "", err
	}
	if len(kernels) == 0 {
		return "", fmt.Errorf("the PTX has no kernel")
	}
	var out, table strings.Builder
	out.WriteString(prelude)
	for _, k := range kernels {
		if err := translate(&out, k); err != nil {
			return "", fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		fmt.Fprintf(&table, "    KERNEL(%s),\n", k.Name)
	}
	fmt.Fprintf(&out, "\nconst ShimKernel shim_kernels[] = {\n%s};\nconst int shim_kernel_count = sizeof shim_kernels / sizeof shim_kernels[0];\n", &table)
	return out.String(), nil
}

// translate writes a kernel as a function of its parameters.
func translate(out *strings.Builder, k *ptx.Kernel) error {
	var params []string
	for _, p := range k.Params {
		c := cType(p.Type)
		if c == "" {
			return fmt.Errorf("the parameter %s has the type %s, which is not known here", p.Name, p.Type)
		}
		params = append(params, c+" "+identifier(p.Name))
	}
	fmt.Fprintf(out, "\nstatic void %s(%s) {\n", k.Name, strings.Join(params, ", "))
	for _, s := range k.Shared {
		// Blocks of shared memory lie one after the other as they are declared.
		fmt.Fprintf(out, "  __shared__ unsigned char %s[%d] __attribute__((aligned(%d)));\n", identifier(s.Name), s.Bytes, s.Align)
	}
	for _, r := range k.Registers {
		c := map[string]string{"pred": "bool", "f32": "float", "b16": "uint16_t", "b32": "uint32_t", "b64": "uint64_t"}[r.Type]
		if c == "" {
			return fmt.Errorf("registers of type %s, which is not known here", r.Type)
		}
		for n := 1; n < r.Count; n++ {
			fmt.Fprintf(out, "  %s %s%d = 0;\n", c, r.Name, n)
		}
	}
	labels := map[int][]string{}
	for name, at := range k.Labels {
		labels[at] = append(labels[at], name)
	}
	t := translator{k}
	for at := range len(k.Code) + 1 {
		for _, name := range labels[at] { // their order changes nothing
			fmt.Fprintf(out, "%s:;\n", identifier(name))
		}
		if at == len(k.Code) {
			break
		}
		i := &k.Code[at]
		statement, err := t.statement(i)
		if err != nil {
			return err
		}
		if i.Guard != "" {
			not := map[bool]string{true: "!"}[i.Unless]
			statement = fmt.Sprintf("if (%s%s) { %s }", not, i.Guard, statement)
		}
		fmt.Fprintf(out, "  %s\n", statement)
	}
	out.WriteString("}\n")
	return nil
}

// identifier makes a name of PTX one of C++.
func identifier(name string) string { return strings.ReplaceAll(name, "$", "L_") }

// cType is the C++ type of a PTX type, "" for one that is not known.
func cType(typ string) string {
	if typ == "f32" {
		return "float"
	}
	n := ptx.Width(typ)
	if n < 8 || typ[0] == 'f' {
		return ""
	}
	if typ[0] == 's' {
		return fmt.Sprintf("int%d_t", n)
	}
	return fmt.Sprintf("uint%d_t", n)
}

// places are special registers, as the shim has them.
var places = map[string]string{}

func init() {
	for name, c := range map[string]string{"tid": "threadIdx", "ctaid": "blockIdx", "ntid": "blockDim", "nctaid": "gridDim"} {
		for _, axis := range []string{"x", "y", "z"} {
			places[name+"."+axis] = c + "." + axis
		}
	}
}
