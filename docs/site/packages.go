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
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// packages are the doc comments of the exported packages, and where the code registers methods.
type packages struct {
	files *token.FileSet
	of    map[string]*doc.Package // by folder
	// registered has, by the name of a method, the literal that registers it.
	registered map[string]registration
	named      map[string]string // the first file that has a text
}

// A registration is where a method is registered, and what comments stand there.
type registration struct {
	file     string
	comments string
}

const module = "modebench/"

// documented are the folders whose packages have pages.
var documented = []string{"estimators", "envs", "policies", "metrics"}

// loadPackages reads the packages that others may import.
func loadPackages(root string) (*packages, error) {
	p := &packages{files: token.NewFileSet(), of: map[string]*doc.Package{}, registered: map[string]registration{}, named: map[string]string{}}
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
	if _, none := err.(*build.NoGoError); none || err == nil && info.Name == "main" {
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
	p.of[folder], err = doc.NewFromFiles(p.files, files, module+folder)
	return err
}

// findMethods notes the literals of a file that name a method: Method{Name: "rloo"}. Where
// there is no such literal, the first file that has the name as a text stands for it.
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

// apiPath is the page of a package.
func apiPath(folder string) string { return "api/" + folder + ".html" }

// html is a doc comment as HTML, on a page, below a heading of the second level.
func (p *packages) html(of *doc.Package, text, from string) string {
	return p.htmlAt(3, of, text, from)
}

// htmlAt is html with headings of the given level.
func (p *packages) htmlAt(level int, of *doc.Package, text, from string) string {
	printer := of.Printer()
	printer.HeadingLevel = level
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(link *comment.DocLink) string {
		folder := strings.TrimPrefix(link.ImportPath, module)
		if link.ImportPath == "" {
			folder = strings.TrimPrefix(of.ImportPath, module)
		}
		target := p.of[folder]
		if target == nil {
			return ""
		}
		to := apiPath(folder)
		if link.Recv == "" && link.Name != "" && slices.Contains(names(target), link.Name) {
			to += "#" + link.Name
		}
		return relative(from, to)
	}
	return strings.ReplaceAll(string(printer.HTML(of.Parser().Parse(text))), "<pre>", `<pre tabindex="0">`)
}

// names are what of a package has an entry of its own.
func names(of *doc.Package) (out []string) {
	for _, f := range of.Funcs {
		out = append(out, f.Name)
	}
	for _, t := range of.Types {
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

// apiPages has a page for each package, as go doc shows it, and a list of them.
func (s *site) apiPages() error {
	var folders []string
	for folder := range s.docs.of {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	list := &writer{from: "api/index.html"}
	list.title("Packages")
	list.paragraph("What a Go program of yours can import, from the doc comments: the same that %s prints.", code("go doc -all"))
	var rows [][]string
	for _, folder := range folders {
		s.add(s.packagePage(folder))
		of := s.docs.of[folder]
		rows = append(rows, []string{list.link(apiPath(folder), code(folder)), escape(of.Synopsis(of.Doc))})
	}
	list.table([]string{"package", "what it is"}, rows)
	s.add(&page{path: list.from, title: "Packages", body: list.String(), terse: true})
	return nil
}

func (s *site) packagePage(folder string) *page {
	of := s.docs.of[folder]
	w := &writer{from: apiPath(folder)}
	w.title("Package " + code(folder))
	w.paragraph("%s", code(`import "`+of.ImportPath+`"`))
	w.WriteString(s.docs.htmlAt(2, of, of.Doc, w.from))
	entry := func(id, kind string, decl ast.Decl, text string) {
		w.heading(id, kind+" "+id)
		w.pre(s.docs.source(decl))
		w.WriteString(s.docs.html(of, text, w.from))
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			w.pre(s.docs.source(v.Decl))
			w.WriteString(s.docs.html(of, v.Doc, w.from))
		}
	}
	if len(of.Consts)+len(of.Vars) > 0 {
		w.heading("constants-and-variables", "Constants and variables")
		values(of.Consts)
		values(of.Vars)
	}
	for _, f := range of.Funcs {
		entry(f.Name, "func", f.Decl, f.Doc)
	}
	for _, t := range of.Types {
		entry(t.Name, "type", t.Decl, t.Doc)
		values(t.Consts)
		values(t.Vars)
		for _, f := range t.Funcs {
			entry(f.Name, "func", f.Decl, f.Doc)
		}
		for _, m := range t.Methods {
			fmt.Fprintf(w, "<h3 id=\"%s.%s\">func (%s) %s</h3>\n", t.Name, m.Name, escape(m.Recv), m.Name)
			w.pre(s.docs.source(m.Decl))
			w.WriteString(s.docs.html(of, m.Doc, w.from))
		}
	}
	return &page{path: w.from, title: path.Base(folder) + ": package " + folder, body: w.String()}
}
