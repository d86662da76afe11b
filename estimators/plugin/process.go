package plugin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modebench/internal/scratch"
	"modebench/internal/visible"
)

// A Host is the surroundings that a plug-in is started in.
type Host struct {
	Dir     string        // working directory, which paths in Command and Files are relative to; "": the current one
	Timeout time.Duration // of every answer; 0: DefaultTimeout
	// Stderr takes what the program writes to its standard error, one line a Write, its
	// control characters made visible, from a goroutine of the plug-in's own until Close; nil: only errors show the end
	// of it.
	Stderr io.Writer
	// Start is asked whenever a program is about to start, with its StartLine, and its error is
	// why it does not. Nothing else starts one. nil: it may.
	Start func(line string) error

	connect func(ctx context.Context, command []string, host Host) (link, error) // nil: startProcess
}

// DefaultTimeout is how long a plug-in may take for an answer.
const DefaultTimeout = time.Minute

// errLate: a program took longer than its Host's Timeout, and was stopped.
var errLate = errors.New("no answer within")

// A link carries lines to a plug-in and back.
type link interface {
	// exchange sends a request, line end included, and returns the line that answers
	// it, without its end, which is valid until the next call.
	exchange(line []byte, timeout time.Duration) ([]byte, error)
	// end sends a last line and waits until the program has ended.
	end(line []byte)
	// kill ends the program and waits until it has ended.
	kill()
}

const (
	// longestLine bounds the memory that an answer may take, in bytes.
	longestLine = 64 << 20
	// byeTime is how long a program may take to end once bye was sent.
	byeTime = 5 * time.Second
	// grace is how long to wait for the last output of a program that has ended. A process
	// that it started may still hold its standard output open.
	grace = time.Second
)

// A process is the link to a program that runs. Three goroutines serve it: for its standard
// output, for its standard error, and for its end.
type process struct {
	cmd      *exec.Cmd
	stdin    *os.File
	stdout   *os.File
	folder   *scratch.Place // with the Python adapter; removed at the end
	longest  int            // bytes of a line
	patience time.Duration  // of end

	lines   chan []byte   // closed at the end of standard output
	tooLong bool          // why lines was closed; to read after that
	exited  chan struct{} // closed when it has ended and all is cleaned up
	last    lastLines

	stopping sync.Once
	stopped  chan struct{} // closed by stop
	cause    error         // of stop; to read after that

	mu     sync.Mutex
	reaped bool // its process id may be another's
}

func startProcess(ctx context.Context, command []string, host Host) (link, error) {
	if err := checkProgram(command[0], host.Dir); err != nil {
		return nil, err
	}
	p := &process{
		longest: longestLine, patience: byeTime,
		lines: make(chan []byte), exited: make(chan struct{}), stopped: make(chan struct{}),
	}
	var err error
	if p.folder, err = adapterFolder(); err != nil {
		return nil, err
	}
	stderr, err := p.start(command, host.Dir)
	if err != nil {
		_ = p.folder.Remove()
		return nil, startError(err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.last.drain(stderr, host.Stderr)
	}()
	go p.read()
	unhook := context.AfterFunc(ctx, func() { p.stop(ctx.Err()) })
	go func() {
		p.wait(stderr, drained)
		unhook()
	}()
	return p, nil
}

// start starts the program on pipes and returns the one with its standard error.
func (p *process) start(command []string, dir string) (stderr *os.File, err error) {
	var files [6]*os.File // the program's ends at even places, ours at odd ones
	defer func() {
		for i, f := range files {
			if f != nil && (i%2 == 0 || err != nil) {
				f.Close()
			}
		}
	}()
	if files[0], files[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if files[3], files[2], err = os.Pipe(); err != nil {
		return nil, err
	}
	if files[5], files[4], err = os.Pipe(); err != nil {
		return nil, err
	}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Dir = dir
	p.cmd.Env = pythonEnv(os.Environ(), p.folder.Path)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = files[0], files[2], files[4]
	ownGroup(p.cmd)
	p.stdin, p.stdout = files[1], files[3]
	return files[5], p.cmd.Start()
}

// checkProgram looks for the program, since the system's own errors do not tell a
// missing program from a missing folder or a missing interpreter.
func checkProgram(program, dir string) error {
	folder := orCurrent(dir)
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s to start it in", dir)
		}
	}
	_, err := exec.LookPath(within(dir, program))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no program %s in PATH; a program in %s is written ./%s", program, folder, program)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no program %s in %s", program, folder)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s is not executable; make it so (chmod +x), or name its interpreter before it", program)
	}
	return startError(err)
}

// startError words why a program that is there does not start.
func startError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it does not start: the interpreter that its first line names is missing")
	}
	return fmt.Errorf("it does not start: %s", clip(err.Error(), 300))
}

// within is where a file lies that the command names: a path is relative to dir, and
// a program without one is looked for in PATH.
func within(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) || filepath.Base(name) == name {
		return name
	}
	return dir + string(filepath.Separator) + name
}

// wait waits for the end of the program, by itself or by stop, ends what it started, and cleans up.
func (p *process) wait(stderr *os.File, drained <-chan struct{}) {
	defer close(p.exited)
	_ = p.cmd.Wait() // how it ended is in its ProcessState
	p.mu.Lock()
	p.reaped = true
	killGroup(p.cmd) // at once, before its process id can be another's
	p.mu.Unlock()
	select {
	case <-drained:
	case <-time.After(grace):
	}
	stderr.Close()
	<-drained
	_ = p.folder.Remove()
}

// stop kills the program, for the first cause that is given.
func (p *process) stop(cause error) {
	p.stopping.Do(func() {
		p.cause = cause
		close(p.stopped)
		p.mu.Lock()
		if !p.reaped {
			killGroup(p.cmd)
		}
		p.mu.Unlock()
		// Something that left the group may hold the other ends.
		p.stdin.Close()
		p.stdout.Close()
	})
}

// read hands over the lines of standard output. It fills one buffer while the other
// is read: whoever took a line may use it until it takes the next.
func (p *process) read() {
	defer close(p.lines)
	in := bufio.NewReaderSize(p.stdout, 64<<10)
	var buffers [2][]byte
	for n := 0; ; n ^= 1 {
		line := buffers[n][:0]
		for {
			part, err := in.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > p.longest {
				p.tooLong = true
				return
			}
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				if len(line) == 0 {
					return
				}
				break // a last line without its end; its reader reports the fault
			}
		}
		buffers[n] = line
		select {
		case p.lines <- line:
		case <-p.stopped:
			return
		}
	}
}

func (p *process) exchange(line []byte, timeout time.Duration) ([]byte, error) {
	select {
	case early, ok := <-p.lines:
		if !ok {
			return nil, p.ended()
		}
		return nil, fmt.Errorf("it wrote %s to its standard output unasked: want one line for each request, and prints on standard error", excerpt(early))
	default:
	}
	timer := time.AfterFunc(timeout, func() {
		p.stop(fmt.Errorf("%w %v, so it was stopped (does it flush its output? --plugin-timeout gives it more time)", errLate, timeout))
	})
	defer timer.Stop()
	if _, err := p.stdin.Write(line); err != nil {
		return nil, p.refused()
	}
	answer, err := p.await(nil, nil)
	if err != nil {
		return nil, err
	}
	if end := len(answer) - 1; answer[end] == '\n' {
		return answer[:end], nil
	}
	return nil, fmt.Errorf("%w; its last line has no end: %s", p.ended(), excerpt(answer))
}

// await waits for a line of standard output; at the end of patience the error is late's.
func (p *process) await(patience <-chan time.Time, late func() error) ([]byte, error) {
	exited := p.exited
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return nil, p.ended()
			}
			return line, nil
		case <-p.stopped:
			return nil, p.cause
		case <-patience:
			return nil, late()
		case <-exited:
			// Its children may hold its standard output open. Lines written before it ended may
			// still be on their way.
			exited, patience, late = nil, time.After(grace), p.ended
		}
	}
}

func (p *process) refused() error {
	line, err := p.await(time.After(grace), func() error {
		return errors.New("it has closed its standard input, and runs on; want it open until bye")
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("it did not read the request to its end, and wrote %s to its standard output", excerpt(line))
}

func (p *process) ended() error {
	select {
	case <-p.stopped:
		return p.cause
	default:
	}
	select {
	case _, ok := <-p.lines:
		if !ok && p.tooLong {
			return fmt.Errorf("it wrote a line of more than %d bytes", p.longest)
		}
	default: // held open by another
	}
	select {
	case <-p.exited:
		return fmt.Errorf("it ended (%v) instead of answering%s", p.cmd.ProcessState, p.last.quoted())
	case <-p.stopped:
		return p.cause
	case <-time.After(grace):
		return fmt.Errorf("it has closed its standard output, and runs on; want it open until bye%s", p.last.quoted())
	}
}

func (p *process) end(line []byte) {
	timer := time.AfterFunc(p.patience, func() { p.stop(errors.New("it did not end by itself")) })
	defer timer.Stop()
	// It may have ended by itself, and so not take it.
	_, _ = p.stdin.Write(line)
	p.stdin.Close()
	<-p.exited
	p.kill()
}

func (p *process) kill() {
	p.stop(errors.New("it was stopped"))
	<-p.exited
}

// lastLines shows what a program writes to standard error and remembers the end of it.
type lastLines struct {
	mu    sync.Mutex
	lines []string
}

// drain reads to the end, or to an error. A line that is too long is shown in parts.
func (l *lastLines) drain(from io.Reader, show io.Writer) {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			l.add(line)
			if show != nil {
				text := strings.ReplaceAll(strings.TrimRight(string(line), "\r\n"), "\t", "    ")
				_, _ = io.WriteString(show, visible.Text(text)+"\n") // a reader that has gone must not stop the program
			}
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

func (l *lastLines) add(line []byte) {
	const kept, longest = 3, 200
	text := clip(string(line[:min(len(line), 4*longest)]), longest)
	if text == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == kept {
		l.lines = append(l.lines[:0], l.lines[1:]...)
	}
	l.lines = append(l.lines, text)
}

// quoted is the end of standard error as the end of a message.
func (l *lastLines) quoted() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 {
		return "; it wrote nothing to standard error"
	}
	return "; on standard error it wrote last: " + strings.Join(l.lines, " | ")
}
