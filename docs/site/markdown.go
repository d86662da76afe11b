package main

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed pages/*.tmpl
var viewFiles embed.FS

// views are the templates of generated pages. Links that begin with a slash lead from the top of the
// site; mkdocs makes them relative.
var views = template.Must(template.New("").Funcs(template.FuncMap{
	"code": code, "escape": escape, "sentence": sentence, "slug": slug, "fence": fence, "table": table, "join": strings.Join,
	"list": func(words ...string) []string { return words },
}).ParseFS(viewFiles, "pages/*.tmpl"))

var marks = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`)

// escape writes text such that Markdown shows it as it is.
func escape(text string) string { return marks.Replace(text) }

func code(text string) string { return "`" + text + "`" }

func link(to, text string) string { return "[" + text + "](/" + to + ")" }

func fence(language, text string) string {
	return "~~~~" + language + "\n" + strings.TrimRight(text, "\n") + "\n~~~~\n"
}

// table has rows of Markdown cells below a head.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.ReplaceAll(strings.Join(cells, " | "), "\n", " ") + " |\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// sentence begins a phrase with a capital and ends it with one full stop.
func sentence(text string) string {
	text = strings.TrimRight(text, ". ")
	if first, _, _ := strings.Cut(text, " "); first == strings.ToLower(first) && text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return escape(text) + "."
}
