package house

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	updateProse = flag.Bool("update-prose", false, "write the present counts of house words, if none rose")
	listProse   = flag.String("list-prose", "", "print each house word of this folder, as in experiments/spec or docs")
)

// houseWords are phrases that make a reader read twice. Each has a plain word in its place: a noun
// for "what ...", the name of the thing for "one that", "if" for "where it".
var houseWords = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`(is|are|was|were|be|says?|of|for|in|on|to|with|from|by|than|as|at|about|and|but|besides?) what(ever)?`,
	`so many`, `such a one`, `such ones`, `ones? that`, `another one`, `nobody`,
	`(is|are|has|have|had|be) none`, `none (of|is|are|that)`, `there (is|are) no(ne)? (of|that)`,
	`says?`, `stands?`, `(is|are) told`, `(go|goes|gone) on with`,
	`where (it|they|that|there|this|these|he)`,
}, "|") + `)\b|(^(// )?|[.:;] )What(ever)?\b[^?]*$`)

// emptyNames are prepositions, pronouns and adverbs, which name no quantity.
var emptyNames = []string{
	"own", "now", "on", "by", "of", "at", "seen", "told", "apart", "meet", "most", "said", "says", "stands",
	"here", "there", "then", "that", "these", "those", "which", "what", "whose", "upon", "one", "ones", "other", "others", "both",
}

// quotedOrCode is text of a page that is not prose.
var quotedOrCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|<!--.*?-->")

// A wording counts the house words of a folder: in comments, of how many comment lines, in texts
// that users read, and names of functions, fields and variables that name no quantity. A page
// counts as comments.
type wording struct{ comments, lines, texts, names int }

func (w wording) String() string {
	return fmt.Sprintf("%d of %d comment lines, %d texts, %d names", w.comments, w.lines, w.texts, w.names)
}

// TestHouseWordsDoNotRise compares the counts of every folder with those of
// testdata/house-words.txt. A count that fell is written there too, so that it cannot rise again.
func TestHouseWordsDoNotRise(t *testing.T) {
	readSources(t)
	counts := countWording(t)
	file := filepath.Join("testdata", "house-words.txt")
	kept := readWording(t, file)
	rose, fell := false, false
	for folder, now := range counts {
		before := kept[folder] // a new folder begins with no house words
		if now.comments > before.comments || now.texts > before.texts || now.names > before.names {
			t.Errorf("%s: %v, were %v; go test ./internal/house -run HouseWords -list-prose %s shows them", folder, now, before, folder)
			rose = true
		}
		fell = fell || now.comments < before.comments || now.texts < before.texts || now.names < before.names
	}
	switch {
	case *updateProse && (!rose || kept == nil):
		writeWording(t, file, counts)
	case fell && !rose:
		t.Error("house words fell: go test ./internal/house -run HouseWords -update-prose writes the new counts")
	}
}

func countWording(t *testing.T) map[string]wording {
	t.Helper()
	root := filepath.Join("..", "..")
	counts := map[string]wording{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(rel))
		w := counts[folder]
		show := func(line int, text string) {
			if *listProse == folder {
				fmt.Printf("%s:%d: %s\n", filepath.ToSlash(rel), line, strings.TrimSpace(text))
			}
		}
		switch filepath.Ext(path) {
		case ".go":
			err = w.addGo(path, show)
		case ".md":
			if rel != "CHANGELOG.md" { // its past sections stay as they were
				err = w.addPage(path, show)
			}
		default:
			return nil
		}
		counts[folder] = w
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// addGo counts a Go file: its comments, and outside of tests its string literals and names.
func (w *wording) addGo(path string, show func(line int, text string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			for i, line := range strings.Split(comment.Text, "\n") {
				w.lines++
				if found := houseWords.FindAllString(line, -1); len(found) > 0 && !strings.HasPrefix(line, "//go:") {
					w.comments += len(found)
					show(files.Position(comment.Pos()).Line+i, line)
				}
			}
		}
	}
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			text := n.Value
			if n.Kind != token.STRING || !strings.Contains(text, " ") {
				break // one word is a name
			}
			if found := houseWords.FindAllString(text, -1); len(found) > 0 {
				w.texts += len(found)
				show(files.Position(n.Pos()).Line, text)
			}
		case *ast.FuncDecl:
			w.addName(n.Name, files, show)
		case *ast.Field:
			for _, name := range n.Names {
				w.addName(name, files, show)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						w.addName(name, files, show)
					}
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				w.addName(name, files, show)
			}
		}
		return true
	})
	return nil
}

func (w *wording) addName(name *ast.Ident, files *token.FileSet, show func(line int, text string)) {
	if slices.Contains(emptyNames, strings.ToLower(name.Name)) {
		w.names++
		show(files.Position(name.Pos()).Line, "the name "+strconv.Quote(name.Name))
	}
}

// addPage counts the prose of a Markdown page, without its code.
func (w *wording) addPage(path string, show func(line int, text string)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = quotedOrCode.ReplaceAllFunc(text, func(code []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(code, []byte("\n"))) })
	for i, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) != "" {
			w.lines++
		}
		if found := houseWords.FindAllString(line, -1); len(found) > 0 {
			w.comments += len(found)
			show(i+1, line)
		}
	}
	return nil
}

// readWording reads the kept counts: a folder and four numbers a line.
func readWording(t *testing.T, file string) map[string]wording {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]wording{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var folder string
		var w wording
		if _, err := fmt.Sscan(line, &folder, &w.comments, &w.lines, &w.texts, &w.names); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		kept[folder] = w
	}
	return kept
}

func writeWording(t *testing.T, file string, counts map[string]wording) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# House words of each folder: in comments (or a page), of how many comment lines, in texts, as names.\n")
	var sum wording
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		w := counts[folder]
		fmt.Fprintf(&b, "%s %d %d %d %d\n", folder, w.comments, w.lines, w.texts, w.names)
		sum.comments, sum.lines, sum.texts, sum.names = sum.comments+w.comments, sum.lines+w.lines, sum.texts+w.texts, sum.names+w.names
	}
	t.Log("all:", sum)
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
