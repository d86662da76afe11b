// Package report writes experiments as one HTML page that can be sent: tables,
// verdicts, figures and settings in a single file that needs no network. The same
// records and provenance give the same page, byte for byte.
//
// The summary table and the verdicts on claims come in as data: other packages judge claims.
package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/table"
	"modebench/plots/report/live"
)

// Options are the place of a page and of its records.
type Options struct {
	// Folder is where the page will be: links to records are relative to it.
	Folder string
	// Link, unless nil, is the link to a file of a cell in place of that: of a server, which has files
	// by names of its own. It is called for files that are there.
	Link func(run *record.Run, ref record.Ref, file string) string
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed board.html
	boardHTML string
	//go:embed page.css
	pageCSS string
	// pageStyle is the style sheet of all pages.
	pageStyle = live.Style() + pageCSS
)

type page struct {
	frame
	Level    int     // of the headings of an experiment's parts
	Beside   *beside // of several experiments what they have in common, or nil
	Sections []*section
}

// frame surrounds the content of every page.
type frame struct {
	Title, By, From string // By is the command that wrote it, From its input
	Policy          string
	CSS             template.CSS
	JS              template.JS
}

func newFrame(title, by, from, style, script string) frame {
	script = live.Script(script)
	return frame{Title: title, By: by, From: from, CSS: template.CSS(pageStyle + style), JS: template.JS(script), Policy: contentPolicy(script)}
}

type section struct {
	ID                  string
	Spec, Title, Source string
	Facts               []string
	Summary             summary
	Claims              []claim
	Problems            []drawnProblem
	Play                *play
	Figures             []figure
	Data                template.JS // of its interactive figures
	ClaimsChart         string      // id of the figure of all claims; "" for none
	Settings            settings
	Records             []records
	Timings             string
	Provenance          []fact
	Again               string
}

// Write writes the page of some experiments. Records that are missing or broken, and
// figures that cannot be drawn, are errors that name them.
func Write(w io.Writer, experiments []Experiment, opt Options) error {
	if len(experiments) == 0 {
		return errors.New("a report needs at least one experiment")
	}
	p := page{frame: newFrame("modebench report", "bench report", "the records and their provenance", playCSS, playJS), Level: 2}
	for i, e := range experiments {
		s, err := newSection(fmt.Sprintf("e%d", i+1), e, opt)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Run.Spec, err)
		}
		p.Sections = append(p.Sections, s)
	}
	p.Beside = newBeside(experiments)
	if len(experiments) == 1 {
		p.Title = p.Sections[0].Title
	} else {
		p.Level = 3
		p.Title = fmt.Sprintf("%d experiments", len(experiments))
	}
	var buf bytes.Buffer
	if err := layout.Execute(&buf, p); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// contentPolicy forbids the page to load anything, and to run any script but its own:
// any label stays text.
func contentPolicy(script string) string {
	hash := sha256.Sum256([]byte(script))
	return "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
}

var layout = template.Must(template.New("page").Funcs(template.FuncMap{
	"open":     func(level int, id string) template.HTML { return heading(level, id) },
	"close":    func(level int) template.HTML { return template.HTML(fmt.Sprintf("</h%d>", level)) },
	"add":      func(a, b int) int { return a + b },
	"dict":     func(s *section, level int) map[string]any { return map[string]any{"S": s, "L": level} },
	"breaks":   table.Breaks,
	"dashes":   dashes,
	"measured": measured,
	"short":    short,
	"ticks":    forestTicks,
	"band":     newBand,
	"keys":     func() string { return keys },
}).Parse(pageHTML + playHTML))

// keys explains the use of the interactive figures.
const keys = "The legend turns methods on and off in all figures that have controls. Drag to zoom; double-click to reset. With the keyboard, in a figure: arrows read values, + and - zoom, Shift and arrows pan, 0 resets. The address of the page keeps what you choose, so that you can share a view."

// heading opens a heading: the template cannot have a level that is data. The id is
// made by this package of letters and digits.
func heading(level int, id string) template.HTML {
	return template.HTML(fmt.Sprintf(`<h%d id="%s">`, level, template.HTMLEscapeString(id)))
}

func newSection(id string, e Experiment, opt Options) (*section, error) {
	run := e.Run
	s := &section{ID: id, Spec: run.Spec, Title: run.Title, Source: run.Source, Timings: e.Timings, Again: strings.Join(e.Again, "\n")}
	s.Title = cmp.Or(s.Title, run.Spec)
	var err error
	if s.Summary, err = newSummary(e); err != nil {
		return nil, err
	}
	s.Claims = newClaims(id, e.Claims, e.ClaimNumbers)
	if s.Figures, err = newFigures(id, run, e.FigureNumbers); err != nil {
		return nil, err
	}
	if err := s.setData(e); err != nil {
		return nil, err
	}
	cells, err := resolved(run)
	if err != nil {
		return nil, err
	}
	if s.Problems, err = newProblems(id, cells); err != nil {
		return nil, err
	}
	if s.Play, err = newPlay(id, run, cells, s.Problems); err != nil {
		return nil, err
	}
	s.Settings = newSettings(run, cells)
	if s.Records, err = newRecords(run, opt); err != nil {
		return nil, err
	}
	if s.Provenance, err = newProvenance(run); err != nil {
		return nil, err
	}
	s.Facts = facts(e, cells)
	return s, nil
}
