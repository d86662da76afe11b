package main

import (
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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// packages are the doc comments of the exported packages, and where the code registers methods.
type packages struct {
	files    *token.FileSet
	packages map[string]*doc.Package // by folder
	// registered has, by the name of a method, the literal that registers it.
	registered map[string]registration
	named      map[string]string // the first file that has a text
}

// A registration is the file in which a method is registered, and the comments there.
type registration struct {
	file     string
	comments string
}

const module = "modebench/"

// documented are the folders whose packages have pages.
var documented = []string{"estimators", "envs", "policies", "metrics"}

// loadPackages reads the packages that others may import.
func loadPackages(root string) (*packages, error) {
	p := &packages{files: token.NewFileSet(), packages: map[string]*doc.Package{}, registered: map[string]registration{}, named: map[string]string{}}
	for _, top := range documented {
		err := filepath.WalkDir(filepath.Join(root, top), func(at string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if slices.Contains([]string{"internal", "testdata", "envtest"}, d.Name()) {
				return fs.SkipDir
			}
			rel, err := filepath.Rel(root, at)
			if err != nil {
				return err
			}
			return p.load(root, filepath.ToSlash(rel))
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// load reads one folder, if it holds a package that can be imported.
func (p *packages) load(root, folder string) error {
	at := filepath.Join(root, filepath.FromSlash(folder))
	info, err := build.ImportDir(at, 0)
	if _, empty := err.(*build.NoGoError); empty || err == nil && info.Name == "main" {
		return nil
	}
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, name := range info.GoFiles {
		f, err := parser.ParseFile(p.files, filepath.Join(at, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		p.findMethods(f, folder+"/"+name)
		files = append(files, f)
	}
	p.packages[folder], err = doc.NewFromFiles(p.files, files, module+folder)
	return err
}

// findMethods notes the literals of a file that name a method: Method{Name: "rloo"}. Where
// there is no such literal, the first file with the name as a text takes its place.
func (p *packages) findMethods(f *ast.File, file string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if word, ok := n.(*ast.BasicLit); ok && word.Kind == token.STRING {
			if name, err := strconv.Unquote(word.Value); err == nil && p.named[name] == "" {
				p.named[name] = file
			}
		}
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, e := range lit.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, ok := pair.Key.(*ast.Ident)
			value, ok2 := pair.Value.(*ast.BasicLit)
			if !ok || !ok2 || key.Name != "Name" || value.Kind != token.STRING {
				continue
			}
			name, err := strconv.Unquote(value.Value)
			if _, taken := p.registered[name]; err != nil || taken {
				continue
			}
			r := registration{file: file}
			for _, c := range f.Comments {
				if c.Pos() > lit.Lbrace && c.End() < lit.Rbrace {
					r.comments += c.Text()
				}
			}
			p.registered[name] = r
		}
		return true
	})
}

// registration is where a method is registered; ok is false where the code does not tell.
func (p *packages) registration(name string) (r registration, ok bool) {
	if r, ok = p.registered[name]; ok {
		return r, true
	}
	return registration{file: p.named[name]}, p.named[name] != ""
}

// packagePath is the page of a package.
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

// typeDoc is the doc comment of a type; "": there is no such type.
func (p *packages) typeDoc(folder, name string) string {
	if pkg := p.packages[folder]; pkg != nil {
		for _, t := range pkg.Types {
			if t.Name == name {
				return t.Doc
			}
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

// source is a declaration as gofmt writes it, without its body.
func (p *packages) source(decl ast.Decl) string {
	if f, ok := decl.(*ast.FuncDecl); ok {
		short := *f
		short.Body, short.Doc = nil, nil
		decl = &short
	}
	if g, ok := decl.(*ast.GenDecl); ok {
		short := *g
		short.Doc = nil
		decl = &short
	}
	var b strings.Builder
	if err := format.Node(&b, p.files, decl); err != nil {
		return err.Error()
	}
	return b.String()
}

// packagePages has a page for each package, as go doc shows it, and a list of them.
func (s *site) packagePages() error {
	var rows [][]string
	for _, folder := range slices.Sorted(maps.Keys(s.docs.packages)) {
		pkg := s.docs.packages[folder]
		rows = append(rows, []string{link(packagePath(folder), code(folder)), escape(pkg.Synopsis(pkg.Doc))})
		if err := s.page(packagePath(folder), "package", s.docs.packagePage(pkg)); err != nil {
			return err
		}
	}
	return s.page("api/index.md", "packages", rows)
}

// A packageView is the data of a package's page: the text of its declarations, and doc comments as Markdown.
type packageView struct {
	Import, Folder, Doc string
	Values              []entryView
	Entries             []entryView
}

// An entryView is a declaration with its doc comment. The title of values is empty.
type entryView struct{ Level, ID, Title, Source, Doc string }

func (p *packages) packagePage(pkg *doc.Package) packageView {
	v := packageView{Import: pkg.ImportPath, Folder: strings.TrimPrefix(pkg.ImportPath, module), Doc: p.markdown(2, pkg, pkg.Doc)}
	entry := func(level, id, title string, decl ast.Decl, text string) {
		v.Entries = append(v.Entries, entryView{level, id, title, p.source(decl), p.markdown(3, pkg, text)})
	}
	functions := func(all []*doc.Func) {
		for _, f := range all {
			entry("##", f.Name, "func "+f.Name, f.Decl, f.Doc)
		}
	}
	values := func(all []*doc.Value) (out []entryView) {
		for _, d := range all {
			out = append(out, entryView{Source: p.source(d.Decl), Doc: p.markdown(3, pkg, d.Doc)})
		}
		return out
	}
	v.Values = append(values(pkg.Consts), values(pkg.Vars)...)
	functions(pkg.Funcs)
	for _, t := range pkg.Types {
		entry("##", t.Name, "type "+t.Name, t.Decl, t.Doc)
		v.Entries = append(v.Entries, values(slices.Concat(t.Consts, t.Vars))...)
		functions(t.Funcs)
		for _, m := range t.Methods {
			entry("###", t.Name+"."+m.Name, fmt.Sprintf("func (%s) %s", m.Recv, m.Name), m.Decl, m.Doc)
		}
	}
	return v
}
