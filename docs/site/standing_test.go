package main

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/metrics/stats"
)

// TestStanding: the place of a method on the boards, in the audit and among the profiles.
func TestStanding(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"optimum", "It has no row on the published boards. It does not train: it is the 1 of area and accuracy.\n"},
		{"base", "It has no row on the published boards. It does not train: it is the 0 of area and accuracy.\n"},
		{"grpo@verl", "Another ddof, another mean over tokens and a dual clip. The row of [`grpo`](/methods/grpo.md) has its formula.\n"},
		{"poly-epo", "of 5 or more with the default settings; of 4 every advantage is 0"},
		{"poly-epo", "not defined in groups of 4, where every advantage is 0; 3.036 in groups of 16."},
		{"poly-epo", "Groups of `small-groups` have 4 rollouts, in which every advantage is 0 with the defaults. It was run with `lr=0.14 n=2` there."},
		{"pkpo", "- **Groups:** of 4 or more\n- **Advantages:**"},
		{"em-rl-token", "- **Tokens:** of at least 2 in the longest rollout: with fewer every advantage is 0"},
		{"grpo", "- **Advantages:** a z-score ([how they follow rewards]"},
		{"cispo", "MiniMax-M1 gives no bound of the weight. TRL recommends 5"}, // above its row of a table
		{"vpo", "- **Source:** VPO eq. 1, sec. 3.2 ([what of VPO holds here](/results/vpo.md))"},
		{"sd-e2", "Each component is z-scored over all trained rollouts of the batch before it is weighted and added (eqs. 27-30)."},
		{"grpo-cfl", "Each component is z-scored over the batch before it is weighted, and exact copies are dropped."},
		{"grpo-cfee", "each component is z-scored over the batch before it is weighted, and exact copies are dropped."},
		{"grpo", "| 8 | 1.000 | – |"},
		{"vpo", "<summary>Under policy tabular it is surely above "},
		{"grpo", "on the 48 bandits of the audit."},
		{"optimum", "- **Reads:** nothing\n- **Rollouts:** none: it is computed from the exact truth\n"},
		{"index", "means over its 8 tasks, or over as many as a method fits"},
		{"index", "and semantic diversity of a chain's strategies until one is right | 0.761 | 0.732 | 3 of 8 | SD-E2"},
		{"index", "Marginal set advantage of mean reward times distinct modes | 0.858 | 0.787 |  | Poly-EPO"},
	} {
		if page := string(ofRepository(t).files[methodPath(c.page)]); !strings.Contains(strings.ToLower(page), strings.ToLower(c.want)) {
			t.Errorf("the page of %s does not have %q", c.page, c.want)
		}
	}
}

// TestAnswerSeeds: an undecided method has the number of its seeds, and not that of the next look.
func TestAnswerSeeds(t *testing.T) {
	line := &board.Line{Method: "poly-epo", Seeds: 12}
	line.Decision.Standing, line.Decision.Seeds = stats.Unsettled, 24
	if got := answer(line); got != "undecided (12)" {
		t.Errorf("%q", got)
	}
}

// An extent is the room of a label or a frame, in points: across from x0 to x1, down from y0 to y1.
type extent struct{ x0, y0, x1, y1 float64 }

func (a extent) meets(b extent) bool {
	return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1
}

// drawn are the panels of a figure of curves: frames, and labels with their texts.
func drawn(t *testing.T, figure string) (frames []extent, labels []extent, texts []string, size extent) {
	t.Helper()
	var doc struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Panels []struct {
			Place string `xml:"transform,attr"`
			Frame struct {
				Width  float64 `xml:"width,attr"`
				Height float64 `xml:"height,attr"`
			} `xml:"rect"`
			Texts []struct {
				X      float64 `xml:"x,attr"`
				Y      float64 `xml:"y,attr"`
				Anchor string  `xml:"text-anchor,attr"`
				Turn   string  `xml:"transform,attr"`
				Text   string  `xml:",chardata"`
			} `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(figure), &doc); err != nil {
		t.Fatal(err)
	}
	for _, p := range doc.Panels {
		var x, y float64
		if _, err := fmt.Sscanf(p.Place, "translate(%g %g)", &x, &y); err != nil {
			t.Fatal(err)
		}
		const line = 1.5 // half the width of a curve, which may run along the frame
		frames = append(frames, extent{x - line, y - line, x + p.Frame.Width + line, y + p.Frame.Height + line})
		for _, l := range p.Texts {
			const letter, above, beneath = 6.2, 9.0, 3.0 // of 12 points
			long := letter * float64(len(l.Text))
			from := map[string]float64{"start": 0, "middle": -long / 2, "end": -long}[l.Anchor]
			box := extent{x + l.X + from, y + l.Y - above, x + l.X + from + long, y + l.Y + beneath}
			var right, down float64
			if n, _ := fmt.Sscanf(l.Turn, "translate(%g %g)", &right, &down); n == 2 {
				box = extent{x + right + l.X + from, y + down - above, x + right + l.X + from + long, y + down + beneath}
			}
			if strings.HasSuffix(l.Turn, "rotate(-90)") { // words to the right turn upwards
				box = extent{x + right - above, y + down - l.X - from - long, x + right + beneath, y + down - l.X - from}
			}
			labels, texts = append(labels, box), append(texts, l.Text)
		}
	}
	return frames, labels, texts, extent{0, 0, doc.Width, doc.Height}
}

// TestCurvesLeaveLabelsFree: no label lies over a curve, over another label or outside of the figure, and every
// panel names both axes.
func TestCurvesLeaveLabelsFree(t *testing.T) {
	figure := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindString(ofRepository(t).curves("poly-epo"))
	frames, labels, texts, size := drawn(t, figure)
	if len(frames) != 8 {
		t.Fatalf("%d panels, want one for each of 8 tasks", len(frames))
	}
	for i, l := range labels {
		if l.x0 < size.x0 || l.y0 < size.y0 || l.x1 > size.x1 || l.y1 > size.y1 {
			t.Errorf("%q sticks out of the figure", texts[i])
		}
		for j, f := range frames {
			if l.meets(f) {
				t.Errorf("%q lies over panel %d", texts[i], j)
			}
		}
		for j := range labels[:i] {
			if l.meets(labels[j]) {
				t.Errorf("%q lies over %q", texts[i], texts[j])
			}
		}
	}
	for _, name := range []string{"accuracy", "diversity"} {
		if n := strings.Count(strings.Join(texts, "\n")+"\n", name+"\n"); n != len(frames) {
			t.Errorf("%d axes are called %s, want %d", n, name, len(frames))
		}
	}
}
