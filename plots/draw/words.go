package draw

import (
	"slices"
	"strconv"
	"strings"
)

// Sentences joins the parts that are not empty.
func Sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// Before orders names as people do: "mode 9" before "mode 10".
func Before(a, b string) bool {
	prefixA, numberA := numbered(a)
	prefixB, numberB := numbered(b)
	switch {
	case prefixA != prefixB:
		return prefixA < prefixB
	case numberA != numberB:
		return numberA < numberB
	}
	return a < b
}

// numbered splits the number off the end of a name; -1 without a number.
func numbered(name string) (prefix string, number int) {
	cut := len(name)
	for cut > 0 && name[cut-1] >= '0' && name[cut-1] <= '9' {
		cut--
	}
	number, err := strconv.Atoi(name[cut:])
	if err != nil {
		return name, -1
	}
	return name[:cut], number
}

// Counted is a number with its noun: "1 mode", "12 modes".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
