package draw

import "image/color"

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
