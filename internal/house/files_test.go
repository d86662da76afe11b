package house

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesOfAPackageFollowOneDirection reads the packages of experiments and plots file by
// file: a file points at another file of its package if it names something declared there.
// There must be an order of the files in which fewer than one in ten of these arrows run
// back up.
func TestFilesOfAPackageFollowOneDirection(t *testing.T) {
	readSources(t)
	for _, p := range sources(t, "cmd/...", "experiments/...", "plots/...") {
		if len(p.GoFiles) < 2 {
			continue
		}
		arrows := p.arrows(t)
		up := against(arrows)
		if 10*len(up) >= len(arrows) && len(up) > 0 {
			t.Errorf("%s: %d of %d arrows between files run back up, want fewer than one in ten:\n%s", p.ImportPath, len(up), len(arrows), strings.Join(up, "\n"))
		}
	}
}

type sourcePackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
	exports                 map[string]string // files of compiled packages by import path
}

// sources lists packages of the module with the types of all they import.
func sources(t *testing.T, patterns ...string) []sourcePackage {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}
	for _, pattern := range patterns {
		args = append(args, module+pattern)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	var all []sourcePackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p sourcePackage
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			p.exports = exports
			all = append(all, p)
		}
	}
	if len(all) < 2 {
		t.Fatalf("go list found %d packages", len(all))
	}
	return all
}

// An arrow is a file that names what another file of its package declares.
type arrow struct{ from, to string }

// arrows type-checks the package and returns its arrows, each with the names that it rests
// on.
func (p *sourcePackage) arrows(t *testing.T) map[arrow][]string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(files, "gc", lookup)}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	own, err := config.Check(p.ImportPath, files, parsed, &info)
	if err != nil {
		t.Fatal(err)
	}
	found := map[arrow][]string{}
	for id, used := range info.Uses {
		// Fields are left out: whoever reads one has named its type elsewhere, or was
		// handed it.
		_, method := used.(*types.Func)
		if used.Pkg() != own || used.Parent() != own.Scope() && !method {
			continue
		}
		a := arrow{filepath.Base(files.Position(id.Pos()).Filename), filepath.Base(files.Position(used.Pos()).Filename)}
		if a.from != a.to && !slices.Contains(found[a], used.Name()) {
			found[a] = append(found[a], used.Name())
		}
	}
	return found
}

// against orders the files so that few arrows run back up, and returns those that do. It
// moves one file at a time to the folder in which it helps most, until no move helps.
func against(arrows map[arrow][]string) []string {
	seen := map[string]bool{}
	for a := range arrows {
		seen[a.from], seen[a.to] = true, true
	}
	order := slices.Sorted(maps.Keys(seen))
	up := func(from, to string) int {
		if arrows[arrow{from, to}] != nil {
			return 1
		}
		return 0
	}
	for improved := true; improved; {
		improved = false
		for i, file := range order {
			best, least, sum := i, 0, 0
			for j := i - 1; j >= 0; j-- { // file above order[j]
				if sum += up(order[j], file) - up(file, order[j]); sum < least {
					best, least = j, sum
				}
			}
			sum = 0
			for j := i + 1; j < len(order); j++ { // file below order[j]
				if sum += up(file, order[j]) - up(order[j], file); sum < least {
					best, least = j, sum
				}
			}
			if least < 0 {
				order = slices.Insert(slices.Delete(order, i, i+1), best, file)
				improved = true
			}
		}
	}
	var out []string
	for i, below := range order {
		for _, above := range order[:i] {
			if names := arrows[arrow{below, above}]; names != nil {
				slices.Sort(names)
				out = append(out, fmt.Sprintf("\t%s -> %s: %s", below, above, strings.Join(names, ", ")))
			}
		}
	}
	slices.Sort(out)
	return out
}
