package expression

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// This file bounds what one evaluation costs. Every loop over a list adds the list's length to
// a count, before it begins, so that the same expression over the same lists always ends at
// the same place.

// A meterage is the count of one evaluation.
type meterage struct {
	ctx   context.Context
	steps int
}

// begin starts an evaluation, which ends early if the context does.
func (m *meterage) begin(ctx context.Context) { m.ctx, m.steps = ctx, 0 }

// ended is why the context has ended; nil: it has not.
func (m *meterage) ended() error {
	if m.ctx == nil {
		return nil
	}
	return m.ctx.Err()
}

// metered is a function of a list that counts its entries first, or 1 for another value.
func (m *meterage) metered(f func(args ...any) (any, error)) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		if err := m.ended(); err != nil {
			return nil, err
		}
		m.steps++
		if v := reflect.ValueOf(args[0]); v.Kind() == reflect.Slice {
			m.steps += v.Len() - 1
		}
		if m.steps > maxSteps {
			return nil, fmt.Errorf("it looks at more than %d entries of lists, each as often as it does", maxSteps)
		}
		return f(args...)
	}
}

// counted is the name, which no expression can hold, of the function that counts a list and gives
// it back.
const counted = "counted list"

// loops are the functions of the language that go through a list.
var loops = []string{"all", "any", "none", "one", "filter", "map", "count"}

// meter puts a count before every loop of the language in a tree whose types are known: of
// functions, and of operators that compare lists or look into them.
type meter struct{}

func (meter) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BuiltinNode:
		if slices.Contains(loops, n.Name) && len(n.Arguments) > 0 {
			countBefore(&n.Arguments[0])
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "in":
			countBefore(&n.Right)
		case "==", "!=":
			countBefore(&n.Left)
		}
	}
}

func countBefore(node *ast.Node) {
	n := *node
	if kind := n.Type().Kind(); kind != reflect.Slice && kind != reflect.Interface {
		return
	}
	call(counted, node, n).SetNature(*n.Nature())
}
