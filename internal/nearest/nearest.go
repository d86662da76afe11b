// Package nearest finds the name that a mistyped one was probably meant to be.
package nearest

import "strings"

// Name is the one of the names with the fewest characters to insert, delete, replace or swap
// with the next, the first of several; "" if no name is near: at most a third of the name's
// characters may be wrong, so that quiet is not quick. It is never the name itself. Of a name
// with a dot, what follows the last one counts.
func Name(name string, names []string) string {
	nearest, least := "", len(name)/3+1
	for _, n := range names {
		if n == name {
			continue
		}
		if d := distance(name, n[strings.LastIndexByte(n, '.')+1:]); d < least {
			nearest, least = n, d
		}
	}
	return nearest
}

// Hint is "did you mean NAME? " with the name that is near, or "" if no name is.
func Hint(name string, names []string) string {
	if near := Name(name, names); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

// distance is the least number of characters to insert, delete, replace or swap, each once.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(replaced, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
