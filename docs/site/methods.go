package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modebench/estimators"
	"modebench/internal/params"
)

func methodPath(name string) string { return "methods/" + name + ".html" }

// papers are the pages of results that are about one paper, by how sources of methods and claims
// name it.
var papers = []struct{ name, page string }{
	{"Poly-EPO", "results/poly-epo.html"}, {"SetPO", "results/setpo.html"}, {"VPO", "results/vpo.html"},
	{"SD-E2", "results/sd-e2.html"}, {"Evol-RL", "results/evol-rl.html"},
}

// methodPages has a page for each method, and the list of all.
func (s *site) methodPages() error {
	list := &writer{from: "methods/index.html"}
	list.title("Methods")
	list.paragraph("All %d methods of the program, as %s has them. Each page has the formula, what the audit and the board say, and its settings, beside %s. Accuracy and diversity are those of %s, and are means over its %d tasks, or over as many as a method fits; what a batch has to hold for a method stands in %s. %s shows what each makes of the same rollouts.", len(s.facts.methods), list.link("commands/list.html", code("bench list methods")), list.link(settingsAt, "those that all have"), list.link("results/board.html#with-tables", "the board with tables"), len(s.facts.boards["tabular"]), list.link("estimators/README.html", "one table"), list.link(examplesAt, "One group, every estimator"))
	for _, f := range s.facts.families {
		list.heading(slug(f.Name), f.Name)
		var rows [][]string
		for _, m := range f.Methods {
			row := s.facts.rows["tabular "+m.Name]
			rows = append(rows, []string{list.link(methodPath(m.Name), code(m.Name)), escape(m.Summary), digits(row["accuracy"]), digits(row["diversity"]), s.someTasks("tabular", row), sourceLinks(m.Source)})
			p, err := s.methodPage(m, f.Name)
			if err != nil {
				return fmt.Errorf("method %s: %w", m.Name, err)
			}
			s.add(p)
		}
		list.table([]string{"method", "what it is", "accuracy", "diversity", "tasks", "source"}, rows)
	}
	s.add(&page{path: list.from, title: "Methods", body: list.String()})
	return nil
}

// someTasks is on how many tasks of a board a row's means are; "": on all, or there is no row.
func (s *site) someTasks(policy string, row map[string]string) string {
	if all := strconv.Itoa(len(s.facts.boards[policy])); row["tasks"] != "" && row["tasks"] != all {
		return row["tasks"] + " of " + all
	}
	return ""
}

// slug is an anchor made of a heading.
func slug(text string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(text), "-"), "-")
}

func (s *site) methodPage(m estimators.Method, family string) (*page, error) {
	w := &writer{from: methodPath(m.Name)}
	w.title(code(m.Name))
	w.paragraph("%s.", escape(capital(m.Summary)))
	instance := m.New()
	needs := instance.Requirements()
	reads := append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...)
	if len(reads) == 0 {
		reads = []string{"nothing"}
	}
	source := sourceLinks(m.Source)
	for _, p := range papers {
		if strings.HasPrefix(m.Source, p.name+" ") || strings.Contains(m.Source, "; "+p.name+" ") {
			source += " (" + w.link(p.page, "what of "+p.name+" holds here") + ")"
		}
	}
	facts := [][2]string{
		{"source", source},
		{"family", w.link("methods/index.html#"+slug(family), escape(family))},
		{"reads", escape(strings.Join(reads, ", "))},
		{"rollouts", escape(m.Rollouts())},
	}
	if !m.Optimum {
		facts = append(facts, [2]string{"groups", groupsOf(needs)})
		if needs.MinTokens > 0 {
			facts = append(facts, [2]string{"tokens", fmt.Sprintf("of at least %d in the longest rollout: with fewer every advantage is 0", needs.MinTokens)})
		}
		facts = append(facts, [2]string{"advantages", fmt.Sprintf("%s (%s)", escape(m.Properties.Why), w.link("estimators/README.html#how-advantages-follow-rewards", "how they follow rewards"))})
	}
	w.facts(facts)
	if err := s.formula(w, m); err != nil {
		return nil, err
	}
	if m.Trains {
		s.objective(w, m)
		w.heading("example", "An example")
		if err := s.example(w, m); err != nil {
			return nil, err
		}
	}
	if err := s.howToRun(w, m); err != nil {
		return nil, err
	}
	if m.Trains {
		s.auditRow(w, m.Name, needs)
	}
	s.boardRows(w, m.Name, needs)
	if err := s.settings(w, instance); err != nil {
		return nil, err
	}
	s.specsWith(w, "This method is run by", func(f specFacts) bool { return slices.Contains(f.methods, m.Name) })
	return &page{path: w.from, title: m.Name + ": method", body: w.String()}, nil
}

// groupsOf says which groups a method with its defaults is defined for, and from which it learns.
func groupsOf(needs estimators.Requirements) string {
	if needs.TrainGroup <= needs.MinGroup {
		return fmt.Sprintf("of %d or more", needs.MinGroup)
	}
	return fmt.Sprintf("of %d or more with the default settings; of %d every advantage is 0", needs.TrainGroup, needs.MinGroup)
}

var arXivNumber = regexp.MustCompile(`\b\d{4}\.\d{5}\b`)

// sourceLinks is the source of a method as HTML, with links to papers on arXiv.
func sourceLinks(source string) string {
	return arXivNumber.ReplaceAllString(escape(source), `<a href="https://arxiv.org/abs/$0">$0</a>`)
}

// capital begins a sentence with a phrase.
func capital(text string) string {
	if first, _, _ := strings.Cut(text, " "); first != strings.ToLower(first) || text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// formula shows the doc comment of the estimator's type, where the formula and its source stand,
// and of the objective what is not PPO's clip.
func (s *site) formula(w *writer, m estimators.Method) error {
	if m.Optimum {
		w.heading("formula", "How it is defined")
		w.paragraph("It has no policy and no advantages. Each of its numbers is the best that a policy can have which is not told the weights it is scored under, worked out from %s.", w.link("docs/environments.html#what-is-judged-and-what-is-known", "what is known of each problem"))
		return nil
	}
	w.heading("formula", "How the advantage is defined")
	t := reflect.TypeOf(m.Estimator()).Elem()
	folder := strings.TrimPrefix(t.PkgPath(), module)
	of := s.docs.of[folder]
	text := ""
	if of != nil {
		for _, d := range of.Types {
			if d.Name == t.Name() {
				text = d.Doc
			}
		}
	}
	if text == "" {
		return fmt.Errorf("its type %s has no doc comment", t)
	}
	w.WriteString(s.docs.html(of, text, w.from))
	at, ok := s.docs.registration(m.Name)
	if !ok {
		return fmt.Errorf("no file below estimators registers it")
	}
	if at.comments != "" {
		w.WriteString(s.docs.html(of, at.comments, w.from))
	}
	to, err := s.place(at.file)
	if err != nil {
		return err
	}
	w.paragraph("From %s. The method is registered in %s.", w.link(apiPath(folder)+"#"+t.Name(), code("go doc ./"+folder+" "+t.Name())), w.link(to, code(at.file)))
	return nil
}

// objective says how advantages become a loss: the lines on the ratio from the doc comment of
// loss.Function, and the fields that differ from PPO's clip.
func (s *site) objective(w *writer, m estimators.Method) {
	w.heading("objective", "How advantages become a loss")
	for _, t := range s.docs.of["estimators/loss"].Types {
		if t.Name == "Function" {
			if lines := ratioLines(t.Doc, m.Loss.Ratio); lines != "" {
				w.pre(lines)
			}
		}
	}
	var rows [][]string
	plain, own := estimators.PlainLoss, m.Loss
	for _, f := range params.Fields(&own) {
		if usual, _ := params.Lookup(&plain, f.Name); fmt.Sprint(usual.Value) != fmt.Sprint(f.Value) {
			rows = append(rows, []string{code(f.Name), code(fmt.Sprint(f.Value)), code(fmt.Sprint(usual.Value))})
		}
	}
	all := w.link(apiPath("estimators/loss")+"#Function", "the whole loss")
	if len(rows) == 0 {
		w.paragraph("The loss is PPO's clip, averaged over the tokens of an answer and then over answers: %s.", all)
		return
	}
	w.paragraph("Where it differs from PPO's clip, averaged over the tokens of an answer and then over answers (%s):", all)
	w.table([]string{"field", "here", "PPO's clip"}, rows)
}

// ratioLines are those of the doc comment that define a ratio: its name, spaces, and a definition,
// which goes on where lines are indented further.
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

const settingsAt = "methods/settings.html"

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

// settings are the method's own fields with their ranges, and those of all methods that have
// another default here.
func (s *site) settings(w *writer, instance *estimators.Instance) error {
	fields := instance.Fields()
	if len(fields) == 0 {
		return nil
	}
	usual, err := sharedFields()
	if err != nil {
		return err
	}
	w.heading("settings", "Settings")
	own := len(params.Fields(instance.Estimator))
	if own > 0 {
		w.paragraph("Its own:")
		s.fieldTable(w, fields[:own])
	}
	var others []params.Field
	for i, f := range fields[own:] {
		if fmt.Sprint(f.Value) != fmt.Sprint(usual[i].Value) {
			others = append(others, f)
		}
	}
	shared := w.link(settingsAt, "the settings that every method has")
	if len(others) == 0 {
		w.paragraph("It has %s, with their defaults.", shared)
		return nil
	}
	w.paragraph("Of %s, these have another default here:", shared)
	s.fieldTable(w, others)
	return nil
}

// settingsPage has what can be set of every method.
func (s *site) settingsPage() error {
	fields, err := sharedFields()
	if err != nil {
		return err
	}
	w := &writer{from: settingsAt}
	w.title("Settings that every method has")
	w.paragraph("These fields are of the loss, the protocol and the rewards. A spec sets them in a %s table, a command with %s. Defaults are those of PPO's clip; the page of a method has those that differ, and its own settings. %s is how advantages become a loss.", code("[[method]]"), code("--set"), w.link(apiPath("estimators/loss")+"#Function", code("loss.Function")))
	s.fieldTable(w, fields)
	s.add(&page{path: w.from, title: "Settings that every method has", body: w.String()})
	return nil
}

func (s *site) fieldTable(w *writer, fields []params.Field) {
	var rows [][]string
	for _, f := range fields {
		value := fmt.Sprint(f.Value)
		if value == "" {
			value = `""`
		}
		rows = append(rows, []string{code(f.Name), code(value), escape(limits(f)), escape(f.Doc)})
	}
	w.table([]string{"field", "default", "range", "what it is"}, rows)
}

// limits says which values a field takes.
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

// specsWith links the built-in specs that fit.
func (s *site) specsWith(w *writer, intro string, fits func(specFacts) bool) {
	var items []string
	for _, f := range s.facts.specs {
		if fits(f) {
			items = append(items, w.link(specPath(f.Name), code(f.Name))+" "+escape(f.Title))
		}
	}
	w.heading("specs", "Specs")
	if len(items) == 0 {
		w.paragraph("No built-in spec has it. %s run it as they run every method.", w.link("results/board.html", "The board")+" and "+w.link("commands/check.html", code("bench check")))
		return
	}
	w.paragraph("%s:", intro)
	w.list(items)
}
