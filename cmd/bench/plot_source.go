package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/nearest"
	"modebench/plots"
)

// A source is where bench plot gets its figures: the records of an experiment, or
// files of figures' numbers.
type source struct {
	name    string // as it was given
	dir     string // where figures go unless --out says
	figures []record.Figure
	run     *record.Run   // of records
	data    []*plots.Data // else, by figure
}

// openSource opens the folder of an experiment, the file of a figure's numbers, or a
// folder of such files.
func openSource(path string) (*source, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		data, err := plots.OpenData(path)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		return &source{name: path, dir: filepath.Dir(path), figures: []record.Figure{data.Figure}, data: []*plots.Data{data}}, nil
	}
	from := &source{name: path, dir: path}
	if _, err := os.Stat(filepath.Join(path, record.ManifestFile)); err != nil {
		if found, err := from.openData(); found || err != nil {
			return from, err
		}
	}
	run, err := record.Open(path)
	if err != nil {
		return nil, inputUnlessFile(err)
	}
	from.run, from.figures = run, run.Figures
	return from, nil
}

// openData opens the files of figures' numbers in the folder, and says whether there are
// any. Other JSON is left alone.
func (s *source) openData() (found bool, err error) {
	entries, _ := os.ReadDir(s.dir) // what cannot be listed holds none
	for _, e := range entries {
		if filepath.Ext(e.Name()) != "."+dataFormat || e.IsDir() {
			continue
		}
		file := filepath.Join(s.dir, e.Name())
		text, err := record.ReadBelow(s.dir, e.Name())
		if record.Missing(err) {
			continue // a link to a folder, or to nothing
		}
		if err != nil {
			return false, inputUnlessFile(err)
		}
		if !plots.IsData(text) {
			continue
		}
		data, err := plots.ParseData(text)
		if err != nil {
			return false, inputError(fmt.Errorf("%s: %w", file, err))
		}
		if slices.Contains(s.names(), data.Figure.Name) {
			return false, inputError(fmt.Errorf("%s: a second figure %q in this folder", file, data.Figure.Name))
		}
		s.figures, s.data = append(s.figures, data.Figure), append(s.data, data)
	}
	return len(s.data) > 0, nil
}

func (s *source) names() []string {
	var names []string
	for _, f := range s.figures {
		names = append(names, f.Name)
	}
	return names
}

// pick keeps the named figures, all for none.
func (s *source) pick(names []string) ([]record.Figure, error) {
	for _, name := range names {
		if known := s.names(); !slices.Contains(known, name) {
			return nil, usagef("--figure %q: %sthis experiment has the figures %s", name, nearest.Hint(name, known), listed(known))
		}
	}
	figures := slices.Clone(s.figures)
	if names != nil {
		figures = slices.DeleteFunc(figures, func(f record.Figure) bool { return !slices.Contains(names, f.Name) })
	}
	return figures, nil
}

// gather is what one of the figures shows, whose metrics may be fewer.
func (s *source) gather(fig record.Figure) (*plots.Data, error) {
	if s.run != nil {
		data, err := plots.Gather(s.run, fig)
		return data, inputUnlessFile(err)
	}
	data := *s.data[slices.Index(s.names(), fig.Name)]
	data.Figure = fig
	return &data, nil
}

// drawData writes a figure into dir, in every format.
func drawData(data *plots.Data, dir string, formats []string) ([]string, error) {
	picture, err := data.Draw()
	if err != nil {
		return nil, inputUnlessFile(err)
	}
	var files []string
	for _, format := range formats {
		path := filepath.Join(dir, data.Figure.Name+"."+format)
		if format == dataFormat {
			err = saveData(data, path)
		} else {
			err = picture.Save(path)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// saveData writes a figure's numbers.
func saveData(data *plots.Data, path string) error {
	var buf bytes.Buffer
	if err := data.Write(&buf); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, buf.Bytes())
}
