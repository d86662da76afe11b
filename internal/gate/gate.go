// Package gate compiles and judges the condition of a claim over the results of two
// sides, as in "a.low > b.high".
package gate

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"modebench/internal/expression"
)

// A Side is what a gate sees of one method: the mean over seeds of one of the claim's
// metrics after training, with its 95% interval, and the sample deviation of the seeds.
type Side struct {
	Mean float64 `expr:"mean"`
	Low  float64 `expr:"low"`
	High float64 `expr:"high"`
	SD   float64 `expr:"sd"`
	N    int     `expr:"n"`
}

// The variables of a gate that compares, and of one about a alone.
type (
	two struct {
		A Side `expr:"a"`
		B Side `expr:"b"`
	}
	one struct {
		A Side `expr:"a"`
	}
)

// A Gate is a compiled condition.
type Gate struct {
	program *vm.Program
	alone   bool
}

// Compile compiles a condition over a and b, or with alone over a. The error points at
// the mistake.
func Compile(text string, alone bool) (*Gate, error) {
	var env any = two{}
	sides := "a and b have"
	if alone {
		env, sides = one{}, "the claim is about a alone; a has"
	}
	program, err := expr.Compile(text, expr.Env(env), expr.AsBool())
	if err != nil {
		mistake := expression.Explain(text, err)
		if mistake.Column == 0 {
			return nil, fmt.Errorf("gate %q: %w", text, err)
		}
		mistake.Message = strings.ReplaceAll(mistake.Message, "gate.Side", "a side")
		mistake.Hint = sides + " mean, low, high, sd and n"
		return nil, fmt.Errorf("gate, %w", mistake)
	}
	return &Gate{program, alone}, nil
}

// Holds evaluates the gate. One about a alone does not read b.
func (g *Gate) Holds(a, b Side) (bool, error) {
	var env any = two{a, b}
	if g.alone {
		env = one{a}
	}
	holds, err := expr.Run(g.program, env)
	if err != nil {
		return false, err
	}
	return holds.(bool), nil // AsBool checked the type
}
