package main

import (
	"fmt"
	"html"
	"strings"
)

// A writer collects the HTML of a generated page.
type writer struct {
	strings.Builder
	from string // the page's path, for links
}

func escape(text string) string { return html.EscapeString(text) }

// code is a word of the program or of a spec.
func code(text string) string { return "<code>" + escape(text) + "</code>" }

// link is a link to a place in the site, around HTML.
func (w *writer) link(to, inner string) string {
	return fmt.Sprintf(`<a href="%s">%s</a>`, escape(relative(w.from, to)), inner)
}

func (w *writer) title(text string) { fmt.Fprintf(w, "<h1>%s</h1>\n", text) }

func (w *writer) heading(id, text string) {
	fmt.Fprintf(w, "<h2 id=\"%s\">%s</h2>\n", escape(id), escape(text))
}

// paragraph writes HTML.
func (w *writer) paragraph(format string, args ...any) {
	w.WriteString("<p>" + fmt.Sprintf(format, args...) + "</p>\n")
}

func (w *writer) pre(text string) {
	w.WriteString("<pre tabindex=\"0\"><code>" + escape(strings.TrimRight(text, "\n")) + "</code></pre>\n")
}

// list writes items of HTML.
func (w *writer) list(items []string) {
	w.WriteString("<ul>\n")
	for _, item := range items {
		w.WriteString("<li>" + item + "</li>\n")
	}
	w.WriteString("</ul>\n")
}

// table writes rows of HTML cells below a head.
func (w *writer) table(head []string, rows [][]string) {
	w.WriteString("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>")
	for _, cell := range head {
		if cell == "" {
			w.WriteString("<td></td>")
		} else {
			w.WriteString("<th scope=\"col\">" + cell + "</th>")
		}
	}
	w.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range rows {
		w.WriteString("<tr><td>" + strings.Join(row, "</td><td>") + "</td></tr>\n")
	}
	w.WriteString("</tbody></table></div>\n")
}

// facts writes a table of two columns without a head: a word, and what there is to say of it.
func (w *writer) facts(rows [][2]string) {
	w.WriteString("<div class=\"scroll\" tabindex=\"0\"><table>\n<tbody>\n")
	for _, row := range rows {
		fmt.Fprintf(w, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", row[0], row[1])
	}
	w.WriteString("</tbody></table></div>\n")
}
