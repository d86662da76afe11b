package plugin

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// plantedPlugin is the test binary as a plug-in of a kind.
func plantedPlugin(t testing.TB, kind string, args ...string) *Plugin {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Plugin{Command: append([]string{self, plantedWord, kind}, args...)}
}

// twoGroups is a batch with a voter.
func twoGroups() *estimators.Batch {
	b := batchtest.Of(batchtest.Group([]float64{1, 0, 0, 1}, "AABB"), batchtest.Group([]float64{.25, 0, 3}, "ABC"))
	b.Groups[1].Rollouts[2].Train = false
	b.Step = 7
	return b
}

// leavesNothing fails where after the test processes of plug-ins, their folders or
// goroutines are left.
func leavesNothing(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(folder, "modebench-plugin-*")); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		for range 100 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	})
}

// TestPluginMisbehaves: the call of any program ends with one line that
// names the fault, no process is left, and the next call fails alike.
func TestPluginMisbehaves(t *testing.T) {
	for _, c := range []struct {
		reason, kind string
		timeout      time.Duration // of the calls after hello; 0: ample
		says         []string
	}{
		{"a crash on loading", "ends at once", 0, []string{"hello: it ended (exit status 3) instead of answering", "ImportError: no module named numpy"}},
		{"prints before hello", "chatters first", 0, []string{`hello: it wrote "Loading weights ..." to its standard output`, "messages only", "standard error instead"}},
		{"a crash at a step", "dies", 0, []string{"it ended (exit status 1)", "Traceback (most recent call last): | ValueError: step 7 is unlucky"}},
		{"a signal", "is killed", 0, []string{"it ended (signal: killed)", "nothing to standard error"}},
		{"the end without a word", "ends in silence", 0, []string{"it ended (exit status 0) instead of answering"}},
		{"no answer", "hangs", 100 * time.Millisecond, []string{"no answer within 100ms", "--plugin-timeout"}},
		{"prints at a step", "chatters", 0, []string{`it wrote "loss: 0.25" to its standard output`}},
		{"half an answer", "breaks off", 0, []string{"it ended (exit status 0)", `its last line has no end: "{\"jsonrpc\"`}},
		{"an endless line", "never ends its line", 0, []string{"it wrote a line of more than 65536 bytes"}},
		{"no more output", "closes its output", 0, []string{"it has closed its standard output, and runs on"}},
		{"rubbish without a line end", "answers before it reads", 0, []string{"it wrote"}},
		{"a child holds the pipes", "leaves a child", 0, []string{"it ended (exit status 0)"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			leavesNothing(t)
			var args []string
			child := func() {}
			if strings.Contains(c.kind, "child") {
				var address string
				address, child = expectChild(t)
				args = []string{address}
			}
			p := plantedPlugin(t, c.kind, args...)
			b := twoGroups()
			dst := estimators.NewAdvantages(b)
			err := p.Open(t.Context(), Host{})
			if err == nil {
				run := p.link.(*process)
				if c.kind == "never ends its line" {
					run.longest = 1 << 16
				}
				if c.timeout > 0 {
					p.timeout = c.timeout
				}
				err = p.Advantages(dst, b)
				wantGone(t, run)
			}
			testkit.WantError(t, err, append(c.says, "plug-in ", "("+p.Command[0]+" as-a-plug-in ")...)
			if again := p.Advantages(dst, b); again != err {
				t.Errorf("the next call says %v", again)
			}
			child()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// wantGone fails where the process runs on.
func wantGone(t *testing.T, p *process) {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Kill); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the process is left (%v)", err)
	}
}

// expectChild gives the address to which a child connects. The function that it
// returns waits for the end of the child.
func expectChild(t *testing.T) (string, func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no address for a child to report to: ", err)
	}
	return listener.Addr().String(), func() {
		defer listener.Close()
		listener.(*net.TCPListener).SetDeadline(time.Now().Add(5 * time.Second))
		conn, err := listener.Accept()
		if err != nil {
			return // killed before it could connect
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the child is left")
		}
	}
}

// TestPluginHelloTakesTooLong: the time-out is the host's.
func TestPluginHelloTakesTooLong(t *testing.T) {
	leavesNothing(t)
	p := plantedPlugin(t, "silent")
	testkit.WantError(t, p.Describe(t.Context(), Host{Timeout: 50 * time.Millisecond}), "hello: no answer within 50ms", "--plugin-timeout")
}

// TestPluginThatLeavesItsGroup: a child that its group's end does not reach holds the
// pipes, and the test does not wait for it.
func TestPluginThatLeavesItsGroup(t *testing.T) {
	leavesNothing(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no address for a child to report to: ", err)
	}
	p := plantedPlugin(t, "leaves a child that left", listener.Addr().String())
	if err := p.Open(t.Context(), Host{}); err != nil {
		t.Fatal(err)
	}
	b := twoGroups()
	testkit.WantError(t, p.Advantages(estimators.NewAdvantages(b), b), "it ended (exit status 0)")
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn.Close() // ends the child
	listener.Close()
}

// TestPluginClosesItsInput: a batch larger than a pipe cannot be written, and the
// program need not be waited for.
func TestPluginClosesItsInput(t *testing.T) {
	leavesNothing(t)
	p := plantedPlugin(t, "closes its input")
	if err := p.Open(t.Context(), Host{}); err != nil {
		t.Fatal(err)
	}
	b := batchtest.Sample(100, 64, 0)
	testkit.WantError(t, p.Advantages(estimators.NewAdvantages(b), b), "it has closed its standard input, and runs on")
}

// TestPluginAnswersTwice: the second line is found at the next call at the latest.
func TestPluginAnswersTwice(t *testing.T) {
	leavesNothing(t)
	p := plantedPlugin(t, "answers twice")
	if err := p.Open(t.Context(), Host{}); err != nil {
		t.Fatal(err)
	}
	b := twoGroups()
	dst := estimators.NewAdvantages(b)
	if err := p.Advantages(dst, b); err != nil {
		t.Fatal(err)
	}
	b.Step = 8
	testkit.WantError(t, p.Advantages(dst, b), "one line for each request")
}

// TestPluginThatBehaves: the advantages are those of the formula to the last bit,
// step after step, also where requests, answers and standard error are larger than a
// pipe, and its end is waited for.
func TestPluginThatBehaves(t *testing.T) {
	leavesNothing(t)
	for _, kind := range []string{"says bye", "floods standard error", "fails after bye"} {
		var shown writer
		p := plantedPlugin(t, kind)
		if err := p.Describe(t.Context(), Host{}); err != nil {
			t.Fatal(err)
		}
		if err := p.Open(t.Context(), Host{Stderr: &shown}); err != nil {
			t.Fatal(err)
		}
		for _, b := range []*estimators.Batch{twoGroups(), batchtest.Sample(200, 64, 0), twoGroups()} {
			got, want := batchtest.Advantages(t, p, b), batchtest.Advantages(t, batchtest.Method(t, "grpo", "scale=none").Estimator, b)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		}
		for range 2 {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		testkit.WantError(t, p.Advantages(nil, &estimators.Batch{}), "it is not open")
		last, lines := map[string]string{"says bye": "bye bye\n", "floods standard error": "the last line has no end\n", "fails after bye": ""}[kind], shown.lines
		if last != "" && (len(lines) == 0 || lines[len(lines)-1] != last) {
			t.Errorf("%s: %d lines of standard error, the last are %q", kind, len(lines), lines[max(0, len(lines)-2):])
		}
		for _, line := range lines {
			if strings.Count(line, "\n") != 1 {
				t.Fatalf("not one line a Write: %q", line)
			}
		}
	}
}

type writer struct {
	mu    sync.Mutex
	lines []string
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, string(p))
	return len(p), nil
}

// TestPluginStaysAfterBye: it is killed, and its answers stay valid.
func TestPluginStaysAfterBye(t *testing.T) {
	leavesNothing(t)
	p := plantedPlugin(t, "stays after bye")
	if err := p.Open(t.Context(), Host{}); err != nil {
		t.Fatal(err)
	}
	run := p.link.(*process)
	run.patience = 50 * time.Millisecond
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wantGone(t, run)
}

// TestPluginAndContext: the end of the context ends the program, whether it is asked,
// idle or not yet started, and is the error.
func TestPluginAndContext(t *testing.T) {
	leavesNothing(t)
	b := twoGroups()
	for _, c := range []struct {
		reason, kind string
		idle         bool
	}{
		{"while it hangs", "hangs", false},
		{"while it is idle", "right", true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := plantedPlugin(t, c.kind)
		if err := p.Open(ctx, Host{}); err != nil {
			t.Fatal(err)
		}
		run := p.link.(*process)
		if c.idle {
			cancel()
			<-run.exited
		} else {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		for range 2 {
			if err := p.Advantages(estimators.NewAdvantages(b), b); err != context.Canceled {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
		wantGone(t, run)
		if err := p.Open(ctx, Host{}); err != context.Canceled {
			t.Errorf("%s: opened anew: %v", c.reason, err)
		}
		cancel()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := plantedPlugin(t, "silent").Describe(ctx, Host{}); err != context.DeadlineExceeded {
		t.Errorf("in hello: %v", err)
	}
}

// TestWhatPluginsSayIsVisible: no control character that a program writes to its standard
// error comes through; a line stays one.
func TestWhatPluginsSayIsVisible(t *testing.T) {
	var shown writer
	var last lastLines
	last.drain(strings.NewReader("plain\n\tat x\r\n\x1b]0;title\x07\x1b[2Jerased\rover\n\u009b1m\u202e\xff\nthe last"), &shown)
	want := []string{"plain\n", "    at x\n", `\x1b]0;title\a\x1b[2Jerased\rover` + "\n", `\u009b1m\u202e\xff` + "\n", "the last\n"}
	if d := cmp.Diff(want, shown.lines); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
