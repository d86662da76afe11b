// Package plural writes numbers of things in English.
package plural

import "fmt"

// Count is n and the noun: "1 group", "2 groups". The noun's plural has to end in -s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
