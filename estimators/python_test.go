package estimators_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// checked is the result of testdata/check.py for its arguments.
type checked struct {
	code   int
	out    string
	stderr string
}

// runCheck runs testdata/check.py, with Python modules taken from folder too.
func runCheck(t *testing.T, folder string, args ...string) checked {
	t.Helper()
	python, err := findPython()
	if err != nil {
		t.Skip("no Python 3.8 or later to run testdata/check.py with: ", err)
	}
	cmd := exec.Command(python, append([]string{"check.py"}, args...)...)
	cmd.Dir = "testdata"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+folder, estimateVariable+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return checked{cmd.ProcessState.ExitCode(), string(out), stderr.String()}
}

// findPython asks python3, which may be a script that looks for it, for its path.
var findPython = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; assert sys.version_info >= (3, 8); print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
})

// want fails unless the check has this exit status and these counts.
func (c checked) want(t *testing.T, code, ok, failed, skipped int) {
	t.Helper()
	totals := fmt.Sprintf("%d ok, %d failed, %d skipped\n", ok, failed, skipped)
	if c.code != code || !strings.HasSuffix(c.out, totals) {
		t.Errorf("exit code %d, want %d and %s%s%s", c.code, code, totals, c.out, c.stderr)
	}
}

// casesOf counts the cases of a method; "" is every method.
func casesOf(t *testing.T, method string) int {
	n := 0
	for _, file := range vectorFiles(t) {
		for _, v := range readVectors(t, file) {
			if method == "" || v.Method == method {
				n++
			}
		}
	}
	return n
}

// TestPythonExample: the implementations in plain Python, which share nothing with
// this package, agree with the vectors.
func TestPythonExample(t *testing.T) {
	for method, function := range map[string]string{
		"grpo": "grpo", "grpo@verl": "grpo_verl", "grpo@prime": "grpo_prime", "rloo": "rloo", "maxrl": "maxrl", "poly-epo": "poly_epo",
	} {
		runCheck(t, "", "*.json", "--method", method, "--function", "example:"+function).want(t, 0, casesOf(t, method), 0, 0)
	}
}

// estimateVariable makes the test binary answer as `bench estimate` does.
const estimateVariable = "MODEBENCH_TEST_ESTIMATE"

// TestEstimateAsCommand is no test but the program that TestPythonCommand starts: METHOD [--set
// name=value ...], batch on standard input, advantages on standard output.
func TestEstimateAsCommand(t *testing.T) {
	if os.Getenv(estimateVariable) == "" {
		t.Skip("only as the program of TestPythonCommand")
	}
	args := flag.Args()
	batch, err := io.ReadAll(os.Stdin)
	v := vector{Method: args[0], Set: map[string]any{}, Batch: batch}
	for _, arg := range args[1:] {
		if name, text, ok := strings.Cut(arg, "="); ok {
			v.Set[name] = text
			if n := json.Number(text); regexp.MustCompile(`^-?[0-9.e-]+$`).MatchString(text) {
				v.Set[name] = n
			}
		}
	}
	var found computed
	if err == nil {
		found, err = v.compute()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	var advantages any = found.rollouts
	if found.tokens != nil {
		advantages = found.tokens
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"advantages": advantages})
	os.Exit(0)
}

// TestPythonCommand: all methods, through pipes, as any program can be held against the vectors.
func TestPythonCommand(t *testing.T) {
	self := strconv.Quote(os.Args[0]) + " -test.run=^TestEstimateAsCommand$ -- {method} {set}"
	runCheck(t, "", "*.json", "--command", self).want(t, 0, casesOf(t, ""), 0, 0)
	runCheck(t, "", "rloo.json", "--command", self, "--method", "rloo").want(t, 0, casesOf(t, "rloo"), 0, 0)
}

// TestPythonFindsMistakes: implementations with a mistake each.
func TestPythonFindsMistakes(t *testing.T) {
	folder := t.TempDir()
	wrong := `
import example

def ddof(batch, scale="group", ddof=0, epsilon=1e-6, singleton="zero"):
    return example.grpo(batch, scale, 1 - ddof, epsilon, singleton)

def order(batch, **fields):
    return [a[::-1] for a in example.grpo(batch, **fields)]

def nan(batch, **fields):
    return [[float("nan")] * len(a) for a in example.grpo(batch, **fields)]

def short(batch, **fields):
    return [a[:-1] for a in example.grpo(batch, **fields)]

def fewer(batch, **fields):
    return example.grpo(batch, **fields)[:-1]

def text(batch, **fields):
    return [["one"] * len(a) for a in example.grpo(batch, **fields)]

def refuses(batch, **fields):
    raise ValueError("no")

def lax(batch, **fields):
    try:
        return example.grpo(batch, **fields)
    except Exception:
        return [[0.0] * len(g["rollouts"]) for g in batch["groups"]]

def without(batch):
    return example.grpo(batch)

def nothing(batch, **fields):
    return None

def defaults(batch, **fields):
    assert batch["weights"] and all(g["weights"] and all(r["train"] in (True, False) for r in g["rollouts"]) for g in batch["groups"])
    return example.grpo(batch, **fields)
`
	if err := os.WriteFile(filepath.Join(folder, "wrong.py"), []byte(wrong), 0o666); err != nil {
		t.Fatal(err)
	}
	// Of the cases of grpo, five have a spread and a deviation that ddof changes.
	var all, refused, fields int
	for _, v := range readVectors(t, "testdata/grpo.json") {
		if v.Method == "grpo" {
			all++
			if v.Error != "" {
				refused++
			}
			if v.Set != nil {
				fields++
			}
		}
	}
	for function, c := range map[string]struct {
		code, ok, skipped int
		says              string
	}{
		"ddof":     {1, all - 5, 0, "off by 0.23"},
		"order":    {1, 0, 0, "off by 2.3"},
		"nan":      {1, refused, 0, "nan"},
		"short":    {1, refused, 0, "advantages, want 4"},
		"fewer":    {1, refused, 0, "groups, want 1"},
		"text":     {1, refused, 0, "no lists of numbers"},
		"refuses":  {1, refused, 0, "FAIL    grpo.json: grpo: one correct of four (refused: ValueError: no)"},
		"lax":      {1, all - refused, 0, "must be refused: 2 candidates"},
		"without":  {0, all - fields, fields, "unexpected keyword"},
		"defaults": {0, all, 0, "ok      grpo.json: grpo: one correct of four"},
		"nothing":  {2, 0, all, "not supported"},
	} {
		t.Run(function, func(t *testing.T) {
			got := runCheck(t, folder, "grpo.json", "--method", "grpo", "--function", "wrong:"+function)
			if function == "order" { // symmetric or constant cases are all that it has right
				c.ok = all - strings.Count(got.out, "FAIL")
			}
			got.want(t, c.code, c.ok, all-c.ok-c.skipped, c.skipped)
			if !strings.Contains(got.out, c.says) {
				t.Errorf("want it to say %q:\n%s", c.says, got.out)
			}
		})
	}
}

// TestPythonUsage: an input that cannot be checked is neither a success nor a failure.
func TestPythonUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"nowhere.json", "--command", "true"}, "nowhere.json"},
		{[]string{"check.py", "--command", "true"}, "check.py"},
		{[]string{"rloo.json", "--command", "/no/such/program"}, "/no/such/program"},
		{[]string{"rloo.json", "--command", ""}, "--command is empty"},
		{[]string{"rloo.json", "--method", "grpo", "--function", "example:grpo"}, "no case was checked"},
		{[]string{"rloo.json", "--function", "example:rloo"}, "wants --method"},
		{[]string{"rloo.json", "--method", "rloo", "--function", "example"}, "MODULE:FUNCTION"},
		{[]string{"rloo.json", "--method", "rloo", "--function", "example:none"}, "none"},
		{[]string{"rloo.json", "--method", "rloo", "--function", "nomodule:rloo"}, "nomodule"},
		{[]string{"rloo.json"}, "required"},
	} {
		got := runCheck(t, "", c.args...)
		if got.code != 2 || !strings.Contains(got.stderr, c.says) || strings.Contains(got.stderr, "Traceback") {
			t.Errorf("%q: exit code %d, want 2 and %q:\n%s", c.args, got.code, c.says, got.stderr)
		}
	}
	for says, program := range map[string]string{"printed": "echo rubbish", "off by": `echo '[[0,0],[0,0],[0]]'`} {
		got := runCheck(t, "", "rloo.json", "--command", "sh -c "+strconv.Quote(program))
		if got.code != 1 || !strings.Contains(got.out, says) {
			t.Errorf("%s: exit code %d, want 1 and %q:\n%s", program, got.code, says, got.out)
		}
	}
	runCheck(t, "", "rloo.json", "--command", "echo null").wantSkipped(t)
}

// wantSkipped fails unless nothing was checked.
func (c checked) wantSkipped(t *testing.T) {
	t.Helper()
	if c.code != 2 || strings.Contains(c.out, "FAIL") || !strings.Contains(c.out, "skipped rloo.json") {
		t.Errorf("exit code %d, want 2 and everything skipped:\n%s%s", c.code, c.out, c.stderr)
	}
}
