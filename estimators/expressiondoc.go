package estimators

import (
	"fmt"
	"strings"

	"modebench/internal/expression"
)

// ExpressionFields are the fields that take expressions, in the order of listings.
var ExpressionFields = []string{"objective", "scalarisation", "shaping"}

// ExpressionDoc lists the variables of an expression in a field, a line each; "" for a
// field without an expression.
func ExpressionDoc(field string) string {
	variables := map[string][]expression.Variable{"objective": SetVariables, "scalarisation": scalarisationVariables, "shaping": shapingVariables}
	var b strings.Builder
	for _, v := range variables[field] {
		fmt.Fprintf(&b, "%-14s %s\n", v.Name, v.Doc)
	}
	return b.String()
}

// ExpressionFunctions lists the functions of all expressions, a line each.
func ExpressionFunctions() string {
	var b strings.Builder
	for _, f := range expression.Functions() {
		fmt.Fprintf(&b, "%-14s %s\n", f.Name, f.Doc)
	}
	b.WriteString("beside these: + - * / % ^ == != < <= > >= and or not in ?: let, list[i], list[from:to]; true counts as 1\n")
	return b.String()
}
