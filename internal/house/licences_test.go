package house

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateLicences = flag.Bool("update-licences", false, "write "+licencesFile+" anew")

// licencesFile has the licence of everything by others that the program and its pages consist of,
// and is shipped with them.
const licencesFile = "THIRD-PARTY.txt"

// root is the clone.
const root = "../.."

// licenceName is how files with terms are named. Of the two licences that freetype offers, the
// second is for those who want it.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|ftl)`)

// TestLicences: the file has the terms of every module whose code is in the program on any
// platform, of the packages' own folders in it too, of uPlot and of Go, and of nothing else. So a new
// dependency, or another version of one, has to be looked at.
func TestLicences(t *testing.T) {
	terms := map[string][]string{} // by text, what it is of
	add := func(of, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " \t\f")
		}
		plain := strings.Trim(strings.Join(lines, "\n"), "\n")
		terms[plain] = append(terms[plain], of)
	}
	linked, names := linkedLicences(t)
	for name, files := range linked {
		if len(files) == 0 {
			t.Errorf("%s has no licence that could be found", name)
		}
		for _, file := range files {
			add(names[name], file)
		}
	}
	add("uPlot 1.6.32", filepath.Join(root, "plots", "report", "live", "uplot", "LICENSE"))
	for _, file := range linked["golang.org/x/sys"] { // Go itself has the same; not every installation has the file
		add("Go and its standard library", file)
	}
	var blocks []string
	for text, of := range terms {
		slices.Sort(of)
		blocks = append(blocks, strings.Join(slices.Compact(of), "\n")+"\n\n"+text+"\n")
	}
	slices.Sort(blocks)
	want := "The program bench, its wheels, its container images and the pages that it writes hold work of\n" +
		"others, each under the terms below its name. `go test ./internal/house -run TestLicences` checks\n" +
		"this list, and writes it anew with -update-licences.\n\n" +
		strings.Join(blocks, "\n"+strings.Repeat("-", 80)+"\n\n")
	path := filepath.Join(root, licencesFile)
	if *updateLicences {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not what go list says is linked (%v): look at the licence of what is new, then -update-licences", licencesFile, err)
	}
}

// linkedLicences are the files with terms of each module that is linked into the program on one of
// the platforms of a release, by its path, and its path with its version.
func linkedLicences(t *testing.T) (terms map[string][]string, names map[string]string) {
	release, err := os.ReadFile(filepath.Join(root, ".ci", "release"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^platforms="(.*)"$`).FindSubmatch(release)
	if found == nil {
		t.Fatal(".ci/release names no platforms")
	}
	files := map[string]map[string]bool{}
	names = map[string]string{}
	for platform := range strings.FieldsSeq(string(found[1])) {
		system, architecture, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-json=Dir,Module", module+"cmd/bench")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
					Replace            *struct{ Version string }
				}
			}
			if err := d.Decode(&p); err != nil {
				t.Fatal(err)
			}
			if m := p.Module; m == nil || m.Main || m.Replace != nil && m.Replace.Version == "" { // our own
				continue
			}
			name := p.Module.Path
			names[name] = name + " " + p.Module.Version
			if files[name] == nil {
				files[name] = map[string]bool{}
				for _, folder := range []string{"licenses", "THIRD_PARTY_LICENSES"} { // gonum's and freetype's
					termsIn(t, filepath.Join(p.Module.Dir, folder), files[name], regexp.MustCompile(`LICENSE$|^ftl`))
				}
			}
			for dir := p.Dir; strings.HasPrefix(dir, p.Module.Dir); dir = filepath.Dir(dir) {
				termsIn(t, dir, files[name], licenceName)
			}
		}
	}
	out := map[string][]string{}
	for name, set := range files {
		out[name] = slices.Sorted(maps.Keys(set))
	}
	return out, names
}

// termsIn adds the files of such names in a folder, if it is there.
func termsIn(t *testing.T, dir string, to map[string]bool, name *regexp.Regexp) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type()&fs.ModeType == 0 && name.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
			to[filepath.Join(dir, e.Name())] = true
		}
	}
}

// TestLicencesAreShipped: the tools that make archives, images and wheels put the terms into them.
func TestLicencesAreShipped(t *testing.T) {
	for file, want := range map[string][]string{
		".ci/release":           {" LICENSE " + licencesFile + " "},
		".ci/image/main.go":     {`"LICENSE", "` + licencesFile + `"`, `"usr/share/doc/modebench/" + name`},
		"python/hatch_build.py": {`TERMS = ("LICENSE", "` + licencesFile + `")`, `for path in TERMS:`, `f"modebench_rl/{path}"`, `"go.sum", *TERMS`},
	} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s ships no %s: want %s", file, licencesFile, w)
			}
		}
	}
}
