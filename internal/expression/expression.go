// Package expression compiles expressions of the language of expr-lang/expr that give one number,
// for an environment of named values. An expression is a function of its environment alone and
// gives the same bits on every CPU; its cost is bounded; a mistake is one line that points at the
// character.
//
// Left out of the language are its date, text, sorting and conversion functions, maps, ranges and
// $env. Division, powers and sums of integers are checked: an undefined value or an overflow is an
// error and never a number. Lists of booleans count as 0 and 1 wherever numbers are wanted.
package expression

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// Bounds of an expression: its bytes, its nodes, how deep predicates may be nested, how many
// entries the lists it makes may have together, and how many entries of lists one evaluation
// may look at, each as often as it does.
const (
	maxText   = 4096
	maxNodes  = 500
	maxDepth  = 2
	maxMemory = 1 << 20
	maxSteps  = 1 << 18
)

// A Program is a compiled expression. It holds buffers between calls: use one per goroutine.
type Program struct {
	text    string
	program *vm.Program
	machine vm.VM
	library *library
	reads   []string
}

// Compile compiles an expression that gives a number or a boolean. An error is a *Mistake.
func Compile(text string, variables []Variable) (_ *Program, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser's or the checker's own fault
			err = &Mistake{Text: text, Message: fmt.Sprintf("cannot be compiled: %v", r)}
		}
	}()
	if strings.TrimSpace(text) == "" {
		return nil, &Mistake{Text: text, Message: "it is empty"}
	}
	if len(text) > maxText {
		return nil, &Mistake{Text: text[:40] + "...", Message: fmt.Sprintf("it has %d bytes, want at most %d", len(text), maxText)}
	}
	sample := map[string]any{}
	for _, v := range variables {
		sample[v.Name] = v.Sample
	}
	options := []expr.Option{expr.Env(sample), expr.DisableAllBuiltins(), expr.MaxNodes(maxNodes), expr.Optimize(false)}
	// The second rewriter is for names whose type the first one determined.
	options = append(options, expr.Patch(rewriter{}), expr.Patch(forgetter{}), expr.Patch(rewriter{}), expr.Patch(lastly{}))
	for _, name := range builtins {
		options = append(options, expr.EnableBuiltin(name))
	}
	lib, config := &library{}, (*conf.Config)(nil)
	options = append(options, func(c *conf.Config) {
		config = c
		for _, f := range lib.functions() {
			c.Functions[f.Name] = f
		}
	})
	program, err := expr.Compile(text, options...)
	if err != nil {
		return nil, explain(text, err, variables)
	}
	c := checker{names: variables, depth: map[ast.Node]int{}}
	node := program.Node()
	ast.Walk(&node, &c)
	c.membersAlone()
	if c.wrong == nil && !isNumber(node.Type()) && node.Type().Kind() != reflect.Bool {
		c.refuse(node, "it gives %s, want a number", typeText(node.Type()))
	}
	if c.wrong != nil {
		return nil, explain(text, c.wrong.Bind(file.NewSource(text)), variables)
	}
	ast.Walk(&node, meter{}) // a call around the list of a loop would hide the list's type from the checks
	if program, err = compiler.Compile(&parser.Tree{Node: node, Source: program.Source()}, config); err != nil {
		return nil, explain(text, err, variables)
	}
	p := &Program{text: text, program: program, library: lib, reads: c.reads}
	p.machine.MemoryBudget = maxMemory
	return p, nil
}

// Reads lists the variables that the expression reads, "a.b" for the member b of a, in
// order of appearance.
func (p *Program) Reads() []string { return p.reads }

// Has reports whether the expression reads a variable, or a member of it.
func (p *Program) Has(name string) bool {
	return slices.ContainsFunc(p.reads, func(read string) bool { return read == name || strings.HasPrefix(read, name+".") })
}

// Number evaluates the expression; a boolean counts as 0 or 1. An error is a *Mistake,
// and a value that is not finite is a Mistake, and so is an evaluation of too many steps. If
// the context has ended, which nil never does, the error is the context's.
func (p *Program) Number(ctx context.Context, env map[string]any) (float64, error) {
	p.library.begin(ctx)
	value, err := p.machine.Run(p.program, env)
	if ended := p.library.ended(); ended != nil {
		return 0, ended
	}
	if err != nil {
		return 0, explain(p.text, err, nil)
	}
	var x float64
	switch value := value.(type) {
	case float64:
		x = value
	case int:
		x = float64(value)
	case bool:
		if value {
			x = 1
		}
	default:
		return 0, &Mistake{Text: p.text, Message: fmt.Sprintf("it gives %T, want a number", value)}
	}
	if x-x != 0 {
		return 0, &Mistake{Text: p.text, Message: fmt.Sprintf("it gives %v, want a finite number", x), Undefined: true}
	}
	return x, nil
}
