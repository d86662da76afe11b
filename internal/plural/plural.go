// Package plural writes numbers of things in English.
package plural

import "fmt"

// Of is n and the noun: "1 group", "2 groups". The noun's plural has to end in -s.
func Of(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
