package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/table"
	"modebench/metrics/stats"
	"modebench/plots"
	"modebench/plots/draw"
)

type figure struct {
	ID, Title, Name string
	SVG             template.HTML
	Width           string // its natural width, for CSS
	Panels          []panel
	Short           bool // a print leaves out rows
	Note            string
	Caption         string // explains it, or ""
}

// panel is a table of numbers and, for lines, where the drawing shows them. A print has every
// Stride-th row, or all rows if it is 0.
type panel struct {
	plots.PanelValues
	Area   *area
	Stride int
}

// More reports whether a print leaves out a row.
func (p panel) More(row int) bool {
	return p.Stride > 0 && row%p.Stride != 0 && row < len(p.Rows)-1
}

// area is where a panel is in the drawing, in percent, and the ends of its axis.
type area struct{ Left, Top, Width, Height, Low, High string }

func newFigures(id string, run *record.Run, places []int) ([]figure, error) {
	var out []figure
	for i, fig := range run.Figures {
		f := figure{ID: numbered(id+"-figure", places, i), Title: fig.Title, Name: fig.Name}
		f.Title = cmp.Or(f.Title, fig.Name)
		fig.Title = "" // the page has it as a heading
		data, err := plots.Gather(run, fig)
		if err != nil {
			return nil, err
		}
		drawn, values, err := data.DrawValues()
		if err != nil {
			return nil, err
		}
		if f.SVG, f.Width, err = inline(drawn, f.ID+"-title", f.ID+"-"); err != nil {
			return nil, fmt.Errorf("figure %q: %w", fig.Name, err)
		}
		f.Panels = newPanels(values, drawn.Areas())
		f.Note = plots.ValuesNote(fig.Kind)
		if slices.ContainsFunc(fig.Metrics, isCoverage) {
			f.Caption = coverageNote
		}
		for _, p := range f.Panels {
			f.Short = f.Short || len(p.Rows) > printedRows
		}
		out = append(out, f)
	}
	return out, nil
}

// inline is a drawing as part of a page: without the head of a file, named by the
// heading with the given id in place of its own title, which a browser would show at the
// pointer, and all ids of its own behind the prefix.
func inline(f *draw.Figure, title, prefix string) (template.HTML, string, error) {
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		return "", "", err
	}
	svg := buf.String()
	start := strings.Index(svg, "<svg ")
	if start < 0 {
		return "", "", fmt.Errorf("the drawing is no SVG")
	}
	svg = ownTitle.ReplaceAllString(ownName.ReplaceAllString(svg[start:], "<svg "), "")
	named := `<svg role="img" aria-labelledby="` + template.HTMLEscapeString(title) + `" `
	if desc := ownDesc.FindStringSubmatch(svg); desc != nil {
		named += `aria-describedby="` + prefix + desc[1] + `" `
	}
	width, _ := f.Size()
	svg = named + strings.TrimPrefix(prefixed(svg, prefix), "<svg ")
	return template.HTML(svg), strconv.FormatFloat(width, 'f', 0, 64), nil
}

var (
	ownName     = regexp.MustCompile(`^<svg role="img" aria-labelledby="[^"]*" `)
	ownTitle    = regexp.MustCompile(`\n<title [^<]*</title>`)
	ownDesc     = regexp.MustCompile(`\n<desc id="([^"]*)"`)
	idAttribute = regexp.MustCompile(`(\s(?:id|xlink:href|href)=")(#?)([^"]*")`)
	idURL       = regexp.MustCompile(`(\s[\w:-]+=")url\(#`)
)

// prefixed adds a prefix to all ids of an SVG and to the references to them, so that several
// drawings on a page do not clash. Text is left alone: in it, quotes and angle brackets are
// escaped.
func prefixed(svg, prefix string) string {
	svg = idAttribute.ReplaceAllString(svg, "${1}${2}"+prefix+"${3}")
	return idURL.ReplaceAllString(svg, "${1}url(#"+prefix)
}

// printedRows is about how many rows of a table a print has.
const printedRows = 12

func newPanels(values plots.Values, areas []draw.Area) []panel {
	var out []panel
	for i, v := range values {
		p := panel{PanelValues: v}
		if v.High > v.Low && len(areas) == len(values) {
			p.Area = &area{
				Left: percent(areas[i].Left), Top: percent(areas[i].Top), Width: percent(areas[i].Width), Height: percent(areas[i].Height),
				Low: short(v.Low), High: short(v.High),
			}
		}
		if v.High != v.Low || v.Axis == "training step" { // else rows are methods
			p.Stride = (len(v.Rows) + printedRows - 1) / printedRows
		}
		out = append(out, p)
	}
	return out
}

func measured(i stats.Interval) table.Value {
	if i.N == 0 {
		i.Mean = math.NaN()
	}
	return table.Value{Text: both(i), Numbers: []float64{i.Mean}}
}

func dashes(points []float64) string {
	return strings.Join(each.Map(points, short), " ")
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 3, 64) }

func short(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }
