// Package foretell holds two boards against each other: does a short one foretell a long one?
//
// Of compares them (foretell.go). Its answer is a Comparison (comparison.go): how alike the
// boards order methods, column by column and task by task (seeds.go, tau.go), how alike each
// orders them on other seeds and tasks (repeat.go), which methods the short board misleads
// about (methods.go), and how an audit of the methods' steps compares with either (steps.go).
package foretell
