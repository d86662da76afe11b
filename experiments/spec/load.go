package spec

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/nearest"
)

//go:embed specs/*.toml
var builtin embed.FS

// A Builtin is one of the specs that come with the program.
type Builtin struct {
	Name     string
	Title    string
	Source   string   // paper, with its figures and tables, that it is for; "" if none
	Policy   string   // kind that it is written for
	Overlays []string // kinds of policies that it has settings for beside its own
}

// Builtins lists the embedded specs by name.
func Builtins() ([]Builtin, error) {
	files, err := fs.Glob(builtin, "specs/*.toml")
	if err != nil {
		return nil, err
	}
	var out []Builtin
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".toml")
		spec, err := Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Builtin{name, spec.Title, spec.Source, spec.Policy, spec.Overlays})
	}
	return out, nil
}

// Load reads a spec: a built-in one by its name, any other by its path (which
// ends in .toml). Everything that can be checked without training is checked
// here; errors name file and line.
func Load(name string) (*Spec, error) { return LoadWith(name, LoadOptions{}) }

// LoadWith is Load with options. Plug-ins are started, asked what they need, and ended.
func LoadWith(name string, opt LoadOptions) (*Spec, error) {
	if data, err := builtin.ReadFile("specs/" + name + ".toml"); err == nil {
		return ParseWith(name+".toml", data, opt)
	}
	if !strings.HasSuffix(name, ".toml") {
		return nil, unknownSpec(name)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, input.Errorf("spec file %s does not exist", name)
	}
	if err != nil {
		return nil, err
	}
	return ParseWith(name, data, opt)
}

// BuiltinText returns the text of a built-in spec: a starting point for one's own.
func BuiltinText(name string) ([]byte, error) {
	data, err := builtin.ReadFile("specs/" + name + ".toml")
	if err != nil {
		return nil, unknownSpec(name)
	}
	return data, nil
}

func unknownSpec(name string) error {
	return input.Errorf("unknown spec %q; %sbuilt-in specs: %s; or give the path of a .toml file", name, nearest.Hint(name, builtinNames()), strings.Join(builtinNames(), ", "))
}

func builtinNames() []string {
	files, _ := fs.Glob(builtin, "specs/*.toml")
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".toml")
	}
	return files
}

// CheckSpecs lists the built-in specs that make up the pinned suite of bench check.
func CheckSpecs() []string {
	var out []string
	for _, name := range builtinNames() {
		if strings.HasPrefix(name, "check-") {
			out = append(out, name)
		}
	}
	return out
}

// Parse reads a spec from its text. file is its name in errors; without
// directory and extension it is the spec's name.
func Parse(file string, data []byte) (*Spec, error) { return ParseWith(file, data, LoadOptions{}) }

// ParseWith is Parse with options.
func ParseWith(file string, data []byte, opt LoadOptions) (*Spec, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".toml")
	if !fileName.MatchString(name) || name == record.CellsDir {
		return nil, input.Errorf("%s: a spec is named after its file: letters, digits, '.', '_' and '-', not beginning with a dot, and not %q", file, record.CellsDir)
	}
	var root map[string]any
	if err := toml.Unmarshal(data, &root); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			if strings.Contains(at.Error(), "should be an array table") {
				return nil, input.Errorf("%s:%d:%d: several tables of one name are written [[%s]] each, the first one too", file, line, column, strings.Join(at.Key(), "."))
			}
			return nil, input.Errorf("%s:%d:%d: %s", file, line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, input.Errorf("%s: %w", file, err)
	}
	lines, err := positions(data)
	if err != nil {
		return nil, input.Errorf("%s: %w", file, err)
	}
	doc := document{file: file, lines: lines, plugins: newPluginDesk(opt.Context, filepath.Dir(file), opt.PluginTimeout)}
	if opt.Name != "" && (!fileName.MatchString(opt.Name) || opt.Name == record.CellsDir) {
		return nil, input.Errorf("--name %q becomes the name of a folder: letters, digits, '.', '_' and '-', not beginning with a dot, and not %q", opt.Name, record.CellsDir)
	}
	spec, err := doc.under(name, root, opt)
	if opt.Context != nil && opt.Context.Err() != nil {
		return nil, opt.Context.Err()
	}
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return spec, nil
}
