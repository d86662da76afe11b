package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// packages are the doc comments of the exported packages, and where the code registers methods.
type packages struct {
	files    *token.FileSet
	packages map[string]*doc.Package // by folder
	// The places of a quoted text: registered has those in a literal's field Name, as in
	// Method{Name: "rloo"}, or first in the row of a table, and named all. The first place counts.
	registered, named map[string]registration
}

// A registration is the file in which a method is registered, and the comments in its literal.
type registration struct{ file, comments string }

const module = "modebench/"

// documented are the folders whose packages have pages.
var documented = []string{"estimators", "envs", "policies", "metrics"}

// loadPackages reads the packages that others may import.
func loadPackages(root string) (*packages, error) {
	p := &packages{token.NewFileSet(), map[string]*doc.Package{}, map[string]registration{}, map[string]registration{}}
	for _, top := range documented {
		err := fs.WalkDir(os.DirFS(root), top, func(folder string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return err
			case slices.Contains([]string{"internal", "testdata", "envtest"}, d.Name()):
				return fs.SkipDir
			}
			return p.load(root, folder)
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// load reads one folder, if it holds a package that can be imported.
func (p *packages) load(root, folder string) error {
	path := filepath.Join(root, filepath.FromSlash(folder))
	info, err := build.ImportDir(path, 0)
	if _, empty := err.(*build.NoGoError); empty || err == nil && info.Name == "main" {
		return nil
	}
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, name := range info.GoFiles {
		f, err := parser.ParseFile(p.files, filepath.Join(path, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		p.findMethods(f, folder+"/"+name)
		files = append(files, f)
	}
	p.packages[folder], err = doc.NewFromFiles(p.files, files, module+folder)
	return err
}

func (p *packages) findMethods(f *ast.File, file string) {
	note := func(places map[string]registration, value ast.Expr, comments string) {
		if text, ok := value.(*ast.BasicLit); ok && places[text.Value].file == "" {
			places[text.Value] = registration{file, comments}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			note(p.named, n, "")
		case *ast.CompositeLit:
			for _, element := range n.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok && fmt.Sprint(pair.Key) == "Name" {
					note(p.registered, pair.Value, p.commentsOn(f, n))
				}
			}
			isText := func(e ast.Expr) bool { text, ok := e.(*ast.BasicLit); return ok && text.Kind == token.STRING }
			if i := slices.IndexFunc(n.Elts, isText); i >= 0 && n.Type == nil {
				note(p.registered, n.Elts[i], p.commentsOn(f, n))
			}
		}
		return true
	})
}

// commentsOn are the comments in a literal, and above a row of a table.
func (p *packages) commentsOn(f *ast.File, literal *ast.CompositeLit) (text string) {
	line := func(pos token.Pos) int { return p.files.Position(pos).Line }
	for _, c := range f.Comments {
		above := literal.Type == nil && line(c.End())+1 == line(literal.Pos())
		if above || c.Pos() > literal.Lbrace && c.End() < literal.Rbrace {
			text += c.Text()
		}
	}
	return text
}

// registration finds where a method is registered. The file is "" if no text of the code is its name.
func (p *packages) registration(name string) registration {
	name = strconv.Quote(name)
	return cmp.Or(p.registered[name], p.named[name])
}

func packagePath(folder string) string { return "api/" + folder + ".md" }

// markdown is a doc comment of a package as Markdown, with headings of the given level.
func (p *packages) markdown(level int, pkg *doc.Package, text string) string {
	printer := pkg.Printer()
	printer.HeadingLevel = level
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(link *comment.DocLink) string {
		folder := strings.TrimPrefix(link.ImportPath, module)
		if link.ImportPath == "" {
			folder = strings.TrimPrefix(pkg.ImportPath, module)
		}
		target := p.packages[folder]
		if target == nil {
			return ""
		}
		to := "/" + packagePath(folder)
		if link.Recv == "" && link.Name != "" && slices.Contains(names(target), link.Name) {
			to += "#" + link.Name
		}
		return to
	}
	parsed := pkg.Parser().Parse(text)
	var parts []string
	for _, block := range parsed.Content {
		if c, ok := block.(*comment.Code); ok { // indented, it would belong to a list above it
			parts = append(parts, fence("text", c.Text))
			continue
		}
		markdown := string(printer.Markdown(&comment.Doc{Content: []comment.Block{block}, Links: parsed.Links}))
		parts = append(parts, strings.ReplaceAll(markdown, `\<`, "&lt;")) // mkdocs does not read \<
	}
	return strings.Join(parts, "\n")
}

// typeDoc is the doc comment of a type; "": the comment or the page of its package is missing.
func (p *packages) typeDoc(folder, name string) string {
	if pkg := p.packages[folder]; pkg != nil {
		if i := slices.IndexFunc(pkg.Types, func(t *doc.Type) bool { return t.Name == name }); i >= 0 {
			return pkg.Types[i].Doc
		}
	}
	return ""
}

// names are the functions and types of a package, each of which has an entry on its page.
func names(pkg *doc.Package) (out []string) {
	for _, f := range pkg.Funcs {
		out = append(out, f.Name)
	}
	for _, t := range pkg.Types {
		out = append(out, t.Name)
		for _, f := range t.Funcs {
			out = append(out, f.Name)
		}
	}
	return out
}

// source is a declaration as gofmt writes it. Package doc has taken away its comment and its body.
func (p *packages) source(decl ast.Decl) string {
	var b strings.Builder
	if err := format.Node(&b, p.files, decl); err != nil {
		return err.Error()
	}
	return b.String()
}

// packagePages has a page for each package, as go doc shows it, and a list of them.
func (s *site) packagePages() {
	var rows [][]string
	for _, folder := range slices.Sorted(maps.Keys(s.docs.packages)) {
		pkg := s.docs.packages[folder]
		rows = append(rows, []string{link(packagePath(folder), code(folder)), escape(pkg.Synopsis(pkg.Doc))})
		s.page(packagePath(folder), "package", s.docs.packagePage(pkg))
	}
	s.page("api/index.md", "packages", rows)
}

// An entryView is a declaration with its doc comment, under a heading if it has a title.
type entryView struct{ Level, ID, Title, Source, Doc string }

// packagePage is the data of a package's page: the text of its declarations, and doc comments as Markdown.
func (p *packages) packagePage(pkg *doc.Package) map[string]any {
	var entries []entryView
	entry := func(level, id, title string, decl ast.Decl, text string) {
		entries = append(entries, entryView{level, id, title, p.source(decl), p.markdown(3, pkg, text)})
	}
	functions := func(all []*doc.Func) {
		for _, f := range all {
			entry("##", f.Name, "func "+f.Name, f.Decl, f.Doc)
		}
	}
	values := func(all ...*doc.Value) {
		for _, v := range all {
			entry("", "", "", v.Decl, v.Doc)
		}
	}
	values(slices.Concat(pkg.Consts, pkg.Vars)...)
	first := len(entries)
	functions(pkg.Funcs)
	for _, t := range pkg.Types {
		entry("##", t.Name, "type "+t.Name, t.Decl, t.Doc)
		values(slices.Concat(t.Consts, t.Vars)...)
		functions(t.Funcs)
		for _, m := range t.Methods {
			entry("###", t.Name+"."+m.Name, fmt.Sprintf("func (%s) %s", m.Recv, m.Name), m.Decl, m.Doc)
		}
	}
	return map[string]any{
		"Import": pkg.ImportPath, "Folder": strings.TrimPrefix(pkg.ImportPath, module), "Doc": p.markdown(2, pkg, pkg.Doc),
		"Values": entries[:first], "Entries": entries[first:],
	}
}
