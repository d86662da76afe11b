package spec

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/internal/visible"
)

//go:embed specs/*.toml
var builtin embed.FS

// A Builtin is one of the specs that come with the program.
type Builtin struct {
	Name     string
	Title    string
	Source   string   // paper, with its figures and tables, that it is for, or ""
	Policy   string   // kind that it is written for
	Overlays []string // kinds of policies that it has settings for beside its own
}

// Builtins lists the embedded specs by name.
func Builtins() ([]Builtin, error) {
	var out []Builtin
	for _, name := range BuiltinNames() {
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
// here, and no plug-in is started; errors name file and line.
func Load(name string) (*Spec, error) { return LoadWith(name, LoadOptions{}) }

// LoadWith is Load with options. If they allow it, plug-ins are started, asked for their needs,
// and ended.
func LoadWith(name string, opt LoadOptions) (*Spec, error) {
	if data, err := builtin.ReadFile("specs/" + name + ".toml"); err == nil {
		return Parse(name+".toml", data, opt)
	}
	if !strings.HasSuffix(name, ".toml") {
		if _, err := os.Stat(name + ".toml"); err == nil {
			return nil, input.Errorf("unknown spec %q; did you mean the file %s.toml? it is there", name, name)
		}
		return nil, unknownSpec(name)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		hint := ""
		if plain := strings.TrimSuffix(name, ".toml"); slices.Contains(BuiltinNames(), plain) {
			hint = "; did you mean the built-in spec " + plain + "?"
		}
		return nil, input.Errorf("spec file %s does not exist%s", name, hint)
	}
	if err != nil {
		return nil, err
	}
	return Parse(name, data, opt)
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
	return input.Errorf("unknown spec %q; %sbuilt-in specs: %s; or give the path of a .toml file", name, nearest.Hint(name, BuiltinNames()), strings.Join(BuiltinNames(), ", "))
}

// BuiltinNames lists the built-in specs by name, without reading them.
func BuiltinNames() []string {
	files, _ := fs.Glob(builtin, "specs/*.toml")
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".toml")
	}
	return files
}

// CheckSpecs lists the built-in specs that make up the pinned suite of bench check.
func CheckSpecs() []string {
	return slices.DeleteFunc(BuiltinNames(), func(name string) bool { return !strings.HasPrefix(name, "check-") })
}

// Parse reads a spec from its text. file is its name in errors; without directory and
// extension it is the spec's name. Mistakes are *input.Error.
func Parse(file string, data []byte, opt LoadOptions) (*Spec, error) {
	spec, err := parse(file, bytes.TrimPrefix(data, []byte("\ufeff")), opt)
	if opt.Context != nil && opt.Context.Err() != nil {
		return nil, opt.Context.Err()
	}
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	sum := sha256.Sum256(data)
	spec.TextSum = hex.EncodeToString(sum[:])
	return spec, nil
}

func parse(file string, data []byte, opt LoadOptions) (*Spec, error) {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".toml")
	if !record.IsSpecName(name) {
		return nil, fmt.Errorf("%s: a spec is named after its file: %s, and not %q", file, record.NameRule, record.CellsDir)
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%s: it has %d bytes, and a spec at most %d", file, len(data), maxBytes)
	}
	root, err := parseTree(file, data, nil)
	if err != nil {
		return nil, err
	}
	if opt.Name != "" && !record.IsSpecName(opt.Name) {
		return nil, fmt.Errorf("--name %q becomes the name of a folder: %s, and not %q", opt.Name, record.NameRule, record.CellsDir)
	}
	source, err := newSource(document{file: file, root: root, plugins: newPluginCache(filepath.Dir(file), opt)}, name)
	if err != nil {
		return nil, err
	}
	return source.load(opt)
}

// maxName bounds the name of a changed spec, which becomes that of a folder.
const maxName = 100

// unnamed matches the characters that the name of a folder cannot have.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// nameOf turns a pair into a name for a folder. Different pairs get different names: if a
// letter is replaced, a digest of the pair follows.
func nameOf(pair string) string {
	plain := strings.Replace(pair, "=", "-", 1)
	name := unnamed.ReplaceAllString(plain, "_")
	if name != plain {
		sum := sha256.Sum256([]byte(pair))
		name += "-" + hex.EncodeToString(sum[:3])
	}
	return name
}

// rename gives a changed spec a name and a title of its own: opt.Name, or its name with the
// pairs after it.
func (s *Spec) rename(opt LoadOptions) error {
	if opt.Quick {
		s.Title, s.Name = strings.TrimSpace(s.Title+" (the quick form)"), s.Name+"-quick"
	}
	if len(opt.Set) > 0 {
		s.Title = strings.TrimSpace(s.Title + " (" + visible.Text(strings.Join(opt.Set, ", ")) + ")")
	}
	if opt.Name != "" {
		s.Name = opt.Name
		return nil
	}
	for _, pair := range opt.Set {
		s.Name += "-" + nameOf(pair)
	}
	if opt.Set != nil && len(s.Name) > maxName {
		return fmt.Errorf("--set: the name of the changed spec, %s, is longer than %d letters; give it one with --name", s.Name, maxName)
	}
	return nil
}
