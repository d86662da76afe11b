package board

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// CSVCell is a number in a cell of CSV; empty where it is not finite.
func CSVCell(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// csv has a row for each method, with the area on every task.
func (t *Table) csv() ([]byte, error) {
	head := []string{"method", "same", "tasks", "rank_low", "rank_high", "score", "score_low", "score_high", "above_grpo", "above_grpo_low", "above_grpo_high", "surely_above_grpo"}
	head = append(head, LevelColumns...)
	for _, column := range LevelColumns {
		head = append(head, "reached"+strings.TrimPrefix(column, "at"))
	}
	for _, tuning := range []string{"", "untuned_", "tuned_for_accuracy_"} {
		for _, column := range []string{"area", "accuracy", "diversity", "best@64", "tokens90", "collapsed"} {
			head = append(head, tuning+column)
		}
	}
	for _, task := range t.Tasks {
		head = append(head, "area "+task)
	}
	rows := [][]string{head}
	for _, l := range t.Rows {
		row := []string{l.Method, strings.Join(l.Same, " "), strconv.Itoa(len(l.Areas)), strconv.Itoa(l.Rank.Low), strconv.Itoa(l.Rank.High)}
		xs := []float64{l.Rank.IQM.Mean, l.Rank.IQM.Low, l.Rank.IQM.High, l.Beats.Mean, l.Beats.Low, l.Beats.High, float64(l.Sure),
			l.At[0], l.At[1], l.At[2], l.Reached[0], l.Reached[1], l.Reached[2]}
		for _, m := range []Means{l.Means, l.Untuned, l.Accurate} {
			xs = append(xs, m.Area, m.Accuracy, m.Diversity, m.Best, m.Tokens, m.Collapsed)
		}
		for _, task := range t.Tasks {
			x := math.NaN()
			if i, ok := l.Areas[task]; ok {
				x = i.Mean
			}
			xs = append(xs, x)
		}
		for _, x := range xs {
			row = append(row, CSVCell(x))
		}
		rows = append(rows, row)
	}
	return CSV(rows)
}

// tasksCSV has a row for each setting that was evaluated of a method on a task, with all of
// Columns in the mean over seeds.
func (t *Table) tasksCSV() ([]byte, error) {
	rows := [][]string{append([]string{"task", "method", "as", "setting"}, columnNames()...)}
	for _, r := range t.Results {
		for _, s := range slices.SortedFunc(slices.Values(r.Standings), func(a, b Standing) int { return cmp.Compare(a.Method, b.Method) }) {
			if !t.has(s.Method) {
				continue
			}
			for _, e := range s.Rows {
				row := []string{r.Task, s.Method, strings.Join(e.As, " "), e.Setting}
				for _, c := range Columns {
					row = append(row, CSVCell(e.Mean(c.Name)))
				}
				rows = append(rows, row)
			}
		}
	}
	return CSV(rows)
}

// CSV is rows as CSV.
func CSV(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}
