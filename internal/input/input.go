// Package input holds the error of a mistake in what a user wrote or handed in.
package input

import "fmt"

// An Error is a mistake in what the user wrote or handed in: a spec, a document,
// an answer, a file that is damaged. Its text says where.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is an Error with a text as fmt.Errorf makes it.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...)}
}
