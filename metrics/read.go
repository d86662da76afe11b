package metrics

import (
	"encoding/json"
	"fmt"
	"io"

	"modebench/envs"
	"modebench/internal/strictjson"
)

// documentJSON and problemJSON are the document one level at a time: deeper levels stay raw, so
// that an error can name the path it happened at. Numbers are pointers because encoding/json
// reads null as 0 otherwise.
type documentJSON struct {
	K        []int             `json:"k"`
	Weights  []*float64        `json:"weights"`
	Problems []json.RawMessage `json:"problems"`
}

type problemJSON struct {
	ID     string              `json:"id"`
	Modes  *int                `json:"modes"`
	Front  [][]*float64        `json:"front"`
	Chains [][]json.RawMessage `json:"chains"`
	Named  []*int              `json:"named"`
}

// ReadDocument reads one pool document, strictly: unknown fields, anything after the document, a k
// below 1, listed twice or above the number of a problem's candidates, rewards or front vectors of
// another length than weights, weights missing where a reward is given, a front vector that another
// one equals or dominates, no problems, no chains, chains without candidates or of several lengths
// within a problem, a list of named answers of another length than the chains or with a number
// beyond their candidates, a negative number of modes, and numbers that are null or not finite are
// errors.
//
// An error is one line. It begins with line:column (in characters, from 1)
// where the text is not JSON, and with the path elsewhere:
//
//	problems[2].chains[0][0].reward: 2 entries, want 3 (one per weight)
func ReadDocument(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var raw documentJSON
	if err := strictjson.CheckSyntax(data); err != nil {
		return nil, err
	}
	if err := strictjson.Decode(data, "", &raw); err != nil {
		return nil, err
	}
	d := &Document{K: raw.K}
	if d.Weights, err = strictjson.Numbers(raw.Weights, "weights"); err != nil {
		return nil, err
	}
	for i, message := range raw.Problems {
		problem, err := readProblem(message, fmt.Sprintf("problems[%d]", i))
		if err != nil {
			return nil, err
		}
		d.Problems = append(d.Problems, problem)
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	return d, nil
}

func readProblem(data []byte, path string) (Problem, error) {
	var raw problemJSON
	if err := strictjson.Decode(data, path, &raw); err != nil {
		return Problem{}, err
	}
	p := Problem{ID: raw.ID, Modes: -1}
	if raw.Modes != nil {
		if *raw.Modes < 0 {
			return Problem{}, fmt.Errorf("%s.modes: %d, want a count, or no field if it is not known", path, *raw.Modes)
		}
		p.Modes = *raw.Modes
	}
	for i, r := range raw.Front {
		vector, err := strictjson.Numbers(r, fmt.Sprintf("%s.front[%d]", path, i))
		if err != nil {
			return Problem{}, err
		}
		p.Front = append(p.Front, vector)
	}
	for i, messages := range raw.Chains {
		chain := make([]envs.Candidate, len(messages))
		for j, message := range messages {
			location := fmt.Sprintf("%s.chains[%d][%d]", path, i, j)
			if err := chain[j].Decode(message, location); err != nil {
				return Problem{}, err
			}
		}
		p.Chains = append(p.Chains, chain)
	}
	if raw.Named != nil {
		p.Named = make([]int, 0, len(raw.Named))
	}
	for i, named := range raw.Named {
		if named == nil {
			return Problem{}, fmt.Errorf("%s.named[%d]: got null, want a number", path, i)
		}
		p.Named = append(p.Named, *named)
	}
	return p, nil
}
