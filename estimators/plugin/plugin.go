// Package plugin is the method whose advantages come from a program of the user's, which
// it starts and talks to over JSON-RPC (docs/plug-ins.md). Who imports it has the method in
// the registry of package estimators.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/batchjson"
	"modebench/estimators/sets"
	"modebench/internal/params"
)

// Name is the name of the method. It is in no family of methods, since it is nothing
// without its command.
const Name = "plugin"

func init() {
	estimators.RegisterUnlisted(estimators.Method{
		Name: Name, Summary: "advantages from a program of your own", Trains: true,
		Source: "docs/plug-ins.md",
		Target: func(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
			return sets.StatedTarget(i, s, i.Estimator.(*Plugin).description.Objective)
		},
		Properties: estimators.Properties{Scale: estimators.Neither, OrderMatters: true, VotersMatter: true, MovesEqualRewards: true, Why: "up to the program"},
		Estimator:  estimators.From(Plugin{description: Description{Requirements: leastRequirements()}}),
	})
}

func leastRequirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 1, NoPenalty: true}
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
	Files   []string `param:"files" doc:"files that the program reads beside those that command names: if one changes, the cell is a new cell" late:"[]"`

	description Description
	name        string // as its hello gave it, for errors
	link        link   // nil: not open
	timeout     time.Duration
	id          int           // of the last request
	request     []byte        // the last one; reused
	err         error         // of every later call
	state       []byte        // after the last step, as text; nil: null, or not known
	fresh       bool          // the program has been sent no batch and no state
	tokens      [][][]float64 // behind Advantages, of a plug-in that gives every token its own
}

// Check returns a params.FieldError unless there is a command.
func (p *Plugin) Check() error {
	if len(p.Command) == 0 || p.Command[0] == "" {
		return params.Errorf("command", `is empty, want the program and its arguments, such as ["python3", "-m", "modebench", "mine.py"]`)
	}
	return nil
}

// Describe starts the program, takes its hello, has it answer a made-up batch (probe), and ends
// it. From then on Needs comes from the hello.
func (p *Plugin) Describe(ctx context.Context, host Host) error {
	d, err := p.start(ctx, host)
	if err == nil {
		p.description = d
		err = p.probe(ctx, host)
	}
	if err != nil {
		return p.fail(err)
	}
	return p.Close()
}

// Identify hashes the program's files, in a folder as Host.Dir, and starts nothing. Its
// Description then has Hashes, and in place of the hello's Requirements some that every
// environment meets. Open refuses it.
func (p *Plugin) Identify(dir string) error {
	err := p.Check()
	if err != nil {
		return p.fail(err)
	}
	d := Description{Requirements: leastRequirements(), Unasked: true}
	d.Requirements.Chains = true
	if d.Hashes, err = hash(p.Command, p.Files, dir); err != nil {
		return p.fail(err)
	}
	p.description = d
	return nil
}

// SetDescription takes over the description of an equal plug-in.
func (p *Plugin) SetDescription(d Description) { p.description = d }

// Description returns the result of Describe or Identify, or SetDescription's argument.
func (p *Plugin) Description() Description { return p.description }

// Open starts the program for Advantages, until Close or the end of ctx; Close is due
// in either case. A hello or files other than those of its Description are an error; a plug-in
// without a Description takes over what it finds. A plug-in that is only identified is not
// started, and that is an error.
func (p *Plugin) Open(ctx context.Context, host Host) error {
	if p.description.Unasked {
		return p.fail(errors.New("it is not started, since it was not asked for its hello"))
	}
	d, err := p.start(ctx, host)
	if err == nil && p.description.Hashes != nil {
		err = differs(p.description, d)
	}
	if err != nil {
		return p.fail(err)
	}
	p.description = d
	return nil
}

func (p *Plugin) start(ctx context.Context, host Host) (Description, error) {
	_ = p.Close()
	p.name, p.err, p.id = p.description.Name, nil, 0
	p.state, p.fresh = nil, true
	if p.timeout = host.Timeout; p.timeout <= 0 {
		p.timeout = DefaultTimeout
	}
	if err := ctx.Err(); err != nil {
		return Description{}, err
	}
	if err := p.Check(); err != nil {
		return Description{}, err
	}
	if host.Start != nil {
		if err := host.Start(p.StartLine(host.Dir)); err != nil {
			return Description{}, &refusedError{err}
		}
	}
	hashes, err := hash(p.Command, p.Files, host.Dir)
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
	p.request = fmt.Appendf(p.request, `{"protocol":%d}`, oldestProtocol)
	result, err := p.call()
	if err != nil {
		return Description{}, fmt.Errorf("hello: %w%s", err, missing(p.Command, host.Dir))
	}
	d, err := parseHello(result)
	if err != nil {
		return Description{}, fmt.Errorf("hello: %w", err)
	}
	p.name, d.Hashes = d.Name, hashes
	return d, nil
}

// A refusedError is the error of Host.Start, whose message names the program already.
type refusedError struct{ error }

func (e *refusedError) Unwrap() error { return e.error }

func (p *Plugin) begin(method string) {
	p.id++
	p.request = fmt.Appendf(p.request[:0], `{"jsonrpc":"2.0","id":%d,"method":%q,"params":`, p.id, method)
}

// call ends the request, sends it and returns the result of the answer.
func (p *Plugin) call() ([]byte, error) {
	line, err := p.send()
	if err != nil {
		return nil, err
	}
	return parseReply(line, p.id)
}

// send ends the request, sends it and returns the line that answers it.
func (p *Plugin) send() ([]byte, error) {
	p.request = append(p.request, "}\n"...)
	return p.link.exchange(p.request, p.timeout)
}

// closed is the error of every call where the program does not run.
func (p *Plugin) closed() error {
	if p.link == nil && p.err == nil {
		return fmt.Errorf("plug-in (%s): it is not open", commandLine(p.Command))
	}
	return p.err
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
	if refused, ok := errors.AsType[*refusedError](err); ok {
		p.err = refused.error
		return p.err
	}
	name := ""
	if p.name != "" {
		name = strconv.Quote(p.name) + " "
	}
	p.err = fmt.Errorf("plug-in %s(%s): %w", name, commandLine(p.Command), err)
	return p.err
}

// StartLine names on one line, and in full, the program's command and its working folder, dir
// as in Host. Characters that a terminal would not show are written as in a Go string.
func (p *Plugin) StartLine(dir string) string {
	folder, err := filepath.Abs(dir)
	if err != nil { // the current folder is gone
		folder = orCurrent(dir)
	}
	return asTyped(p.Command...) + " in " + asTyped(folder)
}

// commandLine is a command as one would type it, shortened.
func commandLine(command []string) string { return clip(asTyped(command...), 200) }

// asTyped writes words on one line, in quotes if they hold blanks, quotes or unprintable
// characters.
func asTyped(words ...string) string {
	var out []string
	for _, word := range words {
		quoted := strconv.Quote(word)
		if plain := quoted == `"`+word+`"` && word != "" && !strings.ContainsAny(word, " '"); plain {
			quoted = word
		}
		out = append(out, quoted)
	}
	return strings.Join(out, " ")
}

// Close sends bye and waits for the program to end, and kills it after five seconds. Its
// answers stay valid, so that is no error, nor is its exit code. Close may be called twice.
func (p *Plugin) Close() error {
	if p.link != nil {
		p.link.end([]byte(`{"jsonrpc":"2.0","method":"bye"}` + "\n"))
		p.link = nil
	}
	return nil
}

func (p *Plugin) Requirements() estimators.Requirements {
	needs := p.description.Requirements
	needs.Voters = true
	return needs
}

// Advantages implements Estimator. Where the plug-in gives every token an advantage of its
// own they are the means over tokens.
func (p *Plugin) Advantages(dst [][]float64, b *estimators.Batch) error {
	if err := p.closed(); err != nil {
		return err
	}
	if err := p.description.Requirements.Accept(dst, b); err != nil {
		return err
	}
	if p.description.Requirements.PerToken {
		p.tokens = estimators.NewTokenAdvantages(b)
		if err := p.TokenAdvantages(p.tokens, b); err != nil {
			return err
		}
		return estimators.TokenMeans(dst, p.tokens, b)
	}
	if err := p.ask(b, func(result []byte) error { return parseAdvantages(dst, b, result) }); err != nil {
		return err
	}
	b.ZeroVoters(dst)
	return nil
}

// TokenAdvantages implements estimators.TokenEstimator. A plug-in that gives one advantage per
// rollout is an error.
func (p *Plugin) TokenAdvantages(dst [][][]float64, b *estimators.Batch) error {
	if err := p.closed(); err != nil {
		return err
	}
	if !p.description.Requirements.PerToken {
		return fmt.Errorf("plug-in (%s): it gives one advantage per rollout", commandLine(p.Command))
	}
	if err := p.description.Requirements.AcceptTokens(dst, b); err != nil {
		return err
	}
	if err := p.ask(b, func(result []byte) error { return parseTokenAdvantages(dst, b, result) }); err != nil {
		return err
	}
	b.ZeroVoterTokens(dst)
	return nil
}

// ask sends the batch and hands the result of the answer to parse.
func (p *Plugin) ask(b *estimators.Batch, parse func(result []byte) error) error {
	needs := p.description.Requirements
	var err error
	p.fresh = false
	p.begin("advantage")
	if p.request, err = batchjson.Append(p.request, b, needs.CandidateFields, needs.RolloutFields); err != nil {
		return err
	}
	result, err := p.call()
	if err == nil {
		err = parse(result)
	}
	if err != nil {
		return p.fail(err)
	}
	return nil
}
