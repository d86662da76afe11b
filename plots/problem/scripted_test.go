package problem

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// A scripted problem has no drawing.
type scripted struct{ envs.Problem }

func (p scripted) ID() string { return "train/7" }

// scriptedAnswers are answers of one token each.
func scriptedAnswers(tokens ...envs.Token) [][]envs.Token {
	var out [][]envs.Token
	for _, token := range tokens {
		out = append(out, []envs.Token{token})
	}
	return out
}

// problemSVG draws a problem and looks for faults of the picture.
func problemSVG(t *testing.T, env string, p envs.Problem, answers ...[]envs.Token) drawtest.Drawing {
	t.Helper()
	f, err := Draw(env, p, answers)
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	return d
}

// A problemSketch is a picture of a problem as it is generated: how it is asked
// for, and what it must hold.
type problemSketch struct {
	name    string
	config  envs.Config
	split   envs.Split // "": train
	index   int
	answers int            // of the demonstrator
	given   [][]envs.Token // answers before those
	want    []string
}

// drawSketches draws problems easy and awkward, each twice, and looks for faults; no picture has more bytes than largest. With PLOTS_GALLERY naming a folder it leaves
// the pictures there.
func drawSketches(t *testing.T, env string, largest int, sketches []problemSketch) {
	for _, s := range sketches {
		t.Run(s.name, func(t *testing.T) {
			p, answers := s.generate(t)
			d := problemSVG(t, env, p, answers...)
			drawtest.WantTexts(t, d, s.want...)
			if wide := draw.PageWidth.Points() + 10; d.Width > wide || d.Height > 11*72 {
				t.Errorf("the picture is %g x %g pt, more than a page", d.Width, d.Height)
			}
			if len(d.Bytes) > largest {
				t.Errorf("the picture has %d bytes, want at most %d", len(d.Bytes), largest)
			}
			if again := problemSVG(t, env, p, answers...); !bytes.Equal(again.Bytes, d.Bytes) {
				t.Error("two drawings differ")
			}
			if out := os.Getenv("PLOTS_GALLERY"); out != "" {
				f, err := Draw(env, p, answers)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Save(filepath.Join(out, env+"-"+strings.ReplaceAll(s.name, " ", "-")+".png")); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// generate makes the problem and the answers.
func (s problemSketch) generate(t *testing.T) (envs.Problem, [][]envs.Token) {
	t.Helper()
	env, err := s.config.Build()
	if err != nil {
		t.Fatal(err)
	}
	split := s.split
	if split == "" {
		split = envs.Train
	}
	p, err := env.Problem(split, s.index)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	answers := s.given
	for range s.answers {
		answers = append(answers, p.Demonstrate(r))
	}
	return p, answers
}

// wantError draws a problem that cannot be drawn.
func wantError(t *testing.T, env string, p envs.Problem, answers [][]envs.Token, want string) {
	t.Helper()
	if f, err := Draw(env, p, answers); err == nil || f != nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
