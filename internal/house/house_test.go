// Package house holds tests of the project as a whole: which package may import
// which, and that no result can depend on the CPU's fused multiply-add.
package house

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// floors lists, for each folder, the folders of this project it may import
// (data flows one way, imports follow it). A folder may always import
// itself and the folders below it.
var floors = map[string][]string{
	"internal":                  {},
	"envs":                      {"internal"},
	"estimators":                {"internal", "envs"},
	"policies":                  {"internal", "envs"},
	"metrics":                   {"internal", "envs"},
	"experiments/record":        {"internal"},
	"experiments/spec":          {"internal", "envs", "estimators", "policies", "metrics", "experiments/record"},
	"experiments/catalog":       {"internal", "envs", "estimators", "metrics", "experiments/spec"},
	"experiments/cells":         {"internal", "experiments/record"},
	"experiments/train":         {"internal", "envs", "estimators", "policies", "metrics", "experiments/record", "experiments/spec", "experiments/cells"},
	"experiments/selftest":      {"internal", "envs", "policies", "experiments/train"},
	"experiments/sweep":         {"internal", "experiments/record", "experiments/spec", "experiments/cells", "experiments/train"},
	"experiments/progress":      {"internal", "experiments/record", "experiments/spec", "experiments/sweep", "experiments/train"},
	"experiments/audit":         {"internal", "envs", "estimators", "metrics/stats", "experiments/record", "experiments/spec", "experiments/train"},
	"experiments/analysis":      {"internal", "metrics", "experiments/record"},
	"experiments/claims":        {"internal", "metrics", "experiments/record", "experiments/analysis"},
	"experiments/claims/study":  {"internal", "experiments/record", "experiments/analysis", "experiments/spec", "experiments/cells", "experiments/sweep", "experiments/claims"},
	"experiments/board":         {"internal", "metrics", "estimators", "experiments/record", "experiments/analysis", "experiments/spec"},
	"experiments/board/contest": {"internal", "experiments/record", "experiments/spec", "experiments/board"},
	"experiments/export":        {"internal", "metrics/stats", "experiments/record", "experiments/analysis"},
	"experiments/imported":      {"internal", "envs", "metrics", "experiments/record", "experiments/cells"},
	"experiments/internal":      {"internal", "envs", "experiments/record", "experiments/spec"},
	"experiments":               {},
	"plots/draw":                {"internal"},
	"plots/numbers":             {"internal", "experiments/record", "metrics/stats", "plots/draw"},
	"plots/forest":              {"experiments/claims", "internal/each", "internal/plural", "metrics/stats", "plots/draw", "plots/numbers", "plots/sheets"},
	"plots/problem":             {"internal", "envs", "plots/draw"},
	"plots/sheets":              {"experiments/record", "internal/each", "metrics/stats", "plots/draw", "plots/numbers"},
	"plots/boardplot":           {"internal", "experiments/record", "experiments/board", "metrics/stats", "plots"},
	"plots":                     {"internal", "experiments/record", "experiments/analysis", "experiments/claims", "metrics", "envs"},
	"plots/report/pages":        {"internal", "envs", "experiments", "plots"},
	"plots/sources":             {"internal", "experiments/record", "plots"},
	"plots/lines":               {"internal", "experiments", "plots"},
	"plots/report":              {"internal", "experiments/record", "experiments/analysis", "metrics/stats", "envs", "plots"},
	"results":                   {},
	"cmd/bench":                 {"internal", "envs", "estimators", "metrics", "experiments", "plots", "results"},
	"docs/site":                 {"internal", "envs", "estimators", "experiments", "metrics/stats", "results"},

	// The parts of methods know nothing of them.
	"estimators/loss":              {"internal"},
	"estimators/internal/cosine":   {},
	"estimators/internal/setstest": {"internal/each"},
	"estimators/internal/subsets":  {"internal"},
}

const module = "modebench/"

type goPackage struct {
	ImportPath string
	Imports    []string
}

// readSources opens every Go file of the project, so that the go command knows
// this package's tests to depend on them and does not answer from its cache.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	readSources(t)
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < len(floors) {
		t.Fatalf("go list found %d packages, want at least the %d folders of the plan", len(all), len(floors))
	}
	return all
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// floorOf is the longest folder of the plan that holds the package.
func floorOf(path string) string {
	best := ""
	for folder := range floors {
		if within(path, folder) && len(folder) > len(best) {
			best = folder
		}
	}
	return best
}

func TestImportsFollowTheFloors(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		floor := floorOf(path)
		if floor == "" {
			t.Errorf("%s lies in no folder of the plan; add it to the table with what it may import", path)
			continue
		}
		for _, imported := range p.Imports {
			target, own := strings.CutPrefix(imported, module)
			if !own || within(target, floor) {
				continue
			}
			allowed := false
			for _, folder := range floors[floor] {
				allowed = allowed || within(target, folder)
			}
			if !allowed {
				t.Errorf("%s imports %s, which its floor %q may not", path, target, floor)
			}
		}
	}
}

// fused matches the fused multiply-add instructions of arm64 in the compiler's
// listing.
var fused = regexp.MustCompile(`\bFN?M(ADD|SUB)[SD]\b`)

// TestNothingIsFused compiles the packages on the result path for arm64, where
// the compiler fuses x*y+z wherever the language lets it, and looks for fused
// instructions in the listing. They would give other bits there, and
// on amd64 under GOAMD64=v3: write float64(x*y) + z, also where a function that
// may be inlined returns the product. (experiments/export only hands numbers on, with a
// library that takes long to compile.)
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for arm64")
	}
	readSources(t)
	args := []string{"build", "-gcflags=-S"}
	for _, folder := range []string{"internal/...", "envs/...", "estimators/...", "policies/...", "metrics/...", "experiments/record", "experiments/spec", "experiments/cells", "experiments/train", "experiments/sweep", "experiments/audit", "experiments/analysis", "experiments/claims"} {
		args = append(args, module+folder)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, tail(out))
	}
	if !bytes.Contains(out, []byte("TEXT")) {
		t.Fatalf("the compiler gave no listing, so this test would find nothing:\n%s", tail(out))
	}
	for line := range strings.Lines(string(out)) { // some hundreds of megabytes: the expression sees few of them
		if (strings.Contains(line, "MADD") || strings.Contains(line, "MSUB")) && fused.MatchString(line) {
			t.Errorf("fused: %s", strings.TrimSpace(line))
		}
	}
}

func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }
