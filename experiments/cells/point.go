package cells

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"modebench/internal/strictjson"
)

// A Point is the state of a cell between two steps.
type Point struct {
	Cell       string          `json:"cell"`                // its ID, the results version in it
	Step       int             `json:"step"`                // to be made next; its evaluation too
	Evaluated  bool            `json:"evaluated,omitempty"` // unless that was made
	Generation int             `json:"generation"`
	Endless    []int           `json:"endless"`             // numbers of prompts with too many answers to enumerate
	EndlessKL  []int           `json:"unlisted"`            // the same for the divergence, at its temperature
	Updates    *Updates        `json:"updates,omitempty"`   // if they are measured
	Drawn      int             `json:"drawn"`               // tokens of rollouts, so far
	Seconds    float64         `json:"seconds"`             // so far; it goes to the provenance, as does spent
	Spent      [4][]float64    `json:"spent"`               // seconds of timed steps, by phase
	State      []byte          `json:"state,omitempty"`     // of an estimator that remembers
	Objective  json.RawMessage `json:"objective,omitempty"` // the memory of an objective
	Sizes      pointSizes      `json:"sizes"`

	// The files of records, and the policy's checkpoint.
	Train, Eval, Pools, Policy []byte `json:"-"`
	// Lagged are the frozen policies that rollouts of coming steps are drawn by, the oldest first.
	Lagged [][]byte `json:"-"`
}

// Updates are the effects of clips and corrections in all updates so far, as sums over tokens.
type Updates struct {
	Tokens    int     `json:"tokens"`
	Clipped   int     `json:"clipped"`
	Corrected int     `json:"corrected"`
	LogRatio  float64 `json:"log_ratio"` // |log pi - log pi_old|
}

type pointSizes struct {
	Train  int   `json:"train"`
	Eval   int   `json:"eval"`
	Pools  int   `json:"pools"`
	Policy int   `json:"policy"`
	Lagged []int `json:"lagged,omitempty"`
}

type pointPart struct {
	size int
	into *[]byte
}

// pointHeader begins the file; the SHA-256 of the rest follows, then the point as a
// line of JSON, then the files of records, the policy's checkpoint and the frozen policies.
const pointHeader = "modebench unfinished cell 1\n"

// Bytes is the point as a file.
func (r *Point) Bytes() ([]byte, error) {
	r.Sizes = pointSizes{Train: len(r.Train), Eval: len(r.Eval), Pools: len(r.Pools), Policy: len(r.Policy)}
	for _, file := range r.Lagged {
		r.Sizes.Lagged = append(r.Sizes.Lagged, len(file))
	}
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	parts := append([][]byte{line, []byte("\n"), r.Train, r.Eval, r.Pools, r.Policy}, r.Lagged...)
	return sealedPoint(parts...), nil
}

// sealedPoint adds header and checksum before the rest of the file, copying a large policy once.
func sealedPoint(rest ...[]byte) []byte {
	head := [][]byte{[]byte(pointHeader), make([]byte, sha256.Size)}
	file := bytes.Join(append(head, rest...), nil)
	sum := sha256.Sum256(file[len(pointHeader)+sha256.Size:])
	copy(file[len(pointHeader):], sum[:])
	return file
}

// ParsePoint reads what Bytes wrote, strictly.
func ParsePoint(data []byte) (*Point, error) {
	rest, ok := bytes.CutPrefix(data, []byte(pointHeader))
	if !ok {
		return nil, errors.New("not an unfinished cell of this version")
	}
	if len(rest) < sha256.Size {
		return nil, errors.New("it is cut off")
	}
	if sum := sha256.Sum256(rest[sha256.Size:]); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, errors.New("it is damaged: its checksum does not match")
	}
	line, rest, _ := bytes.Cut(rest[sha256.Size:], []byte("\n"))
	r := &Point{}
	if err := strictjson.Decode(line, "", r); err != nil {
		return nil, err
	}
	for _, steps := range r.Spent { // as many in each phase
		if len(steps) != len(r.Spent[0]) {
			return nil, fmt.Errorf("spent: got %d and %d steps", len(r.Spent[0]), len(steps))
		}
	}
	parts := []pointPart{{r.Sizes.Train, &r.Train}, {r.Sizes.Eval, &r.Eval}, {r.Sizes.Pools, &r.Pools}, {r.Sizes.Policy, &r.Policy}}
	r.Lagged = make([][]byte, len(r.Sizes.Lagged))
	for i, size := range r.Sizes.Lagged {
		parts = append(parts, pointPart{size, &r.Lagged[i]})
	}
	for _, part := range parts {
		if part.size < 0 || part.size > len(rest) {
			return nil, fmt.Errorf("sizes: %+v do not fit the file", r.Sizes)
		}
		*part.into, rest = rest[:part.size], rest[part.size:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("sizes: %+v do not fit the file", r.Sizes)
	}
	return r, nil
}
