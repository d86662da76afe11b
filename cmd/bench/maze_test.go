package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mazeDocument are the fields of bench env maze --format json.
type mazeDocument struct {
	Prompt string
	Truth  struct {
		Modes int
		Front [][]float64
		Best  float64
	}
	Grid   []string
	Budget int
	Routes []struct {
		Reward []float64
		Answer string
	}
}

func mazeJSON(t *testing.T, args ...string) mazeDocument {
	t.Helper()
	out, _ := succeed(t, append([]string{"env", "maze", "--format", "json"}, args...)...)
	var doc mazeDocument
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

type verdictLine struct {
	Reward  []float64
	Scalar  float64
	Correct bool
	Mode    *string
	Error   *string
}

// TestMazeRoundTrip: the routes that env names as witnesses of the Pareto front
// get the rewards that it prints, one by one and as a chain in tags.
func TestMazeRoundTrip(t *testing.T) {
	for index := range 5 {
		problem := []string{"--split", "test", "--index", fmt.Sprint(index)}
		doc := mazeJSON(t, problem...)
		if len(doc.Grid) != 9 || len(doc.Grid[0]) != 9 || doc.Truth.Modes == 0 || len(doc.Routes) != len(doc.Truth.Front) {
			t.Fatalf("problem %d: %+v", index, doc)
		}
		var lines, tags strings.Builder
		best := 0.0
		for i, r := range doc.Routes {
			fmt.Fprintf(&lines, "%s\n", r.Answer)
			fmt.Fprintf(&tags, "<route_%d>%s</route_%d> ", i+1, r.Answer, i+1)
			best = max(best, (r.Reward[0]+r.Reward[1]+r.Reward[2]+r.Reward[3])/4)
		}
		if math.Abs(best-doc.Truth.Best) > 1e-15 {
			t.Errorf("problem %d: the best route has %v, the truth says %v", index, best, doc.Truth.Best)
		}
		_, single, _ := call(t, lines.String(), append([]string{"judge", "maze"}, problem...)...)
		n := len(doc.Routes)
		_, chain, _ := call(t, fmt.Sprintf(`{"answer": %q}`, tags.String()), append([]string{"judge", "maze", "--candidates", fmt.Sprint(n + 1)}, problem...)...)
		var verdicts, chained []verdictLine
		decoder := json.NewDecoder(strings.NewReader(single))
		for decoder.More() {
			var v verdictLine
			if err := decoder.Decode(&v); err != nil {
				t.Fatal(err)
			}
			verdicts = append(verdicts, v)
		}
		if err := json.Unmarshal([]byte(chain), &chained); err != nil || len(chained) != n+1 {
			t.Fatalf("problem %d: %v in %s", index, err, chain)
		}
		if last := chained[n]; last.Error == nil || last.Correct || last.Scalar != 0 {
			t.Errorf("problem %d: the answer that is not there gets %+v", index, last)
		}
		if d := cmp.Diff(verdicts, chained[:n]); d != "" {
			t.Errorf("problem %d (-single +chain):\n%s", index, d)
		}
		for i, v := range verdicts {
			if !v.Correct || !cmp.Equal(v.Reward, doc.Routes[i].Reward) {
				t.Errorf("problem %d: route %q is judged %+v, want %v", index, doc.Routes[i].Answer, v, doc.Routes[i].Reward)
			}
		}
	}
}

// TestMazePrompts: the prompt explains how to answer, also for several answers and
// under stated weights, and answers are scored by these weights.
func TestMazePrompts(t *testing.T) {
	inDir(t)
	plain, chain, goal := mazeJSON(t), mazeJSON(t, "--candidates", "3"), mazeJSON(t, "--weights", "0,1,0,0")
	for _, c := range []struct {
		reason, prompt string
		want           []string
	}{
		{"a single answer", plain.Prompt, []string{"<answer>", fmt.Sprint(plain.Budget), strings.Join(strings.Split(plain.Grid[0], ""), " ")}},
		{"a chain", chain.Prompt, []string{"<route_1>", "<route_3>", fmt.Sprint(plain.Budget)}},
		{"a goal", goal.Prompt, []string{"<answer>", "- gold: 1.00", "- completion: 0.00"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.prompt, want) {
				t.Errorf("%s: the prompt lacks %q:\n%s", c.reason, want, c.prompt)
			}
		}
	}
	highest := 0.0
	for _, r := range plain.Truth.Front {
		highest = max(highest, r[1])
	}
	if goal.Truth.Best != highest {
		t.Errorf("under weight on gold alone the best is %v, the front reaches %v", goal.Truth.Best, highest)
	}
	_, text, _ := call(t, "", "env", "maze", "--weights", "0,1,0,0", "--answer", "UP UP", "--draw", "m.svg")
	if !strings.Contains(text, "best w.r: ") || strings.Contains(text, "w*") {
		t.Errorf("the text does not name the weights:\n%s", text)
	}
	if _, err := os.Stat("m.svg"); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"too few weights", []string{"--weights", "1,2"}, "bench: --weights: got 2 numbers, want 4: completion, gold, diamond, avoid_lava"},
		{"a negative weight", []string{"--weights", "1,0,0,-1"}, "bench: --weights: got -1, want numbers of at least 0 with a finite sum"},
		{"no answers", []string{"--candidates", "0"}, "bench: --candidates: a chain of 0 answers, want 1 to 255"},
	} {
		code, _, errs := call(t, "", append([]string{"env", "maze"}, c.args...)...)
		if code != exitUsage || strings.TrimSpace(errs) != c.want {
			t.Errorf("%s: exit code %d, got %q, want %q", c.reason, code, errs, c.want)
		}
	}
}
