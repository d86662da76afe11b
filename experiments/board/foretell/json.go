package foretell

import (
	"modebench/experiments/board"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// foretellJSON is a comparison as JSON; what is not defined is null.
type foretellJSON struct {
	Version int          `json:"board"`
	Short   sideJSON     `json:"short"`
	Long    sideJSON     `json:"long"`
	Over    []scopeJSON  `json:"over_tasks"`
	Tasks   []scopeJSON  `json:"task_by_task"`
	Seeds   []repeatJSON `json:"against_itself"`
	Within  []withinJSON `json:"within"`
	Steps   []stepJSON   `json:"audit"`
	// Verdicts[i][j]: how many methods are surely below (0), not told apart from (1) or surely above
	// (2) the reference on the short board (i) and on the long one (j).
	Verdicts [3][3]int  `json:"verdicts"`
	Methods  []bothJSON `json:"methods"`
}

type sideJSON struct {
	Policy  string   `json:"policy"`
	Tasks   []string `json:"tasks"`
	Seeds   int      `json:"seeds"`
	Methods int      `json:"methods"`
}

// tauJSON is a tau with its bounds, and of how many methods it is.
type tauJSON struct {
	Tau  [3]lined.Number `json:"tau"`
	Over int             `json:"methods"`
}

type scopeJSON struct {
	Short   []string        `json:"short"`
	Long    []string        `json:"long"`
	Columns []agreementJSON `json:"columns"`
}

type agreementJSON struct {
	Column string `json:"column"`
	tauJSON
	Halves  [2]lined.Number `json:"halves"`
	Ceiling lined.Number    `json:"ceiling"`
}

type repeatJSON struct {
	Board  string `json:"board"`
	What   string `json:"between"`
	Column string `json:"column"`
	tauJSON
	Pairs   int          `json:"pairs"`
	Ceiling lined.Number `json:"ceiling"`
}

type withinJSON struct {
	Board     string  `json:"board"`
	Accuracy  tauJSON `json:"score_and_accuracy"`
	Diversity tauJSON `json:"score_and_diversity"`
}

type stepJSON struct {
	Column  string     `json:"column"`
	Untuned [6]tauJSON `json:"untuned"` // score, accuracy, diversity of the short board, then of the long one
	Tuned   [6]tauJSON `json:"tuned"`
}

type bothJSON struct {
	Method string             `json:"method"`
	Score  [2][3]lined.Number `json:"score"`
	Beats  [2][3]lined.Number `json:"above_grpo"`
	Sure   [2]int             `json:"surely_above_grpo"`
	Rank   [2][2]int          `json:"rank"`
	Tasks  [2]int             `json:"tasks"`
}

func threeJSON(i stats.Interval) [3]lined.Number {
	return [3]lined.Number{board.Four(i.Mean), board.Four(i.Low), board.Four(i.High)}
}

func tauInJSON(i stats.Interval) tauJSON { return tauJSON{threeJSON(i), i.N} }

func (f *Comparison) json() []byte {
	out := foretellJSON{Version: board.Version, Short: side(f.Short), Long: side(f.Long), Over: scopesJSON(f.Over), Tasks: scopesJSON(f.Tasks), Verdicts: f.Verdicts()}
	for _, r := range f.Seeds {
		out.Seeds = append(out.Seeds, repeatJSON{r.Board, r.What, r.Column, tauInJSON(r.Tau), r.Of, board.Four(r.Ceiling)})
	}
	for _, w := range f.Within {
		out.Within = append(out.Within, withinJSON{w.Board, tauInJSON(w.Accuracy), tauInJSON(w.Diversity)})
	}
	for _, s := range f.Steps {
		step := stepJSON{Column: s.Column}
		for i := range s.Taus {
			step.Untuned[i], step.Tuned[i] = tauInJSON(s.Taus[i]), tauInJSON(s.Tuned[i])
		}
		out.Steps = append(out.Steps, step)
	}
	for _, b := range f.Both {
		m := bothJSON{Method: b.Method}
		for i, l := range []board.Line{b.Short, b.Long} {
			m.Score[i], m.Beats[i], m.Sure[i] = threeJSON(l.Rank.IQM), threeJSON(l.Beats), l.Sure
			m.Rank[i], m.Tasks[i] = [2]int{l.Rank.Low, l.Rank.High}, len(l.Areas)
		}
		out.Methods = append(out.Methods, m)
	}
	return lined.Text(out)
}

func side(t *board.Table) sideJSON { return sideJSON{t.Policy, t.Tasks, t.Seeds, len(t.Rows)} }

func scopesJSON(scopes []Scope) (out []scopeJSON) {
	for _, s := range scopes {
		one := scopeJSON{Short: s.Short, Long: s.Long}
		for _, c := range s.Columns {
			one.Columns = append(one.Columns, agreementJSON{c.Column, tauInJSON(c.Tau), [2]lined.Number{board.Four(c.Halves[0]), board.Four(c.Halves[1])}, board.Four(c.Ceiling)})
		}
		out = append(out, one)
	}
	return out
}
