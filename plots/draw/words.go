package draw

import (
	"cmp"
	"image/color"
	"slices"
	"strconv"
	"strings"
)

// Sentences joins the parts that are not empty.
func Sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// Compare orders names as people do: "mode 9" before "mode 10".
func Compare(a, b string) int {
	prefixA, numberA := Numbered(a)
	prefixB, numberB := Numbered(b)
	return cmp.Or(cmp.Compare(prefixA, prefixB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

// TrueFirst orders flags: those that are set come first.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Numbered splits the number off the end of a name; -1 without a number.
func Numbered(name string) (prefix string, number int) {
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

// A ModeKey tells modes apart. The same strategy may be right on one problem
// and wrong on another: then it has two shares.
type ModeKey struct {
	Name    string
	Correct bool
}

// MaxRewarded is how many rewarded modes have a colour of their own.
const MaxRewarded = 7

// ModeColors are those of correct modes. They alternate dark and light, so that neighbours differ in grey too.
var ModeColors = [MaxRewarded]color.NRGBA{Blue, Orange, Green, Yellow, Red, Sky, Purple}

// The colours of other correct modes, of degenerate answers, and of modes without reward.
var (
	RestColor       = RGB(0xB89B78)
	DegenerateColor = RGB(0x3C3C3C)
	PlainColors     = [2]color.NRGBA{RGB(0xD2D2D2), RGB(0xB4B4B4)}
)
