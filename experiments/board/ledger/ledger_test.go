package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"

	"modebench/experiments/board"
	"modebench/results"
)

// small is a ledger that reads.
const small = `[[sign]]
published = "A is above B."
source = "Doe 2000, table 1"
kind = "diversity"
checked = true
method = "poly-epo"
against = "grpo"
metric = "solved@64"
signs = [1]

[[sign]]
published = "It rains."
source = "Doe 2000, from memory"
kind = "phenomenon"
checked = false

[[method]]
name = "poly-epo"
keeps_diversity = true
source = "Doe 2000"
`

func grid(t testing.TB) *board.Grid {
	t.Helper()
	g, err := board.Published()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func published(t testing.TB) *Ledger {
	t.Helper()
	l, err := Read(results.LedgerFile, results.Ledger, grid(t))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRead(t *testing.T) {
	got, err := Read("small.toml", []byte(small), grid(t))
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	want := &Ledger{
		Signs: []Sign{
			{Published: "A is above B.", Source: "Doe 2000, table 1", Kind: Diversity, Checked: true, Method: "poly-epo", Against: "grpo", Metric: "solved@64", Signs: []int{1}},
			{Published: "It rains.", Source: "Doe 2000, from memory", Kind: Phenomenon},
		},
		Methods: []Method{{Name: "poly-epo", KeepsDiversity: &yes, Source: "Doe 2000"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !got.Signs[0].Asked() || got.Signs[1].Asked() {
		t.Error("the first row alone has a question")
	}
}

// TestReadErrors: a mistake is found, and the error names its place.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"checked = false", "cheked = false", `small.toml:15:1: unknown key "sign.cheked"`},
		{"checked = true", `checked = "yes"`, "small.toml:5:11: "},
		{"checked = true", "checked = true, false", "small.toml:5:"},
		{`"A is above B."`, `"A is above B"`, "sign[0] \"A is above B\": published: want a sentence"},
		{`"It rains."`, `"It | rains."`, "sign[1] \"It | rains.\": published: want a sentence"},
		{`"It rains."`, `"""It
rains."""`, "published: want a sentence"},
		{`source = "Doe 2000, table 1"`, "", `source: got "", want a paper`},
		{`"phenomenon"`, `"phenomena"`, `kind: got "phenomena"; did you mean`},
		{`"poly-epo"`, `"poly-epos"`, `method "poly-epos" has no row on the board; did you mean`},
		{`against = "grpo"`, `against = "grpo@verl"`, "against: method grpo@verl is not on the board: it is in the row of grpo"},
		{`against = "grpo"`, `against = "poly-epo"`, "against is the method itself"},
		{`against = "grpo"`, "", `against: method "" has no row`},
		{`"solved@64"`, `"solved@65"`, `metric: got "solved@65"; did you mean`},
		{"[1]", "[2]", "signs: got [2], want one of [[-1] [0] [1] [-1 0] [0 1]]"},
		{"[1]", "[1, 0]", "signs: got [1 0]"},
		{"[1]", "[]", "signs: got []"},
		{"checked = false", "checked = false\nmetric = \"entropy\"", "against, metric and signs belong to a question"},
		{"keeps_diversity = true", "", "want keeps_diversity = true or false"},
		{"name = \"poly-epo\"", "name = \"base\"", "method[0] \"base\": method base is not on the board: It does not train"},
		{"[[method]]", "[[method]]\nname = \"grpo\"\nkeeps_diversity = false\nsource = \"Doe\"\n[[method]]\nname = \"grpo\"\nkeeps_diversity = true\nsource = \"Doe\"\n[[method]]", `method[1] "grpo": the method is there twice`},
		{"[[method]]", small[:strings.Index(small, "[[sign]]\npublished = \"It")] + "[[method]]", `sign[2] "A is above B.": the sign is there twice`},
	} {
		text := strings.Replace(small, c.old, c.new, 1)
		if text == small {
			t.Fatalf("%q is not in the ledger", c.old)
		}
		if _, err := Read("small.toml", []byte(text), grid(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in place of %q: got %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// TestPublished: the published ledger reads, has rows of every kind, questions about all metrics and both
// sides of methods, and an unchecked row names its footing. The embedded text is that of the file.
func TestPublished(t *testing.T) {
	l := published(t)
	file, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(results.LedgerFile)))
	if err != nil || !bytes.Equal(file, results.Ledger) {
		t.Errorf("%s is not the embedded ledger: %v", results.LedgerFile, err)
	}
	rows, asked, metrics := map[string]int{}, map[string]int{}, map[string]bool{"": true}
	for _, s := range l.Signs {
		rows[s.Kind]++
		asked[s.Kind] += b2i(s.Asked())
		metrics[s.Metric] = true
		if !s.Checked && !strings.Contains(s.Source, "memory") && !strings.Contains(s.Source, "review") {
			t.Errorf("%q: it is not checked, so that its source %q has to name memory or a review", s.Published, s.Source)
		}
	}
	for _, kind := range Kinds {
		if asked[kind] < 20 || asked[kind] == rows[kind] {
			t.Errorf("%s: %d of %d rows have a question", kind, asked[kind], rows[kind])
		}
	}
	if len(metrics) != 1+len(Metrics) {
		t.Errorf("questions are about %v, want all of %q", metrics, Metrics)
	}
	keeps := 0
	for _, m := range l.Methods {
		keeps += b2i(*m.KeepsDiversity)
	}
	if keeps < 10 || len(l.Methods)-keeps < 10 {
		t.Errorf("%d of %d methods keep diversity: want ten or more on either side", keeps, len(l.Methods))
	}
}

// TestSidesAgree: no two rows have opposite signs of one question.
// Papers may contradict each other; then this test lists the rows.
func TestSidesAgree(t *testing.T) {
	l := published(t)
	for i, a := range l.Signs {
		for _, b := range l.Signs[:i] {
			if a.Asked() && a.Metric == b.Metric && a.Method == b.Method && a.Against == b.Against && !slices.ContainsFunc(a.Signs, func(s int) bool { return slices.Contains(b.Signs, s) }) && !disputed[a.Method+" "+a.Metric] {
				t.Errorf("%q (%s) contradicts %q (%s)", a.Published, a.Source, b.Published, b.Source)
			}
		}
	}
}

// disputed are questions on which published papers contradict each other.
var disputed = map[string]bool{
	"dapo solved@64": true, // above GRPO in pass@256 (F-GRPO), and like GRPO (Yue)
}

// FuzzRead: a ledger that reads is the same after it was written and read again, and can be scored.
func FuzzRead(f *testing.F) {
	g := grid(f)
	f.Add([]byte(small))
	f.Add(results.Ledger[:4000])
	f.Add([]byte("[[sign]]\nsigns = [9223372036854775808]"))
	f.Add([]byte("sign = 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Read("f.toml", data, g)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.toml:") {
				t.Errorf("the error does not name its file: %v", err)
			}
			return
		}
		text, err := toml.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read("again.toml", text, g)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(l, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("written and read again (-want +got):\n%s", diff)
		}
		if c := Score(l, 0, sure(1)).Counts[0]; c.Answered != c.Asked || c.Rows != len(l.Signs) || c.Right+c.Wrong+c.Undecided != c.Answered {
			t.Errorf("counts %+v of %d rows", c, len(l.Signs))
		}
	})
}
