package spec

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

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

// LoadOptions say how a spec is read.
type LoadOptions struct {
	// Policy is the kind of policy to read it under; "": the one that it is written
	// for. What it says in a table of that kind's name, [transformer], holds then. Unless
	// it sets them, fields of training and evaluation that suit one kind and not another
	// fall back to the kind's defaults. Spec.Notes say which fields do not hold.
	Policy string
	// Set changes fields of the spec, PATH=VALUE each (train.lr=0.1; see set.go). What its
	// figures and claims say of variants that are no more there falls away, and is
	// noted.
	Set []string
	// Name is the spec's name, which its folder has; "": its own, with what is set.
	Name string
	// PluginTimeout is how long plug-ins may take for an answer, now and when the spec
	// is run; 0: estimators.DefaultPluginTimeout.
	PluginTimeout time.Duration
	// Context ends the plug-ins that are asked what they need, and with them the
	// reading; nil: nothing does.
	Context context.Context
}

// LoadWith is Load with options. Plug-ins are started, asked what they need, and ended.
func LoadWith(name string, opt LoadOptions) (*Spec, error) {
	if data, err := builtin.ReadFile("specs/" + name + ".toml"); err == nil {
		return ParseWith(name+".toml", data, opt)
	}
	if !strings.HasSuffix(name, ".toml") {
		return nil, input.Errorf("unknown spec %q; %sbuilt-in specs: %s; or give the path of a .toml file", name, nearest.Hint(name, builtinNames()), strings.Join(builtinNames(), ", "))
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
		return nil, input.Errorf("unknown spec %q; %sbuilt-in specs: %s", name, nearest.Hint(name, builtinNames()), strings.Join(builtinNames(), ", "))
	}
	return data, nil
}

// fileName is what may become the name of a folder or a figure.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

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
	doc := document{file: file, lines: lines, plugins: newPluginDesk(file, opt)}
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

// A document is a spec's text while it is read: it knows on which line every
// key stands.
type document struct {
	file  string
	lines map[string]int
	kind  *policyKind // of the spec's methods
	// adapted: it was not written for that kind, and says nothing of it. What cannot
	// stand as it is then falls away, and is noted.
	adapted bool
	// overlay is the name of the overlay that lies over the spec, if one does, and laid
	// are its lines: a mistake at another line is one under the overlay alone, which
	// nobody would guess from the line.
	overlay string
	laid    map[int]bool
	plugins *pluginDesk
	pairs   map[string]string // what was set from outside, by its key: PATH=VALUE
}

// errorf reports a mistake at a key ("method[1].lambda"); a key that is not in
// the text (a missing one) is reported at the table it belongs in.
func (d document) errorf(key, format string, args ...any) error {
	if pair := d.pair(key); pair != "" {
		return &SetError{pair, fmt.Errorf(format, args...)}
	}
	where, under := d.file, ""
	line := d.line(key)
	if line > 0 {
		where = fmt.Sprintf("%s:%d", d.file, line)
	}
	if d.overlay != "" && !d.laid[line] {
		under = fmt.Sprintf(" (under [%s])", d.overlay)
	}
	return fmt.Errorf("%s: %w%s", where, fmt.Errorf(format, args...), under)
}

// pair is what was set from outside at a key, or ""; also at what stands in it, as one
// of a list's values does.
func (d document) pair(key string) string {
	for {
		if pair, ok := d.pairs[key]; ok {
			return pair
		}
		i := strings.LastIndexByte(key, '[')
		if i < 0 || d.ownLine(key) > 0 {
			return ""
		}
		key = key[:i]
	}
}

// line is the line of a key, or of what it belongs in, or 0.
func (d document) line(key string) int {
	for {
		if line := d.ownLine(key); line > 0 {
			return line
		}
		i := max(strings.LastIndexByte(key, '.'), strings.LastIndexByte(key, '['))
		if i < 0 {
			return 0
		}
		key = key[:i]
	}
}

// ownLine is the line of a key, or 0; of an array of tables it is that of the first.
func (d document) ownLine(key string) int {
	if line, ok := d.lines[key]; ok {
		return line
	}
	return d.lines[key+"[0]"]
}

// keys lists the keys of a table in the order they stand in the text.
func (d document) keys(prefix string, table map[string]any) []string {
	keys := make([]string, 0, len(table))
	for key := range table {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if c := d.ownLine(join(prefix, a)) - d.ownLine(join(prefix, b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return keys
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}
