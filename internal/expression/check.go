package expression

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// rewriter replaces by checked functions the operators that are not the same everywhere (powers),
// silently wrong (integers that overflow) or not finite (quotients), and makes mixed integers and
// floats floats, so that the types of conditions and lists are known.
type rewriter struct{}

// checked are the functions of operators, by names that no expression can hold.
var checked = map[string]string{"+": "int +", "-": "int -", "*": "int *", "%": "int %", "/": "a / b", "^": "pow", "**": "pow"}

func (rewriter) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		result := floatType
		switch n.Operator {
		case "+", "-", "*", "%":
			if n.Left.Type() != intType || n.Right.Type() != intType {
				if n.Operator != "%" && isNumber(n.Left.Type()) && isNumber(n.Right.Type()) {
					n.SetType(floatType) // an operand may just have got its type
				}
				return
			}
			result = intType
		case "/", "^", "**":
		default:
			return
		}
		call(checked[n.Operator], node, n.Left, n.Right).SetType(result)
	case *ast.ConditionalNode:
		if toFloats([]*ast.Node{&n.Exp1, &n.Exp2}) {
			n.SetType(floatType)
		}
	case *ast.ArrayNode:
		all := make([]*ast.Node, len(n.Nodes))
		for i := range n.Nodes {
			all[i] = &n.Nodes[i]
		}
		toFloats(all)
	}
}

// forgetter makes the checker look at calls again. Without it the checker would trust the types
// that calls already have, and miss the mistakes in their arguments.
type forgetter struct{}

func (forgetter) Visit(node *ast.Node) {
	if call, ok := (*node).(*ast.CallNode); ok {
		call.SetType(reflect.TypeFor[any]())
	}
}

// lastly is a forgetter that runs after every other visitor has, right before the check
// whose result counts.
type lastly struct{ forgetter }

func (lastly) Reset() {}

// ShouldRepeat marks it as one of the visitors that come last.
func (lastly) ShouldRepeat() bool { return false }

func toFloats(nodes []*ast.Node) bool {
	if !slices.ContainsFunc(nodes, func(n *ast.Node) bool { return (*n).Type() == floatType }) {
		return false
	}
	for _, n := range nodes {
		if (*n).Type() == intType {
			call("as float", n, *n).SetType(floatType)
		}
	}
	return true
}

// call replaces a node by the call of a function.
func call(name string, node *ast.Node, args ...ast.Node) ast.Node {
	callee := &ast.IdentifierNode{Value: name}
	callee.SetLocation((*node).Location())
	ast.Patch(node, &ast.CallNode{Callee: callee, Arguments: args})
	return *node
}

// checker refuses what the language has and expressions here have not, and notes what is read.
type checker struct {
	names []Variable
	reads []string
	alone []*ast.IdentifierNode // variables with members, not yet found before a member
	depth map[ast.Node]int      // of predicates
	wrong *file.Error           // the first
}

func (c *checker) refuse(node ast.Node, format string, args ...any) {
	if c.wrong == nil {
		c.wrong = &file.Error{Location: node.Location(), Message: fmt.Sprintf(format, args...)}
	}
}

func (c *checker) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			c.refuse(n, "unknown name $env")
		}
		c.read(n)
	case *ast.MemberNode:
		c.member(n)
	case *ast.BuiltinNode:
		if !slices.Contains(builtins, n.Name) {
			c.refuse(n, "unknown name %s", n.Name)
		}
	case *ast.MapNode:
		c.refuse(n, "a map, which expressions here have not")
	case *ast.UnaryNode:
		if n.Operator == "-" || n.Operator == "+" {
			c.number(n.Node, n.Operator)
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "..":
			c.refuse(n, "a range, which expressions here have not")
		case "+", "-", "*", "%":
			c.number(n.Left, n.Operator)
			c.number(n.Right, n.Operator)
		}
	case *ast.PredicateNode:
		c.predicate(n)
	}
}

func (c *checker) read(n *ast.IdentifierNode) {
	place := slices.IndexFunc(c.names, func(v Variable) bool { return v.Name == n.Value })
	switch {
	case place < 0: // a name of the expression's own
	case c.names[place].members() != nil:
		c.alone = append(c.alone, n)
	default:
		c.note(n.Value)
	}
}

func (c *checker) note(name string) {
	if !slices.Contains(c.reads, name) {
		c.reads = append(c.reads, name)
	}
}

func (c *checker) member(n *ast.MemberNode) {
	variable, isName := n.Node.(*ast.IdentifierNode)
	name, isMember := n.Property.(*ast.StringNode)
	if !isName || !isMember || !slices.Contains(c.alone, variable) {
		return
	}
	c.alone = slices.DeleteFunc(c.alone, func(a *ast.IdentifierNode) bool { return a == variable })
	c.note(variable.Value + "." + name.Value)
}

// membersAlone refuses a variable with members by itself: members read of it by another name
// would not be known.
func (c *checker) membersAlone() {
	if len(c.alone) > 0 {
		n := c.alone[0]
		c.refuse(n, "%s by itself, want one of its members, such as %s.%s", n.Value, n.Value, memberOf(c.names, n.Value))
	}
}

func (c *checker) number(n ast.Node, operator string) {
	if t := n.Type(); !isNumber(t) {
		c.refuse(n, "%s of %s, want numbers", operator, typeText(t))
	}
}

// predicate refuses loops in loops in loops.
func (c *checker) predicate(n *ast.PredicateNode) {
	within := deepest{depth: c.depth}
	ast.Walk(&n.Node, &within)
	c.depth[n] = within.level + 1
	if within.level >= maxDepth {
		c.refuse(n, "predicates are nested %d deep, want at most %d", within.level+1, maxDepth)
	}
}

type deepest struct {
	depth map[ast.Node]int
	level int
}

func (d *deepest) Visit(node *ast.Node) { d.level = max(d.level, d.depth[*node]) }
