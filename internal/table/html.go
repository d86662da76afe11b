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

// HTML is the head and body of a table whose first column names the rows. In a sortable
// table, headings are buttons and cells have their numbers as attributes.
func HTML[R any](columns []Column[R], rows []R, sortable bool) template.HTML {
	var head, body strings.Builder
	cells := make([][]Value, len(rows))
	for i, row := range rows {
		for _, c := range columns {
			cells[i] = append(cells[i], c.Cell(row))
		}
	}
	for j, c := range columns {
		title := Breaks(c.Heading())
		attributes := classOf(c.Class)
		if sortable {
			attributes += ` aria-sort=` + `"none"`
			if c.Ends != "" && j > 0 {
				attributes += ` data-` + c.Ends + `="1"`
			}
			title = `<button type="button">` + title + `</button>`
		}
		if c.Meaning != "" {
			title += " <span>" + template.HTML(template.HTMLEscapeString(c.Meaning)) + "</span>"
		}
		fmt.Fprintf(&head, `<th scope="col"%s>%s</th>`, attributes, title)
	}
	for i, row := range cells {
		place := ""
		if sortable {
			place = fmt.Sprintf(` data-place="%d"`, i)
		}
		fmt.Fprintf(&body, "\n<tr%s><th scope=\"row\">%s</th>", place, template.HTMLEscapeString(row[0].Text))
		for j, v := range row[1:] {
			body.WriteString("<td" + classOf(columns[1+j].Class))
			if sortable {
				body.WriteString(v.attributes())
			}
			fmt.Fprintf(&body, ">%s</td>", v.html())
		}
		body.WriteString("</tr>")
	}
	return template.HTML("<thead><tr>" + head.String() + "</tr></thead>\n<tbody>" + body.String() + "\n</tbody>")
}

func classOf(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// attributes are the numbers of a cell: the one to sort by, and the ends of its interval.
func (v Value) attributes() string {
	if v.Numbers == nil {
		return ""
	}
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	if math.IsNaN(v.Numbers[0]) {
		return ` data-sort=""`
	}
	text := fmt.Sprintf(` data-sort="%s"`, digits(v.Numbers[0]))
	if len(v.Numbers) == 3 && finite(v.Numbers[1]) && finite(v.Numbers[2]) {
		text += fmt.Sprintf(` data-low="%s" data-high="%s"`, digits(v.Numbers[1]), digits(v.Numbers[2]))
	}
	return text
}

// html is the text of a cell: of a number, the rest behind it has a style of its own.
func (v Value) html() string {
	if v.Numbers == nil {
		return template.HTMLEscapeString(v.Text)
	}
	if math.IsNaN(v.Numbers[0]) {
		return Absent
	}
	number, rest, _ := strings.Cut(v.Text, " ")
	if rest == "" {
		return template.HTMLEscapeString(number)
	}
	return template.HTMLEscapeString(number) + " <span>" + template.HTMLEscapeString(rest) + "</span>"
}

// Breaks lets the name of a metric or a field continue in the next line after an underscore or a
// point, so that a wide table needs no more room than its numbers.
func Breaks(name string) template.HTML {
	return template.HTML(breakable.Replace(template.HTMLEscapeString(name)))
}

var breakable = strings.NewReplacer("_", "_<wbr/>", ".", ".<wbr/>")
