package maze

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestProblemsArePinned hashes problems with all their known facts. Records and published
// results are only comparable while everyone's problems are the same, bit for bit: on every
// architecture, at every GOAMD64 level, in every later version. A change that moves these
// hashes changes results, and must be announced.
func TestProblemsArePinned(t *testing.T) {
	want := map[string]string{
		"default":                             "242a4e113866bd79bfd6e5ff414bb92c8fbb5a5afdc642525b8358f9e163ead2",
		"slack 11":                            "f843d6626672cbcdd7cf10debae7798f5e0aa72cd887aac3d8af36e9c718c90e",
		"size 5, without lava":                "f1a77b7cde918762d2ca80561308f3681347f9d47004b235354586ec470714b7",
		"size 7":                              "bed4a676062a268011f144fc54be9493c531cd7a0f6b8af38ce8b6d0479168e6",
		"size 11, all the items there can be": "54d58ce03dc601b0f740bdd6cb352afb15abcf60ed051d23cda7973a9597101d",
		"no openings":                         "037aa03672733692b38f9d4cc457e6b02daa5478d54207a3f4704baf10f4bc9e",
		"a careful demonstrator":              "e9a3117ffda34788b19e51a17a5585354c49590da9cc39b5ab63bb7dd4f71658",
		"as released":                         "0e57e2d9493cb0ec859b0c8f278cc7d750e96d9cf39dcb2671a053d52c4aab23",
	}
	for _, v := range variants {
		e, hash := build(t, v.change), sha256.New()
		n := 10
		if e.config.LavaMax == maxLava {
			n = 1 // tens of thousands of modes each
		}
		for _, split := range envs.Splits() {
			for i := range n {
				p := problem(t, e, split, i)
				doc := struct {
					ID, Text string
					Fields   map[string]any
					Truth    envs.Truth
					Shown    [][]envs.Token
					Verdicts []*envs.Verdict
				}{ID: p.ID(), Text: p.PromptText(), Fields: p.Fields(), Truth: p.Truth()}
				for j := range 10 {
					answer := p.Demonstrate(rng.New(uint64(j)).Rand())
					doc.Shown = append(doc.Shown, answer)
					doc.Verdicts = append(doc.Verdicts, p.Judge(answer))
				}
				// encoding/json writes the shortest text that gives the same
				// bits back, so equal text is equal numbers.
				text, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				hash.Write(text)
			}
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != want[v.name] {
			t.Errorf("%q: got %s, want %s", v.name, got, want[v.name])
		}
	}
}

func TestFields(t *testing.T) {
	p := draw(small, 6)
	got, err := json.Marshal(p.Fields())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"budget":6,"grid":["S.G",".LG","D.E"],"routes":[` +
		`{"reward":[1,0,1,1],"answer":"DOWN DOWN RIGHT RIGHT"},` +
		`{"reward":[1,0.5,1,0],"answer":"DOWN DOWN UP RIGHT RIGHT DOWN"},` +
		`{"reward":[1,1,0,1],"answer":"RIGHT RIGHT DOWN DOWN"}],"shortest":4}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPictureOfOneRoute(t *testing.T) {
	p := draw([]string{"S#G.", ".##L", ".#D.", "...E"}, 8)
	got := p.Picture(tokens(t, "UP DOWN DOWN DOWN UP DOWN RIGHT RIGHT"))
	want := `maze drawn: 4x4, 8 steps (shortest route 6), 1 gold, 1 diamond, 1 lava
┌───────────────┐
│ S   █   G   · │
│ ↓   █         │
│ ·   █████   L │
│ ↓   █         │
│ ·   █   D   · │
│ ↕             │
│ ·──→·──→·   E │
└───────────────┘
  1:  8 moves, 1 into walls; reward (0, 0, 0, 0), mean 0; unfinished
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPictureOfRoutes(t *testing.T) {
	p := draw(small, 6)
	got := p.Picture(tokens(t, "RIGHT RIGHT DOWN DOWN"), tokens(t, "RIGHT DOWN RIGHT DOWN LEFT"), nil, []envs.Token{0, 7},
		tokens(t, "DOWN DOWN UP UP LEFT LEFT LEFT"))
	want := `maze drawn: 3x3, 6 steps (shortest route 4), 2 gold, 1 diamond, 1 lava
┌───────────┐
│ S═══·─1─G │
│ 5   2   1 │
│ ·   L─2─G │
│ 5       ║ │
│ D   ·   E │
└───────────┘
  1:  4 moves; reward (1, 1, 0, 1), mean 0.75; exit G1 G2
  2:  4 moves, 1 more ignored; reward (1, 0.5, 0, 0), mean 0.375; exit G2 L1
  3: does not parse: the answer holds no moves; moves are UP, DOWN, LEFT, RIGHT
  4: does not parse: word 2, "D", is no move; moves are UP, DOWN, LEFT, RIGHT
  5:  6 moves, 2 into walls, 1 more ignored; reward (0, 0, 0, 0), mean 0; unfinished D1
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestJoints: the rare shapes of a stretch of a route.
func TestJoints(t *testing.T) {
	for _, c := range []struct {
		reason       string
		joint        joint
		arrows       bool
		across, down string
	}{
		{"one way", joint{route: 1, forward: true}, true, "──→", " ↓"},
		{"the other way", joint{route: 1, backward: true}, true, "←──", " ↑"},
		{"to and fro", joint{route: 1, forward: true, backward: true}, true, "←─→", " ↕"},
		{"one of several routes", joint{route: 9, forward: true}, false, "─9─", " 9"},
		{"two digits", joint{route: 10, forward: true}, false, "─10", " 10"},
		{"three digits", joint{route: 200, forward: true}, false, "200", "200"},
		{"more digits than there is room for", joint{route: 12345, forward: true}, false, "123", "123"},
		{"shared", joint{route: 2, shared: true, forward: true}, false, "═══", " ║"},
	} {
		if across, down := string(c.joint.across(c.arrows)), string(c.joint.down(c.arrows, false)); across != c.across || down != c.down {
			t.Errorf("%s: %q and %q, want %q and %q", c.reason, across, down, c.across, c.down)
		}
	}
	if got := string(joint{route: 10}.down(false, true)); got != "10" {
		t.Errorf("in the first column: %q, want %q, without the character before", got, "10")
	}
}
