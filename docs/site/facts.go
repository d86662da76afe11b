package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/experiments/audit"
	"modebench/experiments/board"
	"modebench/experiments/board/profile"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/each"
	"modebench/results"
)

// facts are the program's lists and the committed results, as pages show them.
type facts struct {
	methods  []estimators.Method
	help     string // of bench help
	commands []string
	specs    []specFacts
	steps    *audit.Steps            // of the published audit
	boards   map[string]*board.Table // by kind of policy, over the tasks that are published
	leftOut  []board.LeftOut         // methods that boards do not have
	// profiles have the scores at capabilities, in that order.
	profiles     *profile.Profiles
	capabilities []board.Task
	// vectors are the files of conformance vectors that have a method.
	vectors map[string][]string
}

// specFacts describe a built-in spec without running it.
type specFacts struct {
	spec.Builtin
	text    string
	methods []string
	envs    []string
	claims  []record.Claim
	Verdict *claims.Document // nil: no seeds were registered for it
}

// policies are the kinds of policies that have a board.
var policies = []string{"tabular", "transformer"}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)

func loadFacts(root string, bench *program) (*facts, error) {
	f := &facts{methods: estimators.Methods(), boards: map[string]*board.Table{}, vectors: map[string][]string{}}
	var err error
	if f.help, err = bench.prints("help"); err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(f.help, "Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, m := range commandLine.FindAllStringSubmatch(list, -1) {
		f.commands = append(f.commands, m[1])
	}
	if err := f.loadAudit(filepath.Join(root, "results", "board", "audit.json")); err != nil {
		return nil, err
	}
	if err := f.loadBoards(); err != nil {
		return nil, err
	}
	if err := f.loadVectors(os.DirFS(root)); err != nil {
		return nil, err
	}
	return f, f.loadSpecs(filepath.Join(root, "results", "verdicts"))
}

func (f *facts) loadAudit(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f.steps, err = audit.ParseSteps(path, data)
	return err
}

var vectorMethod = regexp.MustCompile(`"method": *"([^"]+)"`)

func (f *facts) loadVectors(repo fs.FS) error {
	files, err := fs.Glob(repo, "estimators/testdata/*.json")
	if err != nil {
		return err
	}
	for _, name := range files {
		data, err := fs.ReadFile(repo, name)
		if err != nil {
			return err
		}
		for _, m := range vectorMethod.FindAllStringSubmatch(string(data), -1) {
			if !slices.Contains(f.vectors[m[1]], name) {
				f.vectors[m[1]] = append(f.vectors[m[1]], name)
			}
		}
	}
	return nil
}

func (f *facts) loadBoards() error {
	for _, policy := range policies {
		tasks, err := board.Tasks(policy)
		if err != nil {
			return err
		}
		all, _, err := published(policy, tasks, board.ParseFinished)
		if err != nil {
			return err
		}
		if f.boards[policy] = new(board.Table); len(all) == 0 {
			continue
		}
		if f.boards[policy], err = board.NewTable(all); err != nil {
			return err
		}
	}
	grid, err := board.Published()
	if err != nil {
		return err
	}
	f.leftOut = grid.LeftOut
	if f.capabilities, err = profile.Capabilities(); err != nil {
		return err
	}
	all, missing, err := published(board.Profile, f.capabilities, func(_ board.Task, path string, data []byte) (*profile.Measured, error) {
		return profile.Parse(path, data)
	})
	if err == nil && missing != nil {
		err = fmt.Errorf("the profiles have no %s", strings.Join(missing, ", "))
	}
	if err != nil {
		return err
	}
	f.profiles, err = profile.New(all, nil)
	return err
}

// published reads the results of tasks that come with the program, in a folder of the board. missing are the
// tasks without a result.
func published[R any](folder string, tasks []board.Task, parse func(t board.Task, path string, data []byte) (R, error)) (all []R, missing []string, err error) {
	files, err := fs.Sub(results.Board, "board/"+folder)
	if err != nil {
		return nil, nil, err
	}
	return board.ReadKept(files, folder, tasks, parse)
}

// line is a method's line of a board; nil: it has no line.
func (f *facts) line(policy, method string) *board.Line {
	rows := f.boards[policy].Rows
	i := slices.IndexFunc(rows, func(l board.Line) bool { return l.Method == method || slices.Contains(l.Same, method) })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

func (f *facts) loadSpecs(verdicts string) error {
	all, err := spec.Builtins()
	if err != nil {
		return err
	}
	for _, b := range all {
		s, err := spec.Load(b.Name)
		if err != nil {
			return err
		}
		text, err := spec.BuiltinText(b.Name)
		if err != nil {
			return err
		}
		facts := specFacts{Builtin: b, text: string(text), claims: s.Claims}
		if facts.methods, facts.envs, err = variantsOf(s); err != nil {
			return fmt.Errorf("spec %s: %w", b.Name, err)
		}
		doc, err := claims.ReadDocument(filepath.Join(verdicts, b.Name+".json"))
		if err == nil {
			facts.Verdict = &doc
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		f.specs = append(f.specs, facts)
	}
	return nil
}

// variantsOf lists the methods and environments of a spec, in order of first appearance.
func variantsOf(s *spec.Spec) (methods, environments []string, err error) {
	for _, v := range s.Variants {
		setup, err := v.Setup()
		if err != nil {
			return nil, nil, err
		}
		methods, environments = append(methods, v.Method), append(environments, setup.EnvName)
	}
	return each.Distinct(methods), each.Distinct(environments), nil
}

// common are words that name a method and much else. As code in a text they are no link.
var common = []string{"base", "optimum", "grpo"}

// alone are names of specs that mean nothing else, beside those of several words.
var alone = []string{"dose", "boundary", "fronts"}

// mentions is the page of the method, the spec or the command that code in a text names.
func (f *facts) mentions(text string) (string, bool) {
	if command, ok := strings.CutPrefix(text, "bench "); ok {
		name, _, _ := strings.Cut(command, " ")
		return commandPath(name), slices.Contains(f.commands, name)
	}
	if slices.ContainsFunc(f.methods, func(m estimators.Method) bool { return m.Name == text }) {
		return methodPath(text), !slices.Contains(common, text)
	}
	isSpec := slices.ContainsFunc(f.specs, func(s specFacts) bool { return s.Name == text })
	return specPath(text), isSpec && (strings.Contains(text, "-") || slices.Contains(alone, text))
}

// claim is a claim of a spec with its answer, over all settings and at each.
func (f *facts) claim(specName, name string) (record.Claim, claims.ClaimAnswer, []claims.AnswerAt, error) {
	for _, s := range f.specs {
		if s.Name != specName || s.Verdict == nil {
			continue
		}
		claim := slices.IndexFunc(s.claims, func(c record.Claim) bool { return c.Name == name })
		answer := slices.IndexFunc(s.Verdict.Claims, func(c claims.ClaimAnswer) bool { return c.Claim == name })
		if claim < 0 || answer < 0 {
			break
		}
		settings := each.Where(s.Verdict.Settings, func(a claims.AnswerAt) bool { return a.Claim == name })
		return s.claims[claim], s.Verdict.Claims[answer], settings, nil
	}
	return record.Claim{}, claims.ClaimAnswer{}, nil, fmt.Errorf("no verdict is kept on %s %s", specName, name)
}
