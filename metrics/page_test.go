package metrics

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the tables of docs/metrics.md")

// TestPageListsEveryMetric compares the tables of docs/metrics.md with the registry.
func TestPageListsEveryMetric(t *testing.T) {
	const (
		page  = "../docs/metrics.md"
		begin = "<!-- Written by go test ./metrics -run Page -write; do not edit. -->\n"
		end   = "<!-- The end of what is written. -->\n"
	)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(text), begin)
	tables, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	}
	want := metricTables()
	if *write {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if tables != want {
		t.Errorf("%s does not list the metrics that are registered; go test ./metrics -run Page -write writes them", page)
	}
}

// metricTables is a table of metrics for each group, and a table of the reasons of their deltas.
func metricTables() string {
	var b strings.Builder
	table := func(title, group string) {
		fmt.Fprintf(&b, "\n### %s\n\n| metric | what it is | unit, range, source | delta |\n|---|---|---|---|\n", title)
		for _, m := range All() {
			if m.Measure == group {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %g |\n", m.Name, markdown(m.Doc), markdown(m.Detail), m.Delta.Size)
			}
		}
	}
	table("Without measure", "")
	for _, g := range Groups() {
		table(fmt.Sprintf("`measure = [%q]`: %s", g.Name, g.Doc), g.Name)
	}
	b.WriteString("\n### Why these deltas\n\n| delta | why | metrics |\n|---|---|---|\n")
	sharing := map[Delta][]string{}
	for _, m := range All() {
		sharing[m.Delta] = append(sharing[m.Delta], "`"+m.Name+"`")
	}
	for _, m := range All() {
		if names := sharing[m.Delta]; names != nil {
			fmt.Fprintf(&b, "| %g | %s | %s |\n", m.Delta.Size, markdown(m.Delta.Why), strings.Join(names, ", "))
			delete(sharing, m.Delta)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// markdown escapes the marks of Markdown in a line.
func markdown(line string) string {
	return strings.NewReplacer("*", `\*`, "|", `\|`, "_", `\_`, "<", "&lt;", ">", "&gt;").Replace(line)
}
