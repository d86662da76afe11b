package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/estimators/internal/batchtest"
	"modebench/estimators/python"
	"modebench/internal/testkit"
)

// TestPluginDoesNotStart: one line names the missing thing.
func TestPluginDoesNotStart(t *testing.T) {
	leavesNothing(t)
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"text": 0o666, "bare": 0o777, "orphan": 0o777} {
		text := ""
		if name == "orphan" {
			text = "#!/no/such/interpreter\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	self, _ := os.Executable()
	for _, c := range []struct {
		reason  string
		command []string
		files   []string
		dir     string
		says    []string
	}{
		{"no command", nil, nil, dir, []string{"plug-in ()", `field "command": is empty`, `["python3", "-m", "modebench", "mine.py"]`}},
		{"an empty program", []string{""}, nil, dir, []string{"is empty"}},
		{"not in PATH", []string{"no-such-program-here"}, nil, dir, []string{"plug-in (no-such-program-here): there is no program no-such-program-here in PATH", "./no-such-program-here"}},
		{"not in the folder", []string{"./mine", "x"}, nil, dir, []string{"plug-in (./mine x): there is no program ./mine in " + dir}},
		{"not executable", []string{"./text"}, nil, dir, []string{"./text is not executable", "chmod +x"}},
		{"no interpreter", []string{"./orphan"}, nil, dir, []string{"does not start: the interpreter that its first line names is missing"}},
		{"no program at all", []string{"./bare"}, nil, dir, []string{"does not start"}},
		{"a folder", []string{"./"}, nil, dir, []string{"plug-in (./): "}},
		{"no folder", []string{self}, nil, filepath.Join(dir, "none"), []string{"there is no folder " + filepath.Join(dir, "none")}},
		{"a missing file", []string{self}, []string{"weights.npz"}, dir, []string{`files[0]: there is no file "weights.npz" in ` + dir}},
		{"a folder among files", []string{self}, []string{"."}, dir, []string{`files[0]: there is no file "."`}},
		{"an argument that is no file", []string{self, plantedWord, "ends at once", "mine.py", "-o=x.y", "0.5"}, nil, dir, []string{"it ended (exit status 3)", "; there is no file mine.py in " + dir}},
		{"odd words", []string{"a b", "\n\"", ""}, nil, dir, []string{`plug-in ("a b" "\n\"" ""): `}},
	} {
		p := &Plugin{Command: c.command, Files: c.files}
		err := p.Open(t.Context(), Host{Dir: c.dir})
		if t.Run(c.reason, func(t *testing.T) { testkit.WantError(t, err, c.says...) }); p.link != nil {
			t.Errorf("%s: it is open", c.reason)
		}
	}
}

// TestPluginIsTheOneThatWasDescribed: Open refuses another hello and other files.
func TestPluginIsTheOneThatWasDescribed(t *testing.T) {
	leavesNothing(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "data.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(data, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("1")
	p := plantedPlugin(t, "right")
	p.Command, p.Files = append(p.Command, "data.txt"), []string{"data.txt"}
	host := Host{Dir: dir}
	if err := p.Describe(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	known := p.Description()
	for name, want := range map[string]string{
		"data.txt":         "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", // printf 1 | sha256sum
		python.AdapterName: "", python.StandInName: "", p.Command[0]: "",
	} {
		if got := known.Hashes[name]; len(got) != 64 || want != "" && got != want {
			t.Errorf("the hash of %s is %q, want %q", name, got, want)
		}
	}
	if len(known.Hashes) != 2+len(python.Adapter) {
		t.Errorf("hashes of %v", known.Hashes)
	}
	other := plantedPlugin(t, "right")
	other.Command, other.Files = p.Command, p.Files
	other.SetDescription(known)
	if err := other.Open(t.Context(), host); err != nil {
		t.Errorf("the same plug-in: %v", err)
	}
	other.Close()
	write("2")
	testkit.WantError(t, other.Open(t.Context(), host), `plug-in "planted" (`, "data.txt changed while the run was under way (SHA-256 6b86b273ff34, then d4735e3a265e)")
	write("1")
	if err := other.Open(t.Context(), host); err != nil {
		t.Errorf("opened anew after an error: %v", err)
	}
	other.Close()

	fickle := plantedPlugin(t, "counts its starts")
	if err := fickle.Describe(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, fickle.Open(t.Context(), host), "its hello changed while the run was under way", `(name "start 0"`, `then name "start 1"`)
}

// TestPluginHashesModules: the word after -m is the name of a module, which is part of
// the cell if it lies in the folder.
func TestPluginHashesModules(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"own.py", "other.py", "pack/sub.py", "tool/__main__.py", "mine.py"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		reason  string
		command []string
		want    []string // beside the adapter
	}{
		{"a module", []string{"python3", "-m", "own"}, []string{"own.py"}},
		{"one in a package", []string{"python3", "-m", "pack.sub"}, []string{"pack/sub.py"}},
		{"a package", []string{"python3", "-u", "-m", "tool"}, []string{"tool/__main__.py"}},
		{"an argument of that name", []string{"python3", "-x", "own"}, nil},
		{"the adapter and its file", []string{"python3", "-m", "modebench", "mine.py", "own"}, []string{"mine.py"}},
		{"a module that lies elsewhere", []string{"python3", "-m", "json.tool"}, nil},
	} {
		hashes, err := hash(c.command, nil, dir)
		want := slices.Sorted(slices.Values(append(c.want, python.AdapterName, python.StandInName)))
		if d := cmp.Diff(want, slices.Sorted(maps.Keys(hashes))); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.reason, err, d)
		}
	}
	bundled, _ := hash([]string{"python3", "-m", "modebench", "mine.py"}, nil, dir)
	for _, file := range python.Adapter {
		if err := os.WriteFile(filepath.Join(dir, file.Name), []byte("# another"), 0o666); err != nil {
			t.Fatal(err)
		}
		beside, err := hash([]string{"python3", "-m", "modebench", "mine.py"}, nil, dir)
		if err != nil || beside[file.Name] == bundled[file.Name] {
			t.Errorf("a %s in the folder, which Python takes first, is not looked at: %v", file.Name, err)
		}
	}
}

// TestRecordingRecipe: the command with tee that docs/plug-ins.md gives keeps what each start
// of the program was sent and answered, and the program is part of the cell.
func TestRecordingRecipe(t *testing.T) {
	leavesNothing(t)
	text, err := os.ReadFile("../../docs/plug-ins.md")
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile("(?m)^command = (.*tee.*)\nfiles = (.*)$").FindSubmatch(text)
	if recipe == nil {
		t.Fatal("docs/plug-ins.md has no recipe")
	}
	p := &Plugin{}
	for i, to := range []*[]string{&p.Command, &p.Files} {
		if err := json.Unmarshal(recipe[i+1], to); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("tee"); err != nil {
		t.Skip("no tee")
	}
	dir, self := t.TempDir(), plantedPlugin(t, "right").Command
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' %s right\n", self[0], plantedWord)
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	host, b := Host{Dir: dir}, batchtest.Of(batchtest.Group([]float64{1, 0}, ""))
	if err := p.Describe(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	if p.Description().Hashes["mine"] == "" {
		t.Errorf("hashes of %v", p.Description().Hashes)
	}
	for range 2 { // cells
		if err := p.Open(t.Context(), host); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			testkit.Near(t, "recorded", batchtest.Advantages(t, p, b)[0], []float64{0.5, -0.5}, 0)
		}
		p.Close()
	}
	var lines []int
	for _, name := range []string{"to.jsonl", "from.jsonl"} {
		kept, _ := filepath.Glob(filepath.Join(dir, "talk.*", name))
		for _, file := range kept {
			text, _ := os.ReadFile(file)
			lines = append(lines, strings.Count(string(text), "\n"))
		}
	}
	slices.Sort(lines)
	if d := cmp.Diff([]int{3, 4, 4, 4, 5, 5}, lines); d != "" { // sent with the bye
		t.Errorf("lines kept (-want +got):\n%s", d)
	}
}

// TestPythonEnv: the adapter comes before what the user has on the path, and no
// value of the user's comes after.
func TestPythonEnv(t *testing.T) {
	list := string(filepath.ListSeparator)
	for _, c := range []struct {
		reason    string
		env, want []string
	}{
		{"nothing set", []string{"A=b"}, []string{"A=b", "PYTHONPATH=f", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0"}},
		{"a path and a seed", []string{"PYTHONPATH=x" + list + "y", "PYTHONHASHSEED=random"}, []string{"PYTHONPATH=x" + list + "y", "PYTHONHASHSEED=random", "PYTHONPATH=f" + list + "x" + list + "y", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0"}},
		{"an empty path, which would be the folder", []string{"PYTHONPATH="}, []string{"PYTHONPATH=", "PYTHONPATH=f", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0"}},
	} {
		if d := cmp.Diff(c.want, pythonEnv(c.env, "f")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestPluginIsIdentified: the hashes of a program are known without starting it, and whoever
// has not been asked is not opened.
func TestPluginIsIdentified(t *testing.T) {
	dir := t.TempDir()
	p := &Plugin{Command: []string{"sh", "-c", "touch started", "mine.sh"}, Files: []string{"data.txt"}}
	testkit.WantError(t, p.Identify(dir), "plug-in (sh -c \"touch started\" mine.sh)", `files[0]: there is no file "data.txt" in `+dir)
	for _, name := range []string{"data.txt", "mine.sh"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Identify(dir); err != nil {
		t.Fatal(err)
	}
	const one = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" // printf 1 | sha256sum
	hashes := p.Description().Hashes
	if hashes["data.txt"] != one || hashes["mine.sh"] != one || len(hashes) != 2+len(python.Adapter) {
		t.Errorf("hashes of %v", hashes)
	}
	other := &Plugin{Command: p.Command, Files: p.Files}
	other.SetDescription(p.Description())
	for _, unasked := range []*Plugin{p, other} {
		testkit.WantError(t, unasked.Open(t.Context(), Host{Dir: dir}), "it is not started")
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("it was started")
	}
	if err := (&Plugin{}).Identify(dir); err == nil {
		t.Error("a plug-in without a command is identified")
	}
}
