package sheets

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// TestLookIsTheMethods: a line looks as its method does whatever else is shown, but for the dash
// and the mark of a line that comes after another line with the same two.
func TestLookIsTheMethods(t *testing.T) {
	var names []string
	for _, f := range methodFamilies {
		names = append(names, f.methods...)
	}
	names = append(names, "mine", "my-other")
	alone := map[string]draw.Look{}
	for _, name := range names {
		alone[name] = Looks(methodsShown(name))[0]
		if got, want := fmt.Sprint(alone[name]), fmt.Sprint(Look(name)); got != want {
			t.Errorf("%s alone looks like %s, want %s", name, got, want)
		}
	}
	for from := range names {
		shown := slices.Concat(names[from:], names[:from])
		shown = shown[:min(len(shown), draw.Styles)]
		seen := map[string]bool{}
		for i, l := range Looks(methodsShown(shown...)) {
			if l.Color != alone[shown[i]].Color {
				t.Fatalf("beside %s, %s has the colour %v, want %v", shown[0], shown[i], l.Color, alone[shown[i]].Color)
			}
			key := fmt.Sprint(l.Dashes, l.Mark)
			if seen[key] {
				t.Fatalf("from %s on, %s has the dash and the mark of another", shown[0], shown[i])
			}
			seen[key] = true
		}
	}
}

// TestMethodsOfAFamily: no method is in two families, and each family has a hue of its own.
func TestMethodsOfAFamily(t *testing.T) {
	hues, of := map[string]bool{}, map[string]string{}
	for _, f := range methodFamilies {
		if hues[Hex(f.hue)] || f.hue == ownHue {
			t.Errorf("two families have the hue %s", Hex(f.hue))
		}
		hues[Hex(f.hue)] = true
		for i, name := range f.methods {
			if of[name] != "" {
				t.Errorf("%s is listed twice", name)
			}
			of[name] = name
			if got := Look(name).Color; got != draw.Tinted(f.hue, i) {
				t.Errorf("%s has the colour %v, which is no shade of its family's", name, got)
			}
		}
	}
	if !slices.ContainsFunc([]int{0, 1, 2}, func(i int) bool { return Look("mine").Color == draw.Tinted(ownHue, i) }) {
		t.Error("a method of one's own has no shade of the hue that is left for those")
	}
}

// TestPluginsLook: two plug-ins of a spec are two methods, each with the look of its own name.
func TestPluginsLook(t *testing.T) {
	shown := []numbers.Variant{
		{Name: "mine", Method: pluginMethod, Trains: true}, {Name: "hers", Method: pluginMethod, Trains: true},
	}
	for i, l := range Looks(shown) {
		if l.Color != Look(shown[i].Name).Color {
			t.Errorf("%s has another colour than its name gives", shown[i].Name)
		}
	}
}

// Forty variants look different, and the same method always has its colour.
func TestLooks(t *testing.T) {
	shown := methodsShown(slices.Repeat([]string{"grpo", "vpo", "unheard-of"}, 14)...)
	seen := map[string]bool{}
	for _, l := range Looks(shown) {
		key := fmt.Sprint(l.Dashes, l.Mark)
		if seen[key] {
			t.Errorf("two lines with dashes and mark %s", key)
		}
		seen[key] = true
	}
	if Look("grpo").Color != Look("grpo@setpo").Color || Look("grpo").Color == Look("setpo+grpo").Color {
		t.Error("a paper's setting has its method's colour, another method has another")
	}
}

// A variant that does not train has no mark and differs by dash and by shade; the
// exact optimum is thin, dotted and without a band.
func TestLooksOfWhatDoesNotTrain(t *testing.T) {
	shown := methodsShown("vpo", "base", "base", "optimum")
	l := Looks(shown)
	for i, still := range l[1:] {
		if still.Mark != nil || still.Color.R != still.Color.G || still.Color.G != still.Color.B {
			t.Errorf("line %d looks like %+v", i+1, still)
		}
	}
	if slices.Equal(l[1].Dashes, l[2].Dashes) || int(l[2].Color.R)-int(l[1].Color.R) < 100 {
		t.Errorf("two base policies look like %+v and %+v", l[1], l[2])
	}
	if ceiling := l[3]; ceiling.Color != draw.Black || !ceiling.Exact || ceiling.Width >= l[0].Width || l[1].Exact {
		t.Errorf("the ceiling looks like %+v", ceiling)
	}
	if alone := Looks(shown[1:2])[0]; alone.Color != draw.Black || !slices.Equal(alone.Dashes, draw.StillDashes[0]) {
		t.Errorf("a single base policy looks like %+v", alone)
	}
}

// methodsShown are variants of methods, without numbers.
func methodsShown(methods ...string) []numbers.Variant {
	var out []numbers.Variant
	for _, m := range methods {
		out = append(out, numbers.Variant{Label: m, Name: m, Method: m, Called: m, Trains: m != numbers.BaseMethod && m != numbers.OptimumMethod})
	}
	return out
}

// TestDistinct: of the methods of one family the first keeps its look, and the others get hues that no method
// beside them has; dashes and marks stay.
func TestDistinct(t *testing.T) {
	var shown []numbers.Variant
	for _, name := range []string{"poly-epo", "grpo-div", "mmr-grpo", "unlikeliness", "darling", "mara", "reinforce", "grpo"} {
		shown = append(shown, numbers.Variant{Name: name, Method: name, Called: name, Trains: true})
	}
	looks, own, hues := Distinct(shown), Looks(shown), map[string]bool{}
	for i, l := range looks {
		if hues[Hex(l.Color)] {
			t.Errorf("%s has the colour of an earlier method", shown[i].Name)
		}
		hues[Hex(l.Color)] = true
		if kept := i < 2 || i > 5; kept != (l.Color == own[i].Color) {
			t.Errorf("%s: colour %s, its own is %s", shown[i].Name, Hex(l.Color), Hex(own[i].Color))
		}
		l.Color = own[i].Color
		if !reflect.DeepEqual(l, own[i]) {
			t.Errorf("%s: look %+v, its own is %+v", shown[i].Name, l, own[i])
		}
	}
}
