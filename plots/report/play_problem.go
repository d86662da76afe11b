package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/internal/visible"
	"modebench/plots"
	"modebench/plots/draw"
	"modebench/plots/problem"
)

// playProblem is one problem with the answers of the methods.
type playProblem struct {
	ID, Title, Truth string
	SVG              template.HTML // "" where the problem has no picture
	Width            string
	Shares           bool // marks in the picture show how often, and are hidden without a script
	Mass             bool // numbers are probabilities of modes
	Heads            []string
	Rows             []playRow
	Few              string // counts the evaluations that the table leaves out
	NoPicture        string // the error of a picture that could not be drawn
	Unfound          []string
	Data             template.JS
}

// playRow is a line of the table without a script.
type playRow struct {
	Answer, Mode string
	Correct      bool
	Cells        []string
}

type playData struct {
	Mass     bool          `json:"mass,omitempty"` // numbers are probabilities, not counts
	Modes    int           `json:"modes"`          // of the whole solution space, 0 if it is not known
	Answers  []playAnswer  `json:"answers"`
	Variants []playVariant `json:"variants"`
}

type playAnswer struct {
	Text    string `json:"text"`
	Mode    string `json:"mode"`
	Correct bool   `json:"correct,omitempty"`
	Layer   int    `json:"layer"` // of the picture; -1: it does not show the answer
}

type playVariant struct {
	Label  string `json:"label"`
	Trains bool   `json:"trains,omitempty"`
	Steps  []int  `json:"steps"`
	// By step: how many answers there were, how many of them correct, and in how many modes.
	Drawn []float64 `json:"drawn"`
	Right []float64 `json:"right"`
	Found []int     `json:"found"`
	// Given has by step the numbers of answers, each with how often it was given.
	Given [][]float64 `json:"given"`
}

// shown is the problem as the page has it.
func (t *playedTask) shown(id string) (playProblem, error) {
	q := playProblem{ID: id, Mass: t.mass}
	p, err := problemOf(t.cell, t.number)
	if err != nil {
		q.NoPicture = fmt.Sprintf("The problem cannot be made again: %v.", err)
	}
	if t.mass && p != nil {
		t.id = p.ID()
	}
	q.Title = visible.Text(t.cell.Env.Name + ": " + t.id)
	known := p != nil && p.ID() == t.id // the records of another program may be of another problem
	all := t.ordered()
	entries, at := chosen(all)
	data := playData{Mass: t.mass}
	for _, e := range entries {
		data.Answers = append(data.Answers, playAnswer{Text: t.name(e), Mode: modeName(e.Mode), Correct: e.Correct, Layer: -1})
	}
	data.Answers = append(data.Answers, playAnswer{Text: "other correct answers", Correct: true, Layer: -1}, playAnswer{Text: "other incorrect answers", Layer: -1})
	for _, v := range t.variants {
		data.Variants = append(data.Variants, t.variant(v, all, at, len(entries)))
	}
	if known {
		modes := p.Truth().Modes
		data.Modes = len(modes)
		q.Truth = fmt.Sprintf("This problem has exactly %s of correct answers.", plural.Count(len(modes), "mode"))
		if t.mass {
			q.Truth += fmt.Sprintf(" One counts as found where its probability is above %v.", aliveMass)
		}
		q.Unfound = t.unfound(modes)
		if problem.CanDraw(p) {
			if err := q.picture(t.cell.Env.Name, p, entries, &data); err != nil {
				q.NoPicture = fmt.Sprintf("The problem has no picture: %v.", err)
			}
		}
	}
	q.table(data)
	text, err := json.Marshal(data)
	q.Data = template.JS(text)
	return q, err
}

// A playedEntry has a number of its own on the page: it is an answer, or the other answers of its
// mode, which share its place in the picture.
type playedEntry struct {
	playedAnswer
	others bool
}

// chosen are the entries of the page, and by answer the number of the one that counts it. Answers
// listed one by one are those given most often, but first an answer of every mode. Those
// of a mode without such an answer are not counted by any entry.
func chosen(all []playedAnswer) ([]playedEntry, map[playedAnswer]int) {
	var firsts, others [2][]playedAnswer // correct ones, others
	known := map[draw.ModeKey]bool{}
	for _, a := range all {
		side := 0
		if !a.Correct {
			side = 1
		}
		if !known[a.key()] {
			known[a.key()] = true
			firsts[side] = append(firsts[side], a)
		} else {
			others[side] = append(others[side], a)
		}
	}
	right, wrong := slices.Concat(firsts[0], others[0]), slices.Concat(firsts[1], others[1])
	n := min(len(right), maxPlayedAnswer-min(len(wrong), maxPlayedWrong))
	picked := map[playedAnswer]bool{}
	for _, a := range slices.Concat(right[:n], wrong[:min(len(wrong), maxPlayedAnswer-n)]) {
		picked[a] = true
	}
	var out []playedEntry
	at := map[playedAnswer]int{}
	first, rest := map[draw.ModeKey]playedAnswer{}, map[draw.ModeKey]int{}
	for _, a := range all {
		if !picked[a] {
			continue
		}
		if _, ok := first[a.key()]; !ok {
			first[a.key()] = a
		}
		at[a] = len(out)
		out = append(out, playedEntry{a, false})
	}
	for _, a := range all {
		of, ok := first[a.key()]
		if picked[a] || !ok || a.Mode == "" { // answers that do not parse have nothing in common
			continue
		}
		if _, ok := rest[a.key()]; !ok {
			rest[a.key()] = len(out)
			out = append(out, playedEntry{of, true})
		}
		at[a] = rest[a.key()]
	}
	return out, at
}

func (t *playedTask) name(a playedEntry) string {
	switch {
	case a.others:
		return "others of this mode"
	case t.mass:
		return modeName(a.Mode)
	case strings.TrimSpace(a.Text) == "":
		return "(empty)"
	}
	return cut(shortened(a.Text))
}

// shortened writes a repeated word once: 3×LEFT.
func shortened(text string) string {
	words := strings.Fields(text)
	var out []string
	for start := 0; start < len(words); {
		end := start
		for end < len(words) && words[end] == words[start] {
			end++
		}
		word := words[start]
		if end-start > 1 {
			word = fmt.Sprintf("%d×%s", end-start, word)
		}
		out = append(out, word)
		start = end
	}
	return strings.Join(out, " ")
}

func modeName(mode string) string {
	if mode == "" {
		return "degenerate"
	}
	return cut(mode)
}

// variant is a variant with some of its evaluations, the first and the last among them. Answers
// without an entry are counted behind all entries, the correct ones and the others.
func (t *playedTask) variant(v playedVariant, all []playedAnswer, entries map[playedAnswer]int, others int) playVariant {
	out := playVariant{Label: visible.Text(v.label), Trains: v.trains}
	for _, i := range plots.Spread(len(v.evals), maxPlayedSteps) {
		e := v.evals[i]
		counts := make([]float64, others+2)
		right, given := 0.0, []float64{}
		for _, a := range all { // in order: a sum of probabilities depends on it
			n := e.given[a]
			at, known := entries[a]
			switch {
			case known:
			case a.Correct:
				at = others
			default:
				at = others + 1
			}
			counts[at] += n
			if a.Correct {
				right += n
			}
		}
		for j, n := range counts {
			if n > 0 {
				given = append(given, float64(j), max(rounded(n), leastShown))
			}
		}
		out.Steps = append(out.Steps, e.step)
		out.Drawn = append(out.Drawn, e.drawn)
		out.Right = append(out.Right, rounded(right))
		out.Found = append(out.Found, len(t.found(e)))
		out.Given = append(out.Given, given)
	}
	return out
}

// leastShown replaces probabilities that are rounded to 0: the page writes <0.1%.
const leastShown = 1e-4

// rounded cuts a probability to four decimals; counts are whole.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func (q *playProblem) picture(env string, p envs.Problem, entries []playedEntry, data *playData) error {
	given := each.Map(entries, func(e playedEntry) problem.Given { return problem.Given(e.playedAnswer) })
	drawn, err := problem.DrawLayers(env, p, given)
	if err != nil {
		return err
	}
	for i, layer := range drawn.Of {
		data.Answers[i].Layer = layer
	}
	svg, width, err := inline(drawn.Below, q.ID+"-title", q.ID+"-")
	if err != nil {
		return err
	}
	// A layer that shows a share of answers is hidden until the script narrows it.
	attributes := ` class="layer on"`
	if q.Shares = drawn.From != 0; q.Shares {
		attributes = fmt.Sprintf(` class="layer" data-from="%s"`, decimal(float64(drawn.From)))
	}
	var layers strings.Builder
	for i, l := range drawn.Layers {
		inner, err := innerSVG(l.Figure)
		if err != nil {
			return err
		}
		fmt.Fprintf(&layers, `<g%s data-layer="%d"><g>%s</g>`, attributes, i, inner)
		if l.Count != nil {
			class := "count"
			if l.Crowded {
				class += " crowded"
			}
			fmt.Fprintf(&layers, `<text class="%s" x="%s" y="%s"></text>`, class, decimal(float64(l.Count.X)), decimal(float64(l.Count.Y)))
		}
		layers.WriteString("</g>\n")
	}
	if drawn.Above != nil {
		inner, err := innerSVG(drawn.Above)
		if err != nil {
			return err
		}
		fmt.Fprintf(&layers, `<g class="above">%s</g>`, inner)
	}
	q.SVG = template.HTML(strings.TrimSuffix(strings.TrimSpace(string(svg)), "</svg>") + layers.String() + "</svg>")
	q.Width = width
	return nil
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

var svgElement = regexp.MustCompile(`(?s)<svg [^>]*>(.*)</svg>`)

// innerSVG is the content of the SVG element of a drawing.
func innerSVG(f *draw.Figure) (string, error) {
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		return "", err
	}
	m := svgElement.FindStringSubmatch(buf.String())
	if m == nil {
		return "", fmt.Errorf("the drawing is no SVG")
	}
	return strings.TrimSpace(m[1]), nil
}

// table is for readers without a script: the first and the last evaluation of the variants.
func (q *playProblem) table(data playData) {
	type view struct{ variant, at int }
	var views []view
	for i, v := range data.Variants {
		views = append(views, view{i, 0})
		if len(v.Steps) > 1 {
			views = append(views, view{i, len(v.Steps) - 1})
		}
	}
	if len(views) > maxPlayedHeads {
		q.Few = fmt.Sprintf("The first %d of %d evaluations.", maxPlayedHeads, len(views))
		views = views[:maxPlayedHeads]
	}
	for i, a := range data.Answers {
		row := playRow{Answer: a.Text, Mode: a.Mode, Correct: a.Correct}
		seen := false
		for _, w := range views {
			n := given(data.Variants[w.variant].Given[w.at], i)
			seen = seen || n > 0
			row.Cells = append(row.Cells, data.number(n))
		}
		if seen {
			q.Rows = append(q.Rows, row)
		}
	}
	for _, w := range views {
		v := data.Variants[w.variant]
		head := fmt.Sprintf("%s, step %d", v.Label, v.Steps[w.at])
		if !data.Mass {
			head += fmt.Sprintf(", of %s", plural.Count(int(v.Drawn[w.at]), "answer"))
		}
		q.Heads = append(q.Heads, head)
	}
}

// given is how often the answer of a number was given.
func given(pairs []float64, number int) float64 {
	for i := 0; i < len(pairs); i += 2 {
		if int(pairs[i]) == number {
			return pairs[i+1]
		}
	}
	return 0
}

// number writes a count, or a probability in percent as the script does.
func (d playData) number(x float64) string {
	switch {
	case x == 0:
		return "–"
	case d.Mass && x < 0.0005:
		return "<0.1%"
	case d.Mass:
		return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
	}
	return strconv.Itoa(int(x))
}
