package plots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// DataVersion is the version of the form of a figure's file, which is raised by hand. A
// file names it first, as modebench_figure, so that it can be told from other JSON.
const DataVersion = 1

// The file of a figure's data. What has no finite value is null.
type (
	dataFile struct {
		Version  int           `json:"modebench_figure"`
		Spec     string        `json:"spec,omitempty"`
		Policy   string        `json:"policy,omitempty"`
		Figure   figureFile    `json:"figure"`
		Variants []variantFile `json:"variants,omitempty"`
		Claims   []claimFile   `json:"claims,omitempty"`
	}
	// figureFile is record.Figure without what it does not say.
	figureFile struct {
		Name       string          `json:"name"`
		Kind       string          `json:"kind"`
		Title      string          `json:"title,omitempty"`
		Metrics    []string        `json:"metrics,omitempty"`
		Where      []record.Filter `json:"where,omitempty"`
		Rows       []string        `json:"rows,omitempty"`
		Cols       []string        `json:"cols,omitempty"`
		Panel      []string        `json:"panel,omitempty"`
		Problem    int             `json:"problem,omitempty"`
		Steps      []int           `json:"steps,omitempty"`
		Components []string        `json:"components,omitempty"`
	}
	variantFile struct {
		Label  string        `json:"label"`
		Name   string        `json:"name"`
		Method string        `json:"method"`
		Trains bool          `json:"trains"`
		Axes   []record.Axis `json:"axes,omitempty"`
		Seeds  []int         `json:"seeds"`
		Steps  []int         `json:"steps"`
		Short  bool          `json:"short,omitempty"`
		Series []seriesFile  `json:"series,omitempty"`
		Rivers *Rivers       `json:"rivers,omitempty"`
		Scores []scoresFile  `json:"scores,omitempty"`
		Pools  *poolsFile    `json:"pools,omitempty"`
	}
	seriesFile struct {
		Metric string `json:"metric"`
		intervalsFile
	}
	// intervalsFile are intervals in columns. N is left out where all are over all seeds,
	// the bounds where there are none.
	intervalsFile struct {
		N    []int      `json:"n,omitempty"`
		Mean []*float64 `json:"mean"`
		Low  []*float64 `json:"low,omitempty"`
		High []*float64 `json:"high,omitempty"`
	}
	scoresFile struct {
		Metric string     `json:"metric"`
		Values []*float64 `json:"values"`
	}
	poolsFile struct {
		Env   record.Component `json:"env"`
		Split string           `json:"split"`
		Front [][]*float64     `json:"front,omitempty"`
		At    []poolFile       `json:"at"`
	}
	poolFile struct {
		Step    int          `json:"step"`
		ID      string       `json:"id"`
		Answers []answerFile `json:"answers"`
	}
	answerFile struct {
		Mode      string     `json:"mode,omitempty"`
		Correct   bool       `json:"correct,omitempty"`
		Reward    []*float64 `json:"reward,omitempty"`
		Tokens    string     `json:"tokens,omitempty"` // with a blank between two
		Embedding []float32  `json:"embedding,omitempty"`
	}
	claimFile struct {
		Spec     string   `json:"spec"`
		Name     string   `json:"name"`
		Text     string   `json:"text"`
		Metrics  []string `json:"metrics"`
		Verdict  string   `json:"verdict"`
		Compares bool     `json:"compares"`
		Holds    int      `json:"holds"`
		Judged   int      `json:"judged"`
		intervalsFile
	}
)

// Write writes the data as JSON, a line for each variant and each of its series. Equal
// data give equal bytes, and floats have their shortest form, which reads back as the
// same number: what is read draws the same figure.
func (d *Data) Write(w io.Writer) error {
	f := dataFile{Version: DataVersion, Spec: d.Spec, Policy: d.Policy, Figure: figureFile(d.Figure)}
	for i := range d.Variants {
		v, err := d.Variants[i].file()
		if err != nil {
			return fmt.Errorf("variant %s: %w", d.Variants[i].Label, err)
		}
		f.Variants = append(f.Variants, v)
	}
	for _, c := range d.Claims {
		f.Claims = append(f.Claims, claimFile{
			Spec: c.Spec, Name: c.Name, Text: c.Text, Metrics: c.Metrics, Verdict: c.Verdict, Compares: c.Compares,
			Holds: c.Holds, Judged: c.Judged, intervalsFile: columns(c.Effects, -1),
		})
	}
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		return err
	}
	text := buf.String()
	// Within strings quotes are escaped, so that these are beginnings of objects.
	for _, start := range []string{`"figure":{`, `{"label":`, `{"metric":`, `{"step":`, `{"spec":`} {
		text = strings.ReplaceAll(text, start, "\n"+start)
	}
	_, err := io.WriteString(w, text)
	return err
}

// finite is nil for what is no number.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func pointers(xs []float64) []*float64 {
	out := make([]*float64, len(xs))
	for i := range xs {
		out[i] = &xs[i]
	}
	return out
}

// columns are intervals over usually so many seeds.
func columns(list []stats.Interval, seeds int) intervalsFile {
	f := intervalsFile{Mean: []*float64{}}
	whole, bounded := true, false
	for _, at := range list {
		whole = whole && (at.N == seeds || at.N == 0)
		mean, low, high := finite(at.Mean), finite(at.Low), finite(at.High)
		if at.N == 0 {
			mean, low, high = nil, nil, nil
		}
		bounded = bounded || low != nil || high != nil
		f.N, f.Mean, f.Low, f.High = append(f.N, at.N), append(f.Mean, mean), append(f.Low, low), append(f.High, high)
	}
	if whole {
		f.N = nil
	}
	if !bounded {
		f.Low, f.High = nil, nil
	}
	return f
}

func (v *Variant) file() (variantFile, error) {
	f := variantFile{
		Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Axes: v.Axes,
		Seeds: v.Seeds, Steps: v.Steps, Short: v.Short, Rivers: v.Rivers,
	}
	for _, s := range v.Series {
		f.Series = append(f.Series, seriesFile{s.Metric, columns(s.At, len(v.Seeds))})
	}
	for _, s := range v.Scores {
		f.Scores = append(f.Scores, scoresFile{s.Metric, pointers(s.Values)})
	}
	if v.Pools == nil {
		return f, nil
	}
	f.Pools = &poolsFile{Env: v.Pools.Env, Split: v.Pools.Split}
	for _, r := range v.Pools.Front {
		f.Pools.Front = append(f.Pools.Front, pointers(r))
	}
	for _, p := range v.Pools.At {
		at := poolFile{Step: p.Step, ID: p.ID, Answers: []answerFile{}}
		for i, a := range p.Answers {
			for _, word := range a.Tokens {
				if len(strings.Fields(word)) != 1 || strings.TrimSpace(word) != word {
					return f, fmt.Errorf("answers[%d]: the word %q has blanks, and a figure's file puts one between two words", i, word)
				}
			}
			at.Answers = append(at.Answers, answerFile{
				Mode: a.Mode, Correct: a.Correct, Reward: pointers(a.Reward), Tokens: strings.Join(a.Tokens, " "), Embedding: a.Embedding,
			})
		}
		f.Pools.At = append(f.Pools.At, at)
	}
	return f, nil
}

// intervals reads columns of n intervals, each over at most so many seeds: all of them
// where the columns do not say.
func (f intervalsFile) intervals(n, seeds int) ([]stats.Interval, error) {
	if len(f.Mean) != n || f.N != nil && len(f.N) != n || len(f.Low) != len(f.High) || f.Low != nil && len(f.Low) != n {
		return nil, fmt.Errorf("%d means, %d n, %d low and %d high for %d steps: want as many of each, or no n, or neither low nor high",
			len(f.Mean), len(f.N), len(f.Low), len(f.High), n)
	}
	out := make([]stats.Interval, n)
	for i := range out {
		over := seeds
		if f.N != nil {
			over = f.N[i]
		}
		if f.Mean[i] == nil {
			if f.N != nil && over != 0 {
				return nil, fmt.Errorf("mean[%d]: got null over %d seeds, want a number", i, over)
			}
			continue
		}
		if over < 1 || over > seeds {
			return nil, fmt.Errorf("n[%d]: got %d, want 1 to %d, the seeds of the variant", i, over, seeds)
		}
		at := stats.Interval{N: over, Mean: *f.Mean[i], Low: math.Inf(-1), High: math.Inf(1)}
		if f.Low != nil && f.Low[i] != nil {
			at.Low = *f.Low[i]
		}
		if f.High != nil && f.High[i] != nil {
			at.High = *f.High[i]
		}
		if !(at.Low <= at.Mean && at.Mean <= at.High) || tooLarge(at.Mean, at.Low, at.High) {
			return nil, fmt.Errorf("[%d]: mean %v, low %v, high %v, want low <= mean <= high, within %.0e of 0", i, at.Mean, at.Low, at.High, most)
		}
		out[i] = at
	}
	return out, nil
}

// most is the largest number that a figure's file may hold: sums of such are finite.
const most = 1e150

// tooLarge says whether one of some numbers is beyond what a file may hold, but for
// infinite bounds.
func tooLarge(xs ...float64) bool {
	return slices.ContainsFunc(xs, func(x float64) bool { return math.Abs(x) > most && !math.IsInf(x, 0) })
}
