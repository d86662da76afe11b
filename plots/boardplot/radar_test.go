package boardplot

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/experiments/board/profile"
	"modebench/internal/lined"
	"modebench/metrics/stats"
	"modebench/plots/draw/drawtest"
)

// scriptedProfiles are profiles of the named methods. The i-th one cannot enter the i-th capability
// where i is odd, and has the same number of every seed where i is 2.
func scriptedProfiles(t testing.TB, methods ...string) *profile.Profiles {
	t.Helper()
	tasks, err := profile.Capabilities()
	if err != nil {
		t.Fatal(err)
	}
	var documents []*profile.Measured
	for at, task := range tasks {
		m := &profile.Measured{Version: board.Version, Capability: task.Name, Tuning: []int{1, 2}, Seeds: []int{5, 10}}
		for seed := range 10 {
			base := 0.0
			if task.Name == "best-at-k" || task.Name == "vector" {
				base = 0.7 + 0.01*float64(seed)
			}
			m.Base = append(m.Base, lined.Number(base))
		}
		for i, method := range methods {
			if i%2 == 1 && at%len(methods) == i {
				m.Unfit = append(m.Unfit, board.Unfit{Method: method, Why: "scripted"})
				continue
			}
			s := profile.Scored{Method: method, Setting: "lr=0.1", Same: method}
			for seed := range 10 {
				noise := 0.25 * math.Sin(float64(7*seed+3*at+i))
				if i == 2 {
					noise = 0
				}
				s.Scores = append(s.Scores, lined.Round(0.5+0.6*math.Sin(float64(5*i+2*at))+noise))
			}
			m.Methods = append(m.Methods, s)
		}
		documents = append(documents, m)
	}
	p, err := profile.New(documents, methods)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRadars holds the figure against a drawing that people have looked at, byte for byte, and no
// text of it lies on another text.
func TestRadars(t *testing.T) {
	p := scriptedProfiles(t, "grpo", "poly-epo", "vpo", "grpo+cliphigh+ent+novelty")
	f, err := Radars(p, []string{"grpo", "poly-epo", "vpo", "grpo+cliphigh+ent+novelty"})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := f.WriteSVG(&got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "radar.svg")
	if *updateDrawings {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the drawing is not that of %s (error %v); -update-drawings writes it", golden, err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	for name, title := range radarNames {
		if len(d.All(title)) < 5 { // four radars and the key
			t.Errorf("%s: %q stands %d times, want once a radar and in the key", name, title, len(d.All(title)))
		}
	}
	if len(radarNames) != len(p.Capabilities) {
		t.Errorf("%d names of %d capabilities", len(radarNames), len(p.Capabilities))
	}
}

// TestRadarRuns: neighbours on the ring of axes are joined over its beginning too.
func TestRadarRuns(t *testing.T) {
	for _, c := range []struct {
		reason string
		has    string // an axis a letter, x: there is a score
		want   []run
	}{
		{"all are one ring", "xxxx", []run{{0, 4, 4, true}}},
		{"none", "----", nil},
		{"a gap in the middle: the others are one run, from behind it", "xx-x", []run{{3, 3, 4, false}}},
		{"a gap at the beginning", "-xxx", []run{{1, 3, 4, false}}},
		{"two gaps", "x-x-", []run{{0, 1, 4, false}, {2, 1, 4, false}}},
		{"one axis alone", "-x--", []run{{1, 1, 4, false}}},
	} {
		r := radar{}
		for _, letter := range c.has {
			s := profile.Clipped(scriptedInterval(letter == 'x'))
			r.scores = append(r.scores, s)
		}
		if got := r.runs(); !slices.Equal(got, c.want) {
			t.Errorf("%s: runs of %s are %v, want %v", c.reason, c.has, got, c.want)
		}
	}
}

// TestRadarsShown: without names the default ones are drawn, and mistakes are one line.
func TestRadarsShown(t *testing.T) {
	all := append(slices.Clone(radarDefault), "rloo")
	f, err := Radars(scriptedProfiles(t, all...), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	for _, name := range radarDefault {
		drawtest.WantTexts(t, d, name)
	}
	if len(d.All("rloo")) > 0 {
		t.Error("rloo is drawn, and was not asked for")
	}
	if f, err = Radars(scriptedProfiles(t, "rloo", "nsr"), nil); err != nil || len(drawtest.Read(t, f).All("nsr")) != 1 {
		t.Errorf("where none of the default ones is there, all are drawn: error %v", err)
	}
	for want, show := range map[string][]string{
		`there is no profile of "grop" to draw`: {"grop"},
		"9 profiles to draw, want at most 8":    all,
	} {
		if _, err := Radars(scriptedProfiles(t, all...), show); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", show, err, want)
		}
	}
}

func scriptedInterval(there bool) stats.Interval {
	if there {
		return stats.Interval{N: 3, Mean: 0.5, Low: 0.4, High: 0.6}
	}
	return stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
}
