package main

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/internal/params"
)

func methodPath(name string) string { return "methods/" + name + ".md" }

// papers are the pages of results that are about one paper, by the name that sources of methods and
// claims give it.
var papers = []struct{ name, page string }{
	{"Poly-EPO", "results/poly-epo.md"}, {"SetPO", "results/setpo.md"}, {"VPO", "results/vpo.md"},
	{"SD-E2", "results/sd-e2.md"}, {"Evol-RL", "results/evol-rl.md"},
}

// methodPages has a page for each method, the list of all, and the settings that all share.
func (s *site) methodPages() {
	type family struct {
		Name string
		Rows [][]string
	}
	var families []family
	tasks := len(s.facts.boards["tabular"].Tasks)
	for _, f := range estimators.Families() {
		shown := family{Name: f.Name}
		for _, m := range f.Methods {
			row := []string{link(methodPath(m.Name), code(m.Name)), escape(m.Summary), "", "", "", sourceLinks(m.Source)}
			if l := s.facts.line("tabular", m.Name); l != nil {
				row[2], row[3] = digits(l.Tuned.Mean("accuracy")), digits(l.Tuned.Mean("diversity"))
				if len(l.Areas) < tasks {
					row[4] = fmt.Sprintf("%d of %d", len(l.Areas), tasks)
				}
			}
			shown.Rows = append(shown.Rows, row)
			if err := s.methodPage(m, f.Name); err != nil {
				s.fail(fmt.Errorf("method %s: %w", m.Name, err))
			}
		}
		families = append(families, shown)
	}
	s.page("methods/index.md", "methods", map[string]any{"Number": len(estimators.Methods()), "Tasks": tasks, "Families": families})
	fields, err := sharedFields()
	s.fail(err)
	s.page("methods/settings.md", "settings", fieldRows(fields))
}

// slug is an anchor made of a heading.
func slug(text string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(text), "-"), "-")
}

type methodView struct {
	estimators.Method
	Family, PaperLinks, Reads, Groups string
	MinTokens                         int
	Definition                        definition
	Ratio                             string // the lines of loss.Function on its ratio
	LossRows, Only, Changed           [][]string
	Example                           *exampleView
	Run                               runView
	Audit                             *auditView
	Board                             boardView
	Fields                            int // that it has
	Specs                             []specFacts
}

func (s *site) methodPage(m estimators.Method, family string) error {
	instance := m.New()
	needs := instance.Requirements()
	v := methodView{Method: m, Family: family, Groups: groupsOf(needs), MinTokens: needs.MinTokens, LossRows: lossRows(m)}
	v.Reads = cmp.Or(strings.Join(append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...), ", "), "nothing")
	v.PaperLinks = sourceLinks(m.Source)
	for _, p := range papers {
		if strings.HasPrefix(m.Source, p.name+" ") || strings.Contains(m.Source, "; "+p.name+" ") {
			v.PaperLinks += " (" + link(p.page, "what of "+p.name+" holds here") + ")"
		}
	}
	var err error
	if v.Definition, err = s.definition(m); err != nil {
		return err
	}
	if m.Trains {
		v.Ratio = ratioLines(s.docs.typeDoc("estimators/loss", "Function"), m.Loss.Ratio)
		v.Example = s.example(m)
		v.Audit = s.audit(m.Name, needs)
	}
	if v.Run, err = s.run(m); err != nil {
		return err
	}
	v.Board = s.board(m.Name, needs)
	if err := v.settings(instance); err != nil {
		return err
	}
	v.Specs = s.specsWith(func(f specFacts) bool { return slices.Contains(f.methods, m.Name) })
	s.page(methodPath(m.Name), "method", v)
	return nil
}

// groupsOf describes the groups that a method with its defaults is defined for, and from which it learns.
func groupsOf(needs estimators.Requirements) string {
	if needs.TrainGroup <= needs.MinGroup {
		return fmt.Sprintf("of %d or more", needs.MinGroup)
	}
	return fmt.Sprintf("of %d or more with the default settings; of %d every advantage is 0", needs.TrainGroup, needs.MinGroup)
}

var arXivNumber = regexp.MustCompile(`\b\d{4}\.\d{5}\b`)

// sourceLinks is the source of a method, with links to papers on arXiv.
func sourceLinks(source string) string {
	return arXivNumber.ReplaceAllString(escape(source), "[$0](https://arxiv.org/abs/$0)")
}

type definition struct{ Text, Folder, Type, File string }

func (s *site) definition(m estimators.Method) (d definition, err error) {
	if m.Optimum {
		return d, nil
	}
	t := reflect.TypeOf(m.Estimator()).Elem()
	d = definition{Folder: strings.TrimPrefix(t.PkgPath(), module), Type: t.Name()}
	text := s.docs.typeDoc(d.Folder, d.Type)
	if text == "" {
		return d, fmt.Errorf("its type %s has no doc comment", t)
	}
	pkg := s.docs.packages[d.Folder]
	d.Text = s.docs.markdown(3, pkg, text)
	place := s.docs.registration(m.Name)
	if place.file == "" {
		return d, fmt.Errorf("no file below estimators registers it")
	}
	if place.comments != "" {
		d.Text += "\n" + s.docs.markdown(3, pkg, place.comments)
	}
	d.File = place.file
	s.place(d.File)
	return d, nil
}

// lossRows are the fields of a method's loss that differ from PPO's clip.
func lossRows(m estimators.Method) (rows [][]string) {
	plain, loss := estimators.PlainLoss, m.Loss
	for _, f := range params.Fields(&loss) {
		if usual, _ := params.Lookup(&plain, f.Name); fmt.Sprint(usual.Value) != fmt.Sprint(f.Value) {
			rows = append(rows, []string{code(f.Name), code(fmt.Sprint(f.Value)), code(fmt.Sprint(usual.Value))})
		}
	}
	return rows
}

// ratioLines are those of the doc comment that define a ratio: its name, spaces, and a definition,
// which continues on lines that are indented further.
func ratioLines(text, ratio string) string {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		words := strings.TrimLeft(line, "\t ")
		switch indent := len(line) - len(words); {
		case words == "" || indent == 0:
			inside = false
		case indent <= 1:
			label, _, _ := strings.Cut(strings.ReplaceAll(words, ", ", ","), " ")
			inside = slices.Contains(strings.Split(label, ","), ratio)
		}
		if inside {
			out = append(out, strings.TrimPrefix(line, "\t"))
		}
	}
	return strings.Join(out, "\n")
}

// sharedFields are the fields that all methods have, of the loss, the protocol and the rewards, with
// the values of PPO's clip.
func sharedFields() ([]params.Field, error) {
	grpo, err := estimators.Lookup("grpo")
	if err != nil {
		return nil, err
	}
	plain := grpo.New()
	plain.Loss = estimators.PlainLoss
	return plain.Fields()[len(params.Fields(plain.Estimator)):], nil
}

// settings are the fields that only this method has, and the shared ones that have another default here.
func (v *methodView) settings(instance *estimators.Instance) error {
	usual, err := sharedFields()
	if err != nil {
		return err
	}
	fields := instance.Fields()
	v.Fields = len(fields)
	if v.Fields == 0 {
		return nil
	}
	count := len(params.Fields(instance.Estimator))
	v.Only = fieldRows(fields[:count])
	for i, f := range fields[count:] {
		if fmt.Sprint(f.Value) != fmt.Sprint(usual[i].Value) {
			v.Changed = append(v.Changed, fieldRows([]params.Field{f})...)
		}
	}
	return nil
}

// fieldRows has a row for each field: its name, default, range and meaning.
func fieldRows(fields []params.Field) (rows [][]string) {
	for _, f := range fields {
		rows = append(rows, []string{code(f.Name), code(cmp.Or(fmt.Sprint(f.Value), `""`)), escape(limits(f)), escape(f.Doc)})
	}
	return rows
}

// limits names the values that a field takes.
func limits(f params.Field) string {
	switch {
	case f.Choices != nil:
		return strings.Join(f.Choices, ", ")
	case f.Min != "" && f.Max != "":
		return f.Type + " from " + f.Min + " to " + f.Max
	case f.Min != "":
		return f.Type + " of at least " + f.Min
	case f.Max != "":
		return f.Type + " of at most " + f.Max
	}
	return f.Type
}

func (s *site) specsWith(fits func(specFacts) bool) (out []specFacts) {
	for _, f := range s.facts.specs {
		if fits(f) {
			out = append(out, f)
		}
	}
	return out
}
