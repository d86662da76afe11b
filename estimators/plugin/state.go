package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"modebench/estimators"
)

// A program that declares it in its hello has a state: one value of JSON, which it gives after
// each step and takes back if a cell is continued. null is the state before any batch.

const mostState = 16 << 20

// Remembers implements Stateful, from the hello.
func (p *Plugin) Remembers() bool { return p.description.State }

// Remember implements Stateful: it asks the program for its state, which Save then gives.
// The program itself has seen the batch.
func (p *Plugin) Remember(*estimators.Batch) error {
	if err := p.closed(); err != nil {
		return err
	}
	p.begin("save")
	p.request = append(p.request, "{}"...)
	line, err := p.send()
	if err == nil {
		p.state, err = parseState(line, p.id)
	}
	if err != nil {
		return p.fail(fmt.Errorf("save: %w", err))
	}
	return nil
}

func (p *Plugin) Save(w io.Writer) error {
	_, err := w.Write(p.state)
	return err
}

// Load implements Stateful. A program that has seen nothing is not told to forget.
func (p *Plugin) Load(r io.Reader) error {
	if err := p.closed(); err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if len(text) == 0 && p.fresh {
		return nil
	}
	p.begin("load")
	p.request = append(p.request, `{"state":`...)
	if p.request, err = appendState(p.request, text); err != nil {
		return p.fail(fmt.Errorf("load: %w", err))
	}
	p.request = append(p.request, '}')
	result, err := p.call()
	if err == nil {
		if ok, wrong := object(result, nil); !ok || wrong != nil {
			err = fmt.Errorf("result: got %s, want {}", clip(string(result), 40))
		}
	}
	if err != nil {
		return p.fail(fmt.Errorf("load: %w", err))
	}
	p.state, p.fresh = text, len(text) == 0
	return nil
}

func appendState(dst, text []byte) ([]byte, error) {
	if len(text) == 0 {
		return append(dst, "null"...), nil
	}
	line := bytes.NewBuffer(dst)
	if err := json.Compact(line, text); err != nil {
		return nil, fmt.Errorf("the state that was kept is damaged: %w", err)
	}
	return line.Bytes(), nil
}

// parseState takes the state out of a line that should answer request id; nil: it is null.
func parseState(line []byte, id int) ([]byte, error) {
	result, err := parseReply(line, id)
	if err != nil {
		return nil, err
	}
	if !json.Valid(line) {
		return nil, errors.New("the state has a number that is not finite, which cannot be kept")
	}
	var state json.RawMessage
	ok, wrong := object(result, []string{"state"}, &state)
	switch {
	case !ok:
		return nil, fmt.Errorf("result: got %s, want an object with state", clip(string(result), 40))
	case wrong != nil:
		return nil, fmt.Errorf("result: %w", wrong)
	case state == nil:
		return nil, errors.New("result.state is missing, want one value of JSON")
	case len(state) > mostState:
		return nil, fmt.Errorf("the state has %d bytes, want at most %d", len(state), mostState)
	case string(state) == "null":
		return nil, nil
	}
	return state, nil
}
