package main

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/spec"
	"modebench/internal/each"
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
				row[2], row[3] = digits(l.Means.Mean("accuracy")), digits(l.Means.Mean("diversity"))
				if len(l.Areas) < tasks {
					row[4] = fmt.Sprintf("%d of %d", len(l.Areas), tasks)
				}
			}
			shown.Rows = append(shown.Rows, row)
			s.methodPage(m, f.Name)
		}
		families = append(families, shown)
	}
	s.page("methods/index.md", "methods", map[string]any{"Number": len(estimators.Methods()), "Tasks": tasks, "Families": families})
	s.page("methods/settings.md", "settings", fieldRows(s.shared))
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

func (s *site) methodPage(m estimators.Method, family string) {
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
	v.Definition = s.definition(m)
	if m.Trains {
		v.Ratio = ratioLines(s.docs.typeDoc("estimators/loss", "Function"), m.Loss.Ratio)
		v.Example = s.example(m)
		v.Audit = s.audit(m.Name, needs)
	}
	v.Run = s.run(m)
	v.Board = s.board(m.Name, needs)
	v.settings(instance.Fields(), len(params.Fields(instance.Estimator)), s.shared)
	v.Specs = s.specsWith(func(f specFacts) bool { return slices.Contains(f.methods, m.Name) })
	s.page(methodPath(m.Name), "method", v)
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

func (s *site) definition(m estimators.Method) (d definition) {
	if m.Optimum {
		return d
	}
	t := reflect.TypeOf(m.Estimator()).Elem()
	d = definition{Folder: strings.TrimPrefix(t.PkgPath(), module), Type: t.Name()}
	text := s.docs.typeDoc(d.Folder, d.Type)
	if text == "" {
		s.fail(fmt.Errorf("method %s: its type %s has no doc comment", m.Name, t))
		return d
	}
	pkg := s.docs.packages[d.Folder]
	d.Text = s.docs.markdown(3, pkg, text)
	place := s.docs.registration(m.Name)
	if place.file == "" {
		s.fail(fmt.Errorf("method %s: no file below estimators registers it", m.Name))
	}
	if place.comments != "" {
		d.Text += "\n" + s.docs.markdown(3, pkg, place.comments)
	}
	d.File = place.file
	s.place(d.File)
	return d
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

// settings shows the first fields, which the method alone has, and the shared fields that have
// another default.
func (v *methodView) settings(fields []params.Field, count int, shared []params.Field) {
	if v.Fields = len(fields); v.Fields == 0 {
		return
	}
	v.Only = fieldRows(fields[:count])
	for i, f := range fields[count:] {
		if fmt.Sprint(f.Value) != fmt.Sprint(shared[i].Value) {
			v.Changed = append(v.Changed, fieldRows([]params.Field{f})...)
		}
	}
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
	return each.Where(s.facts.specs, fits)
}

// A runView is a spec that runs a method beside others, and the files of vectors that a page lists with it.
type runView struct {
	Beside, Spec string
	Vectors      []string
}

func (s *site) run(m estimators.Method) (v runView) {
	if m.Trains {
		v.Vectors = s.facts.vectors[m.Name]
	}
	for _, file := range v.Vectors {
		s.place(file)
	}
	var links []string
	for _, name := range beside(m) {
		if name != m.Name {
			links = append(links, link(methodPath(name), code(name)))
		}
	}
	v.Beside = strings.Join(links, " and ")
	var err error
	if v.Spec, err = runSpec(m); err != nil {
		s.fail(fmt.Errorf("method %s: %w", m.Name, err))
	}
	return v
}

// beside lists a method and those that its spec runs it beside.
func beside(m estimators.Method) []string {
	names := []string{"base", "grpo"}
	if !slices.Contains(names, m.Name) {
		names = append(names, m.Name)
	}
	return names
}

// runSpec is a spec that runs the method beside GRPO and the base policy, on the first environment that
// all of them fit. Chains and goals are about rewards of many components, so these methods try the
// environments with the most components first.
func runSpec(m estimators.Method) (text string, err error) {
	type choice struct {
		envs.Definition
		components int
	}
	var choices []choice
	for _, name := range envs.Names() {
		d, err := envs.Lookup(name)
		if err != nil {
			return "", err
		}
		env, err := d.Default().Build()
		if err != nil {
			return "", err
		}
		choices = append(choices, choice{d, len(env.Info().Components)})
	}
	if m.Candidates > 1 || m.Goals {
		slices.SortStableFunc(choices, func(a, b choice) int { return b.components - a.components })
	}
	for _, c := range choices {
		text = fmt.Sprintf("[env]\nname = %q\n", c.Name)
		if !c.OneProblem { // by default a spec trains on one problem
			text += "\n[train]\nproblems = 100\nbatch = 16\n"
		}
		for _, name := range beside(m) {
			text += fmt.Sprintf("\n[[method]]\nname = %q\n", name)
		}
		if err = fits(text); err == nil {
			return text, nil
		}
	}
	return "", err
}

// fits returns the reason why a spec cannot be run; nil: it can.
func fits(text string) error {
	s, err := spec.Parse("mine.toml", []byte(text), spec.LoadOptions{})
	if err != nil {
		return err
	}
	for _, v := range s.Variants {
		if _, err := v.Setup(); err != nil {
			return err
		}
	}
	return nil
}
