package maze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// say returns the meaning of a feature by the layout.
func (l *layout) say(f int32) string {
	in := func(from int32, n int) (int32, bool) { return f - from, f >= from && f < from+int32(n) }
	limit := int(l.standRow - l.budget)
	if i, ok := in(l.cell, l.side*kinds); ok {
		return fmt.Sprintf("column %d %c", i/8, kindNames[i%8])
	}
	for _, c := range []struct {
		from int32
		n    int
		name string
	}{
		{l.row, l.side, "row"}, {l.budget, limit, "budget"}, {l.standRow, l.side, "at row"}, {l.standColumn, l.side, "at column"},
		{l.left, limit, "left"}, {l.counts[0], 7, "gold"}, {l.counts[1], 7, "diamonds"}, {l.counts[2], 9, "lava"},
	} {
		if i, ok := in(c.from, c.n); ok {
			return fmt.Sprint(c.name, " ", i)
		}
	}
	if i, ok := in(l.stand, 2*kinds); ok {
		return fmt.Sprintf("on %c first %v", kindNames[i/2], i%2 == 1)
	}
	if i, ok := in(l.around, 8*kinds); ok {
		return fmt.Sprintf("%s %c stepped on %v", moveNames[i/16], kindNames[i/2%8], i%2 == 1)
	}
	if f == l.bumped {
		return "bumped"
	}
	return fmt.Sprint("unknown feature ", f)
}

func (l *layout) sayAll(features []int32) (out []string) {
	for _, f := range features {
		out = append(out, l.say(f))
	}
	return out
}

// TestPromptFeatures compares with the prompt as a person reads it, in both sizes.
func TestPromptFeatures(t *testing.T) {
	e := build(t, nil)
	for _, split := range []envs.Split{envs.Test, envs.OOD} {
		for i := range 20 {
			p := problem(t, e, split, i)
			s := readSheet(t, p)
			var want, got [][]string
			for r, row := range s.rows {
				var position []string
				for c, kind := range row {
					position = append(position, fmt.Sprintf("column %d %c", c, kind))
				}
				position = append(position, fmt.Sprint("row ", r))
				if r == 0 {
					position = append(position, fmt.Sprint("budget ", s.budget))
				}
				want = append(want, position)
			}
			for _, position := range p.AppendPromptFeatures(nil) {
				got = append(got, e.layout.sayAll(position))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-want +got)\n%s", p.ID(), diff)
			}
		}
	}
}

// TestStateFeatures follows random walks and demonstrations over the printed maze.
func TestStateFeatures(t *testing.T) {
	e := build(t, nil)
	for _, split := range []envs.Split{envs.Test, envs.OOD} {
		for i := range 20 {
			p := problem(t, e, split, i)
			s := readSheet(t, p)
			r := rng.New(uint64(i)).Rand()
			random := make([]envs.Token, s.budget)
			for j := range random {
				random[j] = envs.Token(r.IntN(4))
			}
			for _, route := range [][]envs.Token{random, p.Demonstrate(r)} {
				c := p.Start().(*cursor)
				f := follower{sheet: s, at: s.find('S')[0], stepped: map[spot]bool{}}
				for j := 0; ; j++ {
					if diff := cmp.Diff(f.sees(j), e.layout.sayAll(c.AppendFeatures(nil))); diff != "" {
						t.Fatalf("%s after %v (-want +got)\n%s", p.ID(), route[:j], diff)
					}
					if c.Done() {
						break
					}
					if err := c.Push(route[j]); err != nil {
						t.Fatal(err)
					}
					f.move(moveNames[route[j]])
				}
			}
		}
	}
}

// A follower walks over a sheet and remembers the cells of its walk.
type follower struct {
	sheet         sheet
	at            spot
	stepped       map[spot]bool
	first, bumped bool
}

func isItem(kind byte) bool { return strings.IndexByte("GDL", kind) >= 0 }

func (f *follower) move(name string) {
	to := spot{f.at.r + compass[name].r, f.at.c + compass[name].c}
	f.first, f.bumped = false, f.sheet.at(to) == '#'
	if f.bumped {
		return
	}
	f.at = to
	f.first = isItem(f.sheet.at(to)) && !f.stepped[to]
	f.stepped[to] = true
}

func (f *follower) sees(steps int) []string {
	out := []string{
		fmt.Sprint("at row ", f.at.r), fmt.Sprint("at column ", f.at.c),
		fmt.Sprintf("on %c first %v", f.sheet.at(f.at), f.first),
	}
	for i, d := range around {
		next := spot{f.at.r + d.r, f.at.c + d.c}
		kind := f.sheet.at(next)
		out = append(out, fmt.Sprintf("%s %c stepped on %v", moveNames[i], kind, isItem(kind) && f.stepped[next]))
	}
	if f.bumped {
		out = append(out, "bumped")
	}
	out = append(out, fmt.Sprint("left ", f.sheet.budget-steps))
	for i, name := range []string{"gold", "diamonds", "lava"} {
		n := 0
		for _, item := range f.sheet.find("GDL"[i]) {
			if f.stepped[item] {
				n++
			}
		}
		out = append(out, fmt.Sprint(name, " ", n))
	}
	return out
}
