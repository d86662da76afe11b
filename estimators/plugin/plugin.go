// Package plugin is the method whose advantages come from a program of the user's, which
// it starts and talks to over JSON-RPC (docs/plug-ins.md). Who imports it has the method in
// the registry of package estimators.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/batchjson"
	"modebench/internal/params"
)

// Name is the name of the method. It is in no family of methods, since it is nothing
// without its command.
const Name = "plugin"

func init() {
	estimators.Register(estimators.Method{
		Name: Name, Summary: "advantages from a program of your own", Trains: true,
		Source: "docs/plug-ins.md",
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return i.StatedTarget(s, i.Estimator.(*Plugin).known.Objective)
		},
		Properties: estimators.Properties{Scale: estimators.Neither, OrderMatters: true, VotersMatter: true, MovesEqualRewards: true, Why: "whatever the program says"},
	}, func() estimators.Estimator {
		return &Plugin{known: Description{Requirements: estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 1, NoPenalty: true}}}
	})
}

// A Plugin is an estimator in a program of its own, which answers each judged batch
// with advantages over its standard input and output (docs/plug-ins.md). As every
// estimator it is for one goroutine; the ends of contexts may come from others.
//
// Its errors are one line that begins with the plug-in's name and command. After one
// the program is gone, and every later call gives the same error, until Open starts
// it anew. The end of a context is its Err alone.
type Plugin struct {
	Command []string `param:"command" doc:"the program and its arguments; paths are relative to the folder of the spec"`
	Files   []string `param:"files" doc:"files that the program reads beside those that command names: where one changes, the cell is another one" late:"[]"`

	known   Description
	name    string // as its hello gave it, for errors
	link    link   // nil: not open
	timeout time.Duration
	id      int    // of the last request
	request []byte // the last one; reused
	err     error  // of every later call
}

// A Host is what a plug-in is started in.
type Host struct {
	Dir     string        // working directory, which paths in Command and Files are relative to; "": the current one
	Timeout time.Duration // of every answer; 0: DefaultTimeout
	// Stderr takes what the program writes to its standard error, one line a Write,
	// from a goroutine of the plug-in's own until Close; nil: only errors show the end
	// of it.
	Stderr io.Writer

	connect func(ctx context.Context, command []string, host Host) (link, error) // nil: startProcess
}

// DefaultTimeout is how long a plug-in may take for an answer.
const DefaultTimeout = time.Minute

// A Description is what a plug-in says of itself in its hello, and what it is made of.
type Description struct {
	Name         string
	Requirements estimators.Requirements
	Objective    string // what it claims to climb; "": it does not say
	// Hashes are the SHA-256, in hexadecimal, of the regular files that Command (-m NAME
	// names NAME.py, or NAME/__main__.py) and Files name, by the names they have there,
	// and of modebench.py, the Python adapter. A program that is found through PATH is
	// not among them.
	Hashes map[string]string
}

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

// Check says whether there is a command, as a params.FieldError.
func (p *Plugin) Check() error {
	if len(p.Command) == 0 || p.Command[0] == "" {
		return params.Errorf("command", `is empty, want the program and its arguments, such as ["python3", "-m", "modebench", "mine.py"]`)
	}
	return nil
}

// Ask starts the program, takes its hello and ends it. From then on Requirements is what it said.
func (p *Plugin) Ask(ctx context.Context, host Host) error {
	d, err := p.start(ctx, host)
	if err != nil {
		return p.fail(err)
	}
	p.known = d
	return p.Close()
}

// Know takes over what an equal plug-in has been asked.
func (p *Plugin) Know(d Description) { p.known = d }

// Description is what Ask found or Know was given.
func (p *Plugin) Description() Description { return p.known }

// Open starts the program for Advantages, until Close or the end of ctx; Close is due
// in either case. A hello or files other than those of its Description are an error; a
// plug-in that has none yet takes over what it finds.
func (p *Plugin) Open(ctx context.Context, host Host) error {
	d, err := p.start(ctx, host)
	if err == nil && p.known.Hashes != nil {
		err = differs(p.known, d)
	}
	if err != nil {
		return p.fail(err)
	}
	p.known = d
	return nil
}

// differs says in what a plug-in is not what it was.
func differs(before, now Description) error {
	if err := changed(before.Hashes, now.Hashes); err != nil {
		return err
	}
	if a, b := before.said(), now.said(); a != b {
		return fmt.Errorf("its hello changed while the run was under way (%s, then %s): want the same every time", a, b)
	}
	return nil
}

// said is the hello on one line.
func (d Description) said() string {
	needs := append(d.Requirements.CandidateFields.Names(), d.Requirements.RolloutFields.Names()...)
	return fmt.Sprintf("name %q, needs %q, min_group %d, chains %t, objective %q", d.Name, needs, d.Requirements.MinGroup, d.Requirements.Chains, d.Objective)
}

// start starts the program and takes its hello.
func (p *Plugin) start(ctx context.Context, host Host) (Description, error) {
	_ = p.Close()
	p.name, p.err, p.id = p.known.Name, nil, 0
	if p.timeout = host.Timeout; p.timeout <= 0 {
		p.timeout = DefaultTimeout
	}
	if err := ctx.Err(); err != nil {
		return Description{}, err
	}
	if err := p.Check(); err != nil {
		return Description{}, err
	}
	hashes, err := p.hash(host.Dir)
	if err != nil {
		return Description{}, err
	}
	connect := host.connect
	if connect == nil {
		connect = startProcess
	}
	if p.link, err = connect(ctx, p.Command, host); err != nil {
		return Description{}, err
	}
	p.begin("hello")
	p.request = append(p.request, `{"protocol":`...)
	p.request = strconv.AppendInt(p.request, pluginProtocol, 10)
	p.request = append(p.request, '}')
	result, err := p.ask()
	if err != nil {
		return Description{}, fmt.Errorf("hello: %w%s", err, p.missing(host.Dir))
	}
	d, err := parseHello(result)
	if err != nil {
		return Description{}, fmt.Errorf("hello: %w", err)
	}
	p.name, d.Hashes = d.Name, hashes
	return d, nil
}

// begin starts the next request, up to its params.
func (p *Plugin) begin(method string) {
	p.id++
	p.request = append(p.request[:0], `{"jsonrpc":"2.0","id":`...)
	p.request = strconv.AppendInt(p.request, int64(p.id), 10)
	p.request = append(p.request, `,"method":"`...)
	p.request = append(p.request, method...)
	p.request = append(p.request, `","params":`...)
}

// ask ends the request, sends it and returns the result of the answer.
func (p *Plugin) ask() ([]byte, error) {
	p.request = append(p.request, "}\n"...)
	line, err := p.link.exchange(p.request, p.timeout)
	if err != nil {
		return nil, err
	}
	return parseReply(line, p.id)
}

// fail ends the program for an error and words it.
func (p *Plugin) fail(err error) error {
	if p.link != nil {
		p.link.kill()
		p.link = nil
	}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			p.err = end
			return p.err
		}
	}
	name := ""
	if p.name != "" {
		name = strconv.Quote(p.name) + " "
	}
	p.err = fmt.Errorf("plug-in %s(%s): %w", name, commandLine(p.Command), err)
	return p.err
}

// commandLine is a command as one would type it, shortened.
func commandLine(command []string) string {
	var words []string
	for _, word := range command {
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\") {
			word = strconv.Quote(word)
		}
		words = append(words, word)
	}
	return clip(strings.Join(words, " "), 200)
}

// Close says bye and waits for the program to end; one that has not after five
// seconds is killed. What was answered stands, so that is no error, nor is how the
// program ends. It may be called twice.
func (p *Plugin) Close() error {
	if p.link != nil {
		p.link.end([]byte(`{"jsonrpc":"2.0","method":"bye"}` + "\n"))
		p.link = nil
	}
	return nil
}

// Requirements implements Estimator.
func (p *Plugin) Requirements() estimators.Requirements {
	needs := p.known.Requirements
	needs.Voters = true
	return needs
}

// Advantages implements Estimator.
func (p *Plugin) Advantages(dst [][]float64, b *estimators.Batch) error {
	if p.link == nil {
		if p.err == nil {
			return fmt.Errorf("plug-in (%s): it is not open", commandLine(p.Command))
		}
		return p.err
	}
	if err := p.known.Requirements.Accept(dst, b); err != nil {
		return err
	}
	var err error
	p.begin("advantage")
	if p.request, err = batchjson.Append(p.request, b, p.known.Requirements.CandidateFields, p.known.Requirements.RolloutFields); err != nil {
		return err
	}
	result, err := p.ask()
	if err == nil {
		err = parseAdvantages(dst, b, result)
	}
	if err != nil {
		return p.fail(err)
	}
	b.ZeroVoters(dst)
	return nil
}
