package table

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Absent is a missing value on a page.
const Absent = "–"

// HTML is the head and body of a table whose first column names the rows. In a sortable table,
// headings are buttons and cells have their numbers as attributes.
func HTML[R any](columns []Column[R], rows []R, sortable bool) template.HTML {
	var b strings.Builder
	b.WriteString("<thead><tr>")
	for _, c := range columns {
		title, attributes := Breaks(c.Title), classOf(c.Class)
		if sortable {
			title = `<button type="button">` + title + `</button>`
			attributes += " " + unsorted
			if c.Ends != "" {
				attributes += " data-" + c.Ends + `="1"`
			}
		}
		if c.Meaning != "" {
			title += " <span>" + template.HTML(template.HTMLEscapeString(c.Meaning)) + "</span>"
		}
		fmt.Fprintf(&b, `<th scope="col"%s>%s</th>`, attributes, title)
	}
	b.WriteString("</tr></thead>\n<tbody>")
	for i, row := range rows {
		attributes := ""
		if sortable {
			attributes = fmt.Sprintf(` data-place="%d"`, i)
		}
		fmt.Fprintf(&b, "\n<tr%s><th scope=\"row\">%s</th>", attributes, template.HTMLEscapeString(columns[0].Cell(row).Text))
		for _, c := range columns[1:] {
			v, attributes := c.Cell(row), classOf(c.Class)
			if sortable {
				attributes += v.attributes()
			}
			fmt.Fprintf(&b, "<td%s>%s</td>", attributes, v.HTML())
		}
		b.WriteString("</tr>")
	}
	return template.HTML(b.String() + "\n</tbody>")
}

// unsorted is the attribute of a heading by which the table is not sorted yet.
const unsorted = `aria-sort="none"`

func classOf(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// attributes are the numbers of a cell: the one to sort by, and the ends of its interval.
func (v Value) attributes() (out string) {
	for i, x := range v.Numbers {
		digits := strconv.FormatFloat(x, 'g', -1, 64)
		switch {
		case i == 0 && math.IsNaN(x):
			return ` data-sort=""`
		case i == 0 || len(v.Numbers) == 3 && finite(v.Numbers[1]) && finite(v.Numbers[2]):
			out += fmt.Sprintf(` data-%s="%s"`, []string{"sort", "low", "high"}[i], digits)
		}
	}
	return out
}

// HTML is the content of a cell. The rest behind a number has a style of its own.
func (v Value) HTML() template.HTML {
	number, rest, ok := strings.Cut(v.Text, " ")
	switch {
	case v.Numbers != nil && math.IsNaN(v.Numbers[0]):
		return Absent
	case v.Numbers == nil || !ok:
		return template.HTML(template.HTMLEscapeString(v.Text))
	}
	return template.HTML(template.HTMLEscapeString(number) + " <span>" + template.HTMLEscapeString(rest) + "</span>")
}

// Breaks lets the name of a metric or a field continue in the next line after an underscore or a
// point, so that a wide table needs no more room than its numbers.
func Breaks(name string) template.HTML {
	return template.HTML(breakable.Replace(template.HTMLEscapeString(name)))
}

var breakable = strings.NewReplacer("_", "_<wbr/>", ".", ".<wbr/>")
