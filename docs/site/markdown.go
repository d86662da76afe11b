package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// markdown reads GitHub's tables and its names of headings. Raw HTML is let through: what is
// rendered is the repository's own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// headingIDs names headings as GitHub does, and as the tests of pages expect.
type headingIDs map[string]bool

// Generate implements parser.IDs.
func (h headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(value)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	name := b.String()
	for i := 1; h[name]; i++ {
		name = fmt.Sprint(b.String(), "-", i)
	}
	h[name] = true
	return []byte(name)
}

// Put implements parser.IDs.
func (h headingIDs) Put(value []byte) { h[string(value)] = true }

// documents renders the repository's Markdown: the manual, the results, and what they link to.
func (s *site) documents() error {
	s.queue = append(s.queue, "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "estimators/README.md", "python/README.md")
	for _, folder := range []string{"docs", "results"} {
		found, err := filepath.Glob(filepath.Join(s.root, folder, "*.md"))
		if err != nil {
			return err
		}
		for _, file := range found {
			s.queue = append(s.queue, folder+"/"+filepath.Base(file))
		}
	}
	for len(s.queue) > 0 {
		file := s.queue[0]
		s.queue = s.queue[1:]
		at := documentPath(file)
		if s.pages[at] != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		title, body, err := s.render(file, at, data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.add(&page{path: at, title: title, body: body, source: file})
	}
	return nil
}

// documentPath is where a Markdown file stands in the site.
func documentPath(file string) string { return strings.TrimSuffix(file, ".md") + ".html" }

// render makes HTML of a Markdown file, whose links lead to where their targets stand in the site.
func (s *site) render(file, at string, data []byte) (title, body string, err error) {
	ids := headingIDs{}
	var spans []*ast.CodeSpan
	doc := markdown.Parser().Parse(text.NewReader(data), parser.WithContext(parser.NewContext(parser.WithIDs(ids))))
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if title == "" {
				title = plain(n, data)
			}
		case *ast.Link:
			to, err := s.target(file, at, string(n.Destination))
			n.Destination = []byte(to)
			return ast.WalkContinue, err
		case *ast.Image:
			to, err := s.target(file, at, string(n.Destination))
			n.Destination = []byte(to)
			return ast.WalkContinue, err
		case *ast.CodeSpan:
			spans = append(spans, n) // replaced below, since that would end the walk among its siblings
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", "", err
	}
	for _, n := range spans {
		s.linkName(at, n, data)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, data, doc); err != nil {
		return "", "", err
	}
	return title, finish(out.String()), nil
}

// plain is the text of a node without its marks.
func plain(n ast.Node, data []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(data))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// linkName makes code that names a method, a spec or a command a link to its page.
func (s *site) linkName(at string, n *ast.CodeSpan, data []byte) {
	to, ok := s.facts.mentions(plain(n, data))
	if !ok {
		return
	}
	for up := n.Parent(); up != nil; up = up.Parent() {
		switch up.(type) {
		case *ast.Link, *ast.Heading:
			return
		}
	}
	link := ast.NewLink()
	link.Destination = []byte(relative(at, to))
	n.Parent().ReplaceChild(n.Parent(), n, link)
	link.AppendChild(link, n)
}

// finish makes what Markdown gives fit narrow screens and keyboards.
func finish(body string) string {
	body = strings.ReplaceAll(body, "<table>", `<div class="scroll" tabindex="0"><table>`)
	body = strings.ReplaceAll(body, "</table>", "</table></div>")
	body = regexp.MustCompile(`<th[^>]*></th>`).ReplaceAllString(body, "<td></td>")
	body = strings.ReplaceAll(body, "<th>", `<th scope="col">`)
	return strings.ReplaceAll(body, "<pre>", `<pre tabindex="0">`)
}

// target is where a link of a Markdown file leads in the site. A file that has no page yet gets
// one, and a picture is taken along.
func (s *site) target(file, at, destination string) (string, error) {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "mailto:") || strings.HasPrefix(destination, "#") {
		return destination, nil
	}
	name, anchor, hasAnchor := strings.Cut(destination, "#")
	name = path.Join(path.Dir(file), name)
	to, err := s.place(name)
	if err != nil {
		return "", err
	}
	if hasAnchor {
		to += "#" + anchor
	}
	return relative(at, to), nil
}

// place is where a file or a folder of the repository stands in the site.
func (s *site) place(name string) (string, error) {
	at := filepath.Join(s.root, filepath.FromSlash(name))
	info, err := os.Stat(at)
	if err != nil {
		return "", err
	}
	switch ext := path.Ext(name); {
	case info.IsDir():
		return s.folder(name)
	case ext == ".md":
		s.queue = append(s.queue, name)
		return documentPath(name), nil
	case ext == ".svg" || ext == ".png":
		if s.files[name] == nil {
			s.files[name], err = os.ReadFile(at)
		}
		return name, err
	}
	if to := s.shown[name]; to != "" {
		return to, nil
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return "", err
	}
	to := name + ".html"
	w := &writer{from: to}
	w.title(code(name))
	w.pre(string(data))
	s.shown[name] = to
	s.add(&page{path: to, title: name, body: w.String(), source: name, terse: true})
	return to, nil
}

// folder is the page of a folder: that of its README or of its package, or else a list of what it holds.
func (s *site) folder(name string) (string, error) {
	if to := s.shown[name]; to != "" {
		return to, nil
	}
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name), "README.md")); err == nil {
		return s.place(name + "/README.md")
	}
	if s.docs.of[name] != nil {
		return apiPath(name), nil
	}
	entries, err := os.ReadDir(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	to := name + "/index.html"
	s.shown[name] = to
	w := &writer{from: to}
	w.title(code(name))
	w.paragraph("This folder of the repository holds:")
	var items []string
	for _, e := range entries {
		items = append(items, code(e.Name()))
	}
	w.list(items)
	s.add(&page{path: to, title: name, body: w.String(), source: name, terse: true})
	return to, nil
}
