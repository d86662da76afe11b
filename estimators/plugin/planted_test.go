package plugin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// plantedWord makes the test binary a plug-in: plantedWord KIND [ARGUMENT].
const plantedWord = "as-a-plug-in"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == plantedWord {
		p := &planted{kind: os.Args[2], args: os.Args[3:], out: os.Stdout}
		p.serve(os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// planted is a plug-in that goes wrong in the way that its kind names. Apart from
// that it answers rewards less their mean.
type planted struct {
	kind  string
	args  []string
	out   io.Writer
	calls int
}

// message is a request as the program reads it.
type message struct {
	ID     int
	Method string
	Params struct {
		Step   int
		Groups []struct {
			Problem  string
			Rollouts []struct {
				Train      *bool
				Candidates []struct{ Reward []float64 }
			}
		}
	}
}

func (p *planted) serve(in io.Reader) {
	lines := bufio.NewReaderSize(in, 1<<20)
	if p.kind == "ends at once" {
		fmt.Fprintln(os.Stderr, "ImportError: no module named numpy")
		os.Exit(3)
	}
	if p.kind == "a child" {
		if conn, err := net.Dial("tcp", p.args[0]); err == nil {
			conn.Read(make([]byte, 1)) // until the test hangs up, or this is killed
		}
		return
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, "unreadable:", err)
			os.Exit(4)
		}
		switch m.Method {
		case "hello":
			p.hello(m.ID)
		case "advantage":
			p.advantage(m)
		case "bye":
			p.bye()
			return
		}
	}
}

func (p *planted) hello(id int) {
	switch p.kind {
	case "silent":
		time.Sleep(time.Hour)
	case "chatters first":
		fmt.Fprintln(p.out, "Loading weights ...")
	case "counts its starts":
		text, _ := os.ReadFile("starts")
		os.WriteFile("starts", append(text, '.'), 0o666)
		p.result(id, fmt.Sprintf(`{"protocol":1,"name":"start %d"}`, len(text)))
		return
	case "leaves a child", "leaves a child that left":
		p.child()
	case "closes its input":
		p.result(id, `{"protocol":1,"name":"planted"}`)
		os.Stdin.Close()
		time.Sleep(time.Hour)
	}
	p.result(id, `{"protocol":1,"name":"planted"}`)
}

// child starts a program that holds every pipe of this one, and waits until the test
// at the address has heard of it.
func (p *planted) child() {
	child := exec.Command(os.Args[0], plantedWord, "a child", p.args[0])
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	if p.kind == "leaves a child that left" {
		ownGroup(child)
	}
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(5)
	}
	time.Sleep(50 * time.Millisecond)
}

func (p *planted) result(id int, text string) {
	fmt.Fprintf(p.out, `{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", id, text)
}

func (p *planted) advantage(m message) {
	switch p.kind {
	case "dies":
		fmt.Fprint(os.Stderr, "Traceback (most recent call last):\n\nValueError: step 7 is unlucky\n")
		os.Exit(1)
	case "is killed":
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		time.Sleep(time.Hour)
	case "ends in silence", "leaves a child", "leaves a child that left":
		os.Exit(0)
	case "hangs":
		time.Sleep(time.Hour)
	case "chatters":
		fmt.Fprintln(p.out, "loss:", 0.25)
	case "breaks off":
		fmt.Fprintf(p.out, `{"jsonrpc":"2.0","id":%d,"result":{"adv`, m.ID)
		os.Exit(0)
	case "never ends its line":
		for {
			if _, err := fmt.Fprint(p.out, strings.Repeat("0,", 1000)); err != nil {
				return
			}
		}
	case "closes its output":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "floods standard error":
		for range 1 << 12 {
			fmt.Fprintln(os.Stderr, strings.Repeat("warning ", 64))
		}
		fmt.Fprint(os.Stderr, "the last line has no end")
	case "answers before it reads":
		p.out.Write(make([]byte, 1<<20))
	}
	if why := p.confused(m); why != "" {
		fmt.Fprintf(p.out, `{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":%q}}`+"\n", m.ID, why)
		return
	}
	p.calls++
	text := p.shaken(m, centredText(m))
	p.result(m.ID, text)
	if p.kind == "answers twice" {
		p.result(m.ID, text)
	}
}

// confused is why a program of some kind cannot answer; "": it can.
func (p *planted) confused(m message) string {
	groups, rollouts := len(m.Params.Groups), len(m.Params.Groups[0].Rollouts)
	switch {
	case p.kind == "drops an axis" && groups > 1 && groups != rollouts:
		return fmt.Sprintf("ValueError: operands could not be broadcast together with shapes (%d,%d) (%d,)", groups, rollouts, groups)
	case p.kind == "knows its problems" && m.Params.Groups[0].Problem != "p":
		return fmt.Sprintf("KeyError: %q", m.Params.Groups[0].Problem)
	case p.kind == "wants groups of 16" && rollouts != 16:
		return "ValueError: cannot reshape"
	}
	return ""
}

// shaken spoils the right answer in the way of the program's kind.
func (p *planted) shaken(m message, text string) string {
	switch p.kind {
	case "draws at random":
		return addTo(text, rand.Float64())
	case "rounds otherwise":
		return addTo(text, 1e-7*rand.Float64())
	case "counts its calls":
		return addTo(text, float64(p.calls))
	case "answers one group":
		return addTo(text, 0, 1)
	case "transposes":
		var answer struct{ Advantages [][]float64 }
		json.Unmarshal([]byte(text), &answer)
		turned := make([][]float64, len(answer.Advantages[0]))
		for _, row := range answer.Advantages {
			for i, a := range row {
				turned[i] = append(turned[i], a)
			}
		}
		if len(answer.Advantages) > 1 {
			out, _ := json.Marshal(map[string]any{"advantages": turned})
			return string(out)
		}
	}
	return text
}

// addTo adds a number to every advantage of an answer, of which only the first groups are kept.
func addTo(text string, x float64, groups ...int) string {
	var answer struct {
		Advantages [][]float64 `json:"advantages"`
	}
	json.Unmarshal([]byte(text), &answer)
	for _, n := range groups {
		answer.Advantages = answer.Advantages[:n]
	}
	for _, row := range answer.Advantages {
		for i := range row {
			row[i] += x
		}
	}
	out, _ := json.Marshal(answer)
	return string(out)
}

// centredText is rewards less their mean, voters left out.
func centredText(m message) string {
	out := [][]float64{}
	for _, g := range m.Params.Groups {
		mean, n := 0., 0.
		for _, r := range g.Rollouts {
			if r.Train == nil || *r.Train {
				mean += r.Candidates[0].Reward[0]
				n++
			}
		}
		mean /= n
		row := []float64{}
		for _, r := range g.Rollouts {
			row = append(row, r.Candidates[0].Reward[0]-mean)
		}
		out = append(out, row)
	}
	text, _ := json.Marshal(map[string]any{"advantages": out})
	return string(text)
}

func (p *planted) bye() {
	switch p.kind {
	case "stays after bye":
		time.Sleep(time.Hour)
	case "says bye":
		fmt.Fprintln(os.Stderr, "bye bye")
	case "fails after bye":
		os.Exit(9)
	}
}
