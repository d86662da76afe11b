package plugin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

var record = flag.Bool("record", false, "TestPluginReplay holds its conversations anew, with python3 and numpy, and records them in testdata")

// A line of a recorded conversation is a message to the plug-in or from it.
type recorded struct {
	To   json.RawMessage `json:"to,omitempty"`
	From json.RawMessage `json:"from,omitempty"`
}

// A recorder notes what goes over another link.
type recorder struct {
	link
	to *bytes.Buffer
}

func (r recorder) note(line recorded) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // the lines noted have been sent and read as JSON
	}
	r.to.Write(append(text, '\n'))
}

func (r recorder) exchange(line []byte, timeout time.Duration) ([]byte, error) {
	r.note(recorded{To: bytes.TrimSpace(line)})
	answer, err := r.link.exchange(line, timeout)
	if err == nil {
		r.note(recorded{From: answer})
	}
	return answer, err
}

func (r recorder) end(line []byte) {
	r.note(recorded{To: bytes.TrimSpace(line)})
	r.link.end(line)
}

// A replay answers as the plug-in did that was recorded, as long as it is sent the same.
type replay struct {
	lines []recorded
}

func readReplay(t *testing.T, file string) *replay {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var line recorded
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		r.lines = append(r.lines, line)
	}
	return r
}

func (r *replay) next() recorded {
	if len(r.lines) == 0 {
		return recorded{}
	}
	line := r.lines[0]
	r.lines = r.lines[1:]
	return line
}

func (r *replay) exchange(line []byte, _ time.Duration) ([]byte, error) {
	if want := r.next().To; string(line) != string(want)+"\n" {
		return nil, fmt.Errorf("sent %s, recorded is %s", line, want)
	}
	answer := r.next().From
	if answer == nil {
		return nil, errors.New("the recording has no answer")
	}
	return answer, nil
}

func (r *replay) end(line []byte) {
	if want := r.next().To; string(line) != string(want)+"\n" {
		r.lines = append(r.lines, recorded{To: line}) // which the test finds left over
	}
}

func (r *replay) kill() {}

// conversations are the recorded ones, with the built-ins of equal advantages.
var conversations = []struct {
	name, dir       string
	command         []string
	builtin, fields string
	tolerance       float64
	reason          string
}{
	{"plain", "testdata", []string{"python3", "plain.py"}, "rloo", "", 1e-15, "the bare protocol; the sum is taken in another order"},
	{"centred", "../python/examples", adapter("centred.py"), "grpo", "scale=none", 0, "the adapter, to the last bit"},
	{"poly_epo", "../python/examples", adapter("poly_epo.py"), "poly-epo", "n=4", 1e-12, "modes, and a least group"},
}

func adapter(args ...string) []string {
	return append([]string{"python3", "-m", "modebench"}, args...)
}

// TestPluginReplay: programs in Python, and the adapter, give what the built-in of
// the same formula gives. Without Python, their recorded conversations do,
// which hold what is sent to them to the letter.
func TestPluginReplay(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			host, finish := replayed(t, c.name, c.dir)
			converse(t, &Plugin{Command: c.command}, host, batchtest.Method(t, c.builtin, strings.Fields(c.fields)...), c.tolerance)
			finish()
		})
	}
	t.Run("an exception", func(t *testing.T) {
		host, finish := replayed(t, "faulty", "testdata")
		wantFaulty(t, host)
		finish()
	})
}

// TestPluginInPython holds the conversations where Python is.
func TestPluginInPython(t *testing.T) {
	needNumpy(t)
	leavesNothing(t)
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			converse(t, &Plugin{Command: c.command}, Host{Dir: c.dir}, batchtest.Method(t, c.builtin, strings.Fields(c.fields)...), c.tolerance)
		})
	}
	wantFaulty(t, Host{Dir: "testdata"})
	testkit.WantError(t, (&Plugin{Command: adapter("absent.py")}).Describe(t.Context(), Host{Dir: "testdata"}), "absent.py does not load: FileNotFoundError", "there is no file absent.py in testdata")
	if left, _ := filepath.Glob("../*/*/__pycache__"); len(left) > 0 {
		t.Errorf("Python left %v", left)
	}
}

func needNumpy(t testing.TB) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import numpy, sys; assert sys.version_info >= (3, 9)").Run(); err != nil {
		t.Skip("no Python 3.9 or later with numpy: ", err)
	}
}

// converse fails unless the plug-in and the built-in agree.
func converse(t *testing.T, p *Plugin, host Host, builtin *estimators.Instance, tolerance float64) {
	t.Helper()
	if err := p.Open(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	for step := range 3 {
		b := batchtest.Sample(2, 6+step, 0)
		b.Step = step
		for g := range b.Groups {
			for i, r := range b.Groups[g].Rollouts {
				r.Candidates[0].Reward[0] += float64(i) / 7
			}
		}
		want := batchtest.Advantages(t, builtin.Estimator, b)
		for g, got := range batchtest.Advantages(t, p, b) {
			testkit.Near(t, fmt.Sprintf("step %d, group %d", step, g), got, want[g], tolerance)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// wantFaulty fails unless the exception of faulty.py is the error.
func wantFaulty(t *testing.T, host Host) {
	t.Helper()
	p := &Plugin{Command: adapter("faulty.py")}
	if err := p.Open(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	b := batchtest.Of(batchtest.Group([]float64{1, 0}, ""), batchtest.Group([]float64{1, 1}, ""))
	testkit.WantError(t, p.Advantages(estimators.NewAdvantages(b), b), `plug-in "faulty`, "FloatingPointError: invalid value encountered in", "faulty.py:9")
}

// replayed is the host of a recorded conversation, or with -record of a conversation that is
// held and recorded. The function that it returns ends it.
func replayed(t *testing.T, name, dir string) (Host, func()) {
	file := filepath.Join("testdata", name+".jsonl")
	if *record {
		var text bytes.Buffer
		connect := func(ctx context.Context, command []string, host Host) (link, error) {
			l, err := startProcess(ctx, command, host)
			return recorder{l, &text}, err
		}
		return Host{Dir: dir, connect: connect}, func() {
			if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	r := readReplay(t, file)
	connect := func(context.Context, []string, Host) (link, error) { return r, nil }
	return Host{Dir: dir, connect: connect}, func() {
		if len(r.lines) > 0 {
			t.Errorf("the recording goes on: %s%s", r.lines[0].To, r.lines[0].From)
		}
	}
}
