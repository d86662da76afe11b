package parity

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the tables of docs/parity.md from what ran")

const (
	page        = "../../docs/parity.md"
	tablesBegin = "<!-- Written by go test ./estimators/parity -write; do not edit. -->\n"
	tablesEnd   = "<!-- The end of what is written. -->\n"
)

// checkPage holds the page's rows against what ran: each framework, version, function, method and
// number of cases. Differences depend on the version of PyTorch, and are held by TestParity.
func checkPage(t *testing.T, out *output, results []found) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tablesBegin)
	tables, after, closed := strings.Cut(rest, tablesEnd)
	if !ok || !closed {
		t.Fatalf("%s has not both %q and %q", page, tablesBegin, tablesEnd)
	}
	if *write {
		if err := os.WriteFile(page, []byte(before+tablesBegin+render(out, results)+tablesEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var lack []string
	for _, f := range results {
		if !strings.Contains(tables, "\n"+f.start()) {
			lack = append(lack, f.start())
		}
	}
	if lack != nil {
		t.Errorf("%s lacks %d of %d rows, which go test ./estimators/parity -write writes; the first is %s", page, len(lack), len(results), lack[0])
	}
}

// start is a row of a table without what depends on the version of PyTorch.
func (f found) start() string {
	function := strings.TrimPrefix(f.function, "loss_")
	if function != f.function {
		function += ", loss"
	}
	return fmt.Sprintf("| %s %s | %s%s | `%s`%s | %d | ", f.framework, f.version, function, told(f.settings), f.method, here(f.fields), f.cases)
}

// told lists the settings of a framework, in the order of the names.
func told(settings set) string {
	var words []string
	for name, value := range settings {
		words = append(words, fmt.Sprintf("%s=%v", name, value))
	}
	slices.Sort(words)
	return quoted(words)
}

func here(fields []string) string {
	return strings.ReplaceAll(quoted(slices.Clone(fields)), "k=SIZE", "k=n")
}

// usual are the settings of every loss, which the page names once.
var usual = []string{"clip_low=0.2", "clip_high=0.28", "epsilon_low=0.2", "epsilon_high=0.28", "max_tokens=11"}

func quoted(words []string) string {
	words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(usual, word) })
	if len(words) == 0 {
		return ""
	}
	return " `" + strings.Join(words, " ") + "`"
}

// render is both tables.
func render(out *output, results []found) string {
	var b strings.Builder
	total := 0
	for _, f := range results {
		total += f.cases
	}
	fmt.Fprintf(&b, "\n%d cases, with PyTorch %s.\n\n", total, out.Torch)
	for _, name := range frameworks(out) {
		if why := out.Frameworks[name].Skip; why != "" {
			fmt.Fprintf(&b, "%s was skipped: %s.\n\n", name, why)
		}
	}
	b.WriteString("| framework | function | method | cases | largest difference | allowed |\n|---|---|---|---|---|---|\n")
	for _, f := range results {
		if !f.deviates {
			fmt.Fprintf(&b, "%s%.1e | %.0e%s |\n", f.start(), f.largest, f.tolerance, strings.TrimSuffix(": "+f.why, ": "))
		}
	}
	b.WriteString("\n### Known deviations\n\n| framework | function | method | cases | largest difference | why |\n|---|---|---|---|---|---|\n")
	for _, f := range results {
		if f.deviates {
			fmt.Fprintf(&b, "%s%.1e | %s |\n", f.start(), f.largest, f.why)
		}
	}
	b.WriteString("\n")
	return b.String()
}
