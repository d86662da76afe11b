package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed site.css
var css []byte

//go:embed site.js
var script []byte

// An entry is a line of the navigation; without a path it is the name of a part.
type entry struct{ name, path string }

// row finds the pages of the manual in its table, in its order.
var row = regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(([^)]+)\) \|`)

// navigation lists the pages by parts. The order of the manual is that of docs/README.md.
func (s *site) navigation() ([]entry, error) {
	out := []entry{{"Start", "index.html"}, {"What it is", "README.html"}, {"The manual", ""}}
	manual, err := os.ReadFile(filepath.Join(s.root, "docs", "README.md"))
	if err != nil {
		return nil, err
	}
	for _, m := range row.FindAllStringSubmatch(string(manual), -1) {
		to, err := s.place(filepath.ToSlash(filepath.Join("docs", m[2])))
		if err != nil {
			return nil, err
		}
		out = append(out, entry{s.pages[to].title, to})
	}
	out = append(out, entry{"Papers", ""})
	for _, p := range papers {
		out = append(out, entry{p.name, p.page})
	}
	return append(out,
		entry{"Results", ""}, entry{"Overview", "results/README.html"}, entry{"Held-out problems", "results/held-out.html"}, entry{"The board", "results/board.html"},
		entry{"Our own experiments", "results/own.html"}, entry{"All claims", "results/claims.html"},
		entry{"Reference", ""}, entry{"Methods", "methods/index.html"}, entry{"Environments", "environments/index.html"}, entry{"Specs", "specs/index.html"},
		entry{"Commands", "commands/index.html"}, entry{"Packages", "api/index.html"}, entry{"Every page", "all.html"},
		entry{"The project", ""}, entry{"Contributing", "CONTRIBUTING.html"}, entry{"Changelog", "CHANGELOG.html"}, entry{"Security", "SECURITY.html"}), nil
}

// layout is a whole page.
func (s *site) layout(p *page) []byte {
	var b strings.Builder
	link := func(to string) string { return escape(relative(p.path, to)) }
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s – modebench</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="%s">
<script src="%s" data-root="%s"></script>
</head>
<body>
<a class="skip" href="#page-content">To the text</a>
<header>
<a class="home" href="%s">modebench</a>
<form id="page-search" role="search" hidden><label for="page-query">Search</label><input id="page-query" type="search" placeholder="Search all pages" autocomplete="off" aria-describedby="page-found"></form>
<noscript><a href="%s">Every page</a></noscript>
<button id="page-theme" type="button" hidden>Dark</button>
<a class="menu" href="#page-navigation">Menu</a>
</header>
<div id="page-results" hidden><p id="page-found" role="status"></p><ol></ol></div>
<div class="columns">
<main id="page-content" tabindex="-1">
%s
</main>
`, escape(p.title), link("site.css"), link("site.js"), escape(strings.TrimSuffix(relative(p.path, "site.js"), "site.js")), link("index.html"), link("all.html"), p.body)
	b.WriteString("<nav id=\"page-navigation\" aria-label=\"All parts\">\n")
	open := false
	for i, e := range s.menu {
		switch {
		case e.path == "":
			if open {
				b.WriteString("</ul>\n")
			}
			fmt.Fprintf(&b, "<h2>%s</h2>\n<ul>\n", escape(e.name))
			open = true
			continue
		case i == 0:
			b.WriteString("<ul>\n")
			open = true
		}
		current := ""
		if e.path == p.path {
			current = ` aria-current="page"`
		}
		fmt.Fprintf(&b, "<li><a href=\"%s\"%s>%s</a></li>\n", link(e.path), current, escape(e.name))
	}
	b.WriteString("</ul>\n</nav>\n</div>\n<footer><p>")
	if p.source != "" {
		fmt.Fprintf(&b, "This page shows <code>%s</code>.", escape(p.source))
	} else {
		b.WriteString("This page was made from the program's own lists, doc comments and committed results.")
	}
	b.WriteString("</p></footer>\n</body>\n</html>\n")
	return []byte(b.String())
}

// A part is what a search can find: a heading with the text below it.
type part struct {
	Page    string `json:"p"`
	Title   string `json:"t"`
	Heading string `json:"h,omitempty"`
	Text    string `json:"x,omitempty"`
}

var (
	anchored = regexp.MustCompile(`<h[1-6] id="([^"]+)">(.*?)</h[1-6]>`)
	tag      = regexp.MustCompile(`<[^>]*>`)
	spaces   = regexp.MustCompile(`\s+`)
)

// words is the text of HTML.
func words(body string) string {
	body = regexp.MustCompile(`(?s)<!--.*?-->|<svg.*?</svg>`).ReplaceAllString(body, " ")
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tag.ReplaceAllString(body, " ")), " "))
}

// parts splits a page at its headings.
func (p *page) parts() []part {
	if p.terse {
		return []part{{Page: p.path, Title: p.title}}
	}
	var out []part
	last := part{Page: p.path, Title: p.title}
	from := 0
	for _, m := range anchored.FindAllStringSubmatchIndex(p.body, -1) {
		if last.Text = words(p.body[from:m[0]]); last.Text != "" {
			out = append(out, last)
		}
		last = part{Page: p.path + "#" + p.body[m[2]:m[3]], Title: p.title, Heading: words(p.body[m[4]:m[5]])}
		if last.Heading == last.Title {
			last.Heading = ""
		}
		from = m[1]
	}
	last.Text = words(p.body[from:])
	return append(out, last)
}

// assets makes what all pages share: the style, the script, and the index that it searches.
func (s *site) assets() error {
	var err error
	if s.menu, err = s.navigation(); err != nil {
		return err
	}
	var all []part
	for _, p := range s.sorted() {
		all = append(all, p.parts()...)
	}
	index, err := json.Marshal(all)
	if err != nil {
		return err
	}
	// A script and no JSON file: a page that was opened as a file may not read other files.
	s.files["search-index.js"] = []byte("modebenchIndex(" + string(index) + ");\n")
	s.files["site.css"], s.files["site.js"] = css, script
	return nil
}

// allPages lists every page, for readers without JavaScript.
func (s *site) allPages() error {
	w := &writer{from: "all.html"}
	w.title("Every page")
	w.paragraph("Without JavaScript there is no search. This list, and the search of your browser in it, take its place.")
	var items []string
	for _, p := range s.sorted() {
		items = append(items, w.link(p.path, escape(p.title))+" <small>"+escape(p.path)+"</small>")
	}
	w.list(items)
	s.add(&page{path: w.from, title: "Every page", body: w.String(), terse: true})
	return nil
}
