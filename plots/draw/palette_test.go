package draw

import (
	"testing"
)

// Text in cells has the contrast that WCAG 2.1 asks for (4.5), and the map gets
// lighter all the way.
func TestViridis(t *testing.T) {
	before := -1.0
	for i := range 101 {
		fill := Viridis(float64(i) / 100)
		l := luminance(fill)
		if l <= before {
			t.Errorf("at %d%% the map does not get lighter", i)
		}
		before = l
		ink := luminance(Readable(fill))
		if contrast := (max(l, ink) + 0.05) / (min(l, ink) + 0.05); contrast < 4.5 {
			t.Errorf("at %d%% the contrast is %.2f", i, contrast)
		}
	}
	if Viridis(-1) != Viridis(0) || Viridis(2) != Viridis(1) {
		t.Error("values beyond the ends are cut off")
	}
}
