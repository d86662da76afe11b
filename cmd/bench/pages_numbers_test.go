package main

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"modebench/experiments/board"
)

// numbersMark is a comment of a page with the source of the numbers of the line above:
//
//	<!-- from tabular: poly-epo accuracy 0.858, grpo accuracy 0.928 -->
//	<!-- from tabular maze: vpo ew_best@64 0.771 -->
//	<!-- from profile keep: psr score 0.92 -->
//
// the published board of a policy, over all of its tasks or on one, or a capability of the published
// profiles, then methods with a column of its CSV and the number.
var numbersMark = regexp.MustCompile(`^<!-- from ([a-z-]+)(?: ([a-z-]+))?: (.*) -->$`)

// TestNumbersOfPages: numbers that pages cite from the published boards are there, and follow the name
// of their method in the paragraph above the comment that cites them.
func TestNumbersOfPages(t *testing.T) {
	takesSeconds(t)
	pages := manual(t)
	texts := map[string]string{}
	for _, page := range pages {
		texts[page] = pageText(t, page)
	}
	boards := map[string][]map[string]string{} // by form and policy
	inDir(t)
	checked := 0
	for _, page := range pages {
		lines := strings.Split(texts[page], "\n")
		for i, line := range lines {
			match := numbersMark.FindStringSubmatch(line)
			if match == nil {
				continue
			}
			policy, task := match[1], match[2]
			form := "csv"
			if task != "" {
				form = "csv-tasks"
			}
			if policy == board.Profile && boards[form+policy] == nil {
				out, _ := succeed(t, "profile", "--format", "csv")
				boards[form+policy] = csvRows(t, out)
				for _, row := range boards[form+policy] { // named as those of boards
					row["task"], row["as"] = row["capability"], board.Tuned
				}
			}
			if boards[form+policy] == nil {
				out, _ := succeed(t, "board", "--policy", policy, "--from", "published", "--format", form)
				boards[form+policy] = csvRows(t, out)
			}
			above := paragraphAbove(lines, i)
			for _, want := range strings.Split(match[3], ", ") {
				checked++
				if why := numberIsOf(boards[form+policy], task, want, above); why != "" {
					t.Errorf("%s:%d: %s: %s", page, i+1, want, why)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d numbers of all pages are checked, want more", checked)
	}
}

// numberIsOf returns the first fault of "METHOD COLUMN NUMBER", held against rows of the board and
// its text.
func numberIsOf(rows []map[string]string, task, want, text string) string {
	words := strings.Fields(want)
	if len(words) != 3 {
		return "want METHOD COLUMN NUMBER"
	}
	method, column, number := words[0], words[1], words[2]
	_, decimals, _ := strings.Cut(number, ".")
	for _, row := range rows {
		if row["method"] != method || task != "" && (row["task"] != task || !strings.Contains(row["as"], "tuned")) {
			continue
		}
		x, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			return fmt.Sprintf("the board has %q in column %s", row[column], column)
		}
		if got := strconv.FormatFloat(x, 'f', len(decimals), 64); got != number {
			return "the board has " + got
		}
		if !regexp.MustCompile("`" + regexp.QuoteMeta(method) + "`" + "(?:(?:,| and)\\s`[^`]+`)*" + "[^`]*?[^0-9.`]" + regexp.QuoteMeta(number) + `(?:[^0-9]|$)`).MatchString(text) {
			return "the paragraph above does not have the number behind `" + method + "`, with no other method between"
		}
		return ""
	}
	return "the board has no such row"
}

// TestRowsOfTheBoardsPage: the rows in results/board.md are the first seven cells of those of the published
// tables.
func TestRowsOfTheBoardsPage(t *testing.T) {
	tables, slow, found := strings.Cut(pageText(t, "results/board.md"), "\n## With the transformer")
	if !found {
		t.Fatal("the page has no section on the transformer")
	}
	for policy, section := range map[string]string{"tabular": tables, "transformer": slow} {
		text := pageText(t, "results/board/"+policy+"/table.md")
		rows := boardRow.FindAllString(section, -1)
		if len(rows) < 10 {
			t.Fatalf("%s: %d rows, want those of ten methods or more", policy, len(rows))
		}
		for _, row := range rows {
			if !strings.Contains(text, "\n"+strings.TrimSuffix(row, " |")+" | ") {
				t.Errorf("policy %s: no row of the table begins with\n%s", policy, row)
			}
		}
	}
}

// boardRow is a row of methods: a rank, the method, its score, the answer, accuracy and gains.
var boardRow = regexp.MustCompile("(?m)^\\| \\d+(?:-\\d+)? \\| `[^`]+`(?: \\([0-9a-z ]+\\))? \\|.*\\|$")

// paragraphAbove is the text from the last empty line above a line, without comments.
func paragraphAbove(lines []string, at int) (text string) {
	for at--; at >= 0 && strings.TrimSpace(lines[at]) != ""; at-- {
		if !strings.HasPrefix(lines[at], "<!--") {
			text = lines[at] + "\n" + text
		}
	}
	return text
}

// csvRows reads CSV with a head.
func csvRows(t *testing.T, text string) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%d lines, %v", len(all), err)
	}
	var rows []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestNumbersAreHeldAgainstTheBoard: the check of pages refuses wrong numbers with the reason.
func TestNumbersAreHeldAgainstTheBoard(t *testing.T) {
	rows := []map[string]string{{"method": "grpo", "task": "maze", "as": "paper", "area": "0.9"}, {"method": "grpo", "task": "maze", "as": "tuned accurate", "area": "0.1264"}}
	const text = "`grpo` has 0.126."
	for _, c := range []struct{ want, text, why string }{
		{"grpo area 0.126", text, ""},
		{"grpo area 0.127", text, "the board has 0.126"},
		{"grpo area 0.13", text, "the paragraph above does not have"},
		{"grpo area 0.126", "GRPO has 0.126.", "the paragraph above does not have"},
		{"grpo area 0.126", "`grpo` has 0.1264.", "the paragraph above does not have"},
		{"grpo area 0.126", "`grpo` has 10.126.", "the paragraph above does not have"},
		{"grpo area 0.126", "`grpo` has 0.705 and `vpo` 0.126.", "no other method between"},
		{"grpo area 0.126", "`grpo`, `vpo` and `rloo` have 0.126.", ""},
		{"vpo area 0.126", text, "no such row"},
		{"grpo accuracy 0.126", text, `"" in column accuracy`},
		{"grpo 0.126", text, "want METHOD COLUMN NUMBER"},
	} {
		got := numberIsOf(rows, "maze", c.want, c.text)
		if c.why == "" && got != "" || !strings.Contains(got, c.why) {
			t.Errorf("%s of %q: %q, want %q", c.want, c.text, got, c.why)
		}
	}
}
