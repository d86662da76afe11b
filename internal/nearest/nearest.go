// Package nearest finds the name that a mistyped one was probably meant to be.
package nearest

import "strings"

// Name is the one of the names with the fewest characters to insert, delete or replace,
// the first of several; "" where none is near: at most a third of the name's characters,
// rounded up, may be wrong, and not all of them. Of a name with a dot, what follows the last one counts.
func Name(name string, names []string) string {
	nearest, least := "", min((len(name)+2)/3+1, len(name))
	for _, n := range names {
		if d := distance(name, n[strings.LastIndexByte(n, '.')+1:]); d < least {
			nearest, least = n, d
		}
	}
	return nearest
}

// Hint is "did you mean NAME? " with the name that is near, or "" where none is.
func Hint(name string, names []string) string {
	if near := Name(name, names); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

// distance is the fewest characters to insert, delete or replace that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
