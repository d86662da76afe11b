// Package batcharrays reads and writes batches of judged rollouts as arrays: a header of one line
// of JSON, and behind it the numbers as bytes. It holds the same facts as package batchjson, for a
// program that keeps its batch in arrays and asks often: `bench estimate --arrays`.
package batcharrays

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/input"
	"modebench/internal/strictjson"
)

// Bounds of one message, so that bytes that are no message are an error and no allocation.
const (
	MaxHeader  = 64 << 20 // bytes of the header's line
	MaxEntries = 1 << 28  // entries of one array, and rollouts of a batch
)

// A header is the line that begins a message.
type header struct {
	Seed       uint64  `json:"seed"`
	Step       int     `json:"step"`
	Sizes      []int   `json:"sizes"`      // rollouts of each group
	Candidates int     `json:"candidates"` // of each rollout; 0: one
	Arrays     []array `json:"arrays"`
}

// An array is one field of the batch document. Its rows are the candidates, the rollouts, the
// groups or the tokens, in the batch's order.
type array struct {
	Name  string    `json:"name"`
	Shape []int     `json:"shape"` // of numbers, which follow the header as bytes
	Texts []*string `json:"texts"` // of a field of texts; null: none
}

// Read reads one batch. io.EOF means that the input ended before a header.
//
// The header's "arrays" name fields of the batch document, each with its "shape", and the
// bytes of the arrays follow in that order, little-endian and without gaps:
//
//	candidates  reward float64 (C, d); correct, valid uint8 (C); embedding float32 (C, e),
//	            where a row of zeros means no embedding; mode, answer, variant: texts, or int32 (C),
//	            each its own name, below 0 absent
//	rollouts    tokens int32 (R); logprob, entropy float64 (R); train uint8 (R); final: as answer
//	groups      greedy float64 (G); weights float64 (d) or (G, d); problem: texts
//	tokens      token_logprobs, token_entropies, token_ref_logprobs, token_squares float64 (T)
//
// C is R times "candidates", R the sum of "sizes", G their number, and T the sum of tokens,
// which are named before. A field of texts has them in the header, as "texts", one a row.
// "weights" is by default the uniform w*, "train" 1, "problem" the number of the group.
//
// After an error of the header the input cannot be read on; after any other error it can: such
// a one is a *BatchError.
func Read(r *bufio.Reader) (*estimators.Batch, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	var h header
	if err := strictjson.CheckSyntax(line); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := strictjson.Decode(line, "", &h); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	raws := make([][]byte, len(h.Arrays))
	for i, a := range h.Arrays {
		f, ok := fields[a.Name]
		if !ok {
			return nil, fmt.Errorf("header: there is no array %q", a.Name)
		}
		if raws[i], err = a.bytes(r, f.width); err != nil {
			return nil, fmt.Errorf("array %q: %w", a.Name, err)
		}
	}
	b, err := h.batch(raws)
	if err != nil {
		return nil, &BatchError{err}
	}
	return b, nil
}

// A BatchError is a mistake in a batch that was read whole: the next can be read.
type BatchError struct{ Err error }

func (e *BatchError) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *BatchError) Unwrap() error { return e.Err }

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case len(line) > MaxHeader:
			return nil, fmt.Errorf("header: more than %d bytes without an end of line", MaxHeader)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, errors.New("header: the input ends in it")
		default:
			return nil, err
		}
	}
}

func (a *array) entries() (int, error) {
	if a.Texts != nil || len(a.Shape) == 0 {
		return 0, nil
	}
	n := 1
	for _, d := range a.Shape {
		if d < 0 || d > 0 && n > MaxEntries/d {
			return 0, fmt.Errorf("shape %v: want at most %d entries", a.Shape, MaxEntries)
		}
		n *= d
	}
	return n, nil
}

// bytes reads the numbers of an array, in pieces, so that a false shape takes no memory.
func (a *array) bytes(r io.Reader, width int) ([]byte, error) {
	n, err := a.entries()
	if err != nil || n == 0 {
		return nil, err
	}
	var b bytes.Buffer
	if n*width <= 1<<20 {
		b.Grow(n * width)
	}
	got, err := io.CopyN(&b, r, int64(n*width))
	if err != nil {
		return nil, fmt.Errorf("the input ends after %d of its %d bytes", got, n*width)
	}
	return b.Bytes(), nil
}

func (h *header) batch(raws [][]byte) (*estimators.Batch, error) {
	b := &builder{Batch: &estimators.Batch{Seed: h.Seed, Step: h.Step, Missing: map[string]string{}}}
	if err := b.lay(h); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for i, a := range h.Arrays {
		if found[a.Name] {
			return nil, fmt.Errorf("array %q is listed twice", a.Name)
		}
		found[a.Name] = true
		f := fields[a.Name]
		if err := f.fill(b, &values{array: a, raw: raws[i]}); err != nil {
			return nil, fmt.Errorf("array %q: %w", a.Name, err)
		}
		b.CandidateFields |= f.required
		b.RolloutFields |= f.known
	}
	for name, f := range fields {
		if (f.required != 0 || f.known != 0) && !found[name] {
			b.Missing[name] = "the array " + strconv.Quote(name)
		}
	}
	return b.Batch, b.finish()
}

// A builder lays out a batch and fills it.
type builder struct {
	*estimators.Batch
	rollouts   []*estimators.Rollout
	candidates []*envs.Verdict
}

// lay makes the groups, rollouts and candidates of a batch, with nothing in them.
func (b *builder) lay(h *header) error {
	if len(h.Sizes) == 0 {
		return errors.New("sizes: missing or empty, want the number of rollouts of each group")
	}
	per := max(1, h.Candidates)
	if h.Candidates < 0 || per > envs.MaxChain {
		return fmt.Errorf("candidates is %d, want 1 to %d", h.Candidates, envs.MaxChain)
	}
	total := 0
	for g, n := range h.Sizes {
		if n < 1 || n > MaxEntries/per || total > MaxEntries/per-n {
			return fmt.Errorf("sizes[%d] is %d: want at least one rollout in each group, and at most %d candidates", g, n, MaxEntries)
		}
		total += n
	}
	// A header of a few bytes may not ask for more memory than the data behind it fill.
	if !h.backed(total * per) {
		return fmt.Errorf("sizes and candidates ask for %d candidates, and no array has a row for each", total*per)
	}
	verdicts := make([]envs.Verdict, total*per)
	pointers := make([]*envs.Verdict, total*per)
	for i := range verdicts {
		pointers[i] = &verdicts[i]
	}
	rollouts := make([]estimators.Rollout, total)
	b.Groups = make([]estimators.Group, len(h.Sizes))
	first := 0
	for g, n := range h.Sizes {
		b.Groups[g] = estimators.Group{Problem: strconv.Itoa(g), Rollouts: rollouts[first : first+n : first+n]}
		first += n
	}
	for i := range rollouts {
		rollouts[i] = estimators.Rollout{Train: true, Candidates: pointers[i*per : (i+1)*per : (i+1)*per]}
		b.rollouts = append(b.rollouts, &rollouts[i])
	}
	b.candidates = pointers
	return nil
}

// backed reports whether some array, already read, has that many texts, or numbers in as many rows.
func (h *header) backed(rows int) bool {
	for _, a := range h.Arrays {
		n, err := a.entries()
		if len(a.Texts) == rows || err == nil && n >= rows && a.Shape[0] == rows {
			return true
		}
	}
	return false
}

// finish fills in the uniform w* and holds the reward vectors against the weights.
func (b *builder) finish() error {
	d := len(b.candidates[0].Reward)
	if b.Weights == nil && d > 0 {
		b.Weights = envs.UniformWeights(d)
	}
	for g := range b.Groups {
		weights := b.Groups[g].Scalarisation(b.Batch)
		if d > 0 && len(weights) != d {
			return fmt.Errorf("array \"weights\": %d for each reward, which has %d components", len(weights), d)
		}
	}
	return nil
}

// Append writes the advantages of a batch: the line {"advantages":N} and N float64,
// little-endian, one a rollout in the batch's order.
func Append(dst []byte, advantages [][]float64) []byte {
	return appendNumbers(dst, "advantages", slices.Concat(advantages...))
}

// AppendTokens is Append for one advantage a token, as {"tokens":N}, rollout behind rollout.
func AppendTokens(dst []byte, advantages [][][]float64) []byte {
	return appendNumbers(dst, "tokens", slices.Concat(slices.Concat(advantages...)...))
}

func appendNumbers(dst []byte, name string, numbers []float64) []byte {
	dst = fmt.Appendf(dst, "{%q:%d}\n", name, len(numbers))
	for _, x := range numbers {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// appendText writes a line of a text: {"error":"..."} in place of advantages, {"note":"..."} before them.
func appendText(dst []byte, name, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		quoted = []byte(`""`) // a text always has a form in JSON
	}
	return fmt.Appendf(dst, "{%q:%s}\n", name, quoted)
}

// Answer answers batches of arrays by a method's advantages until the input ends. A mistake in a batch
// is the answer to it, and ends nothing. An input that cannot be read on is an input.Error.
func Answer(out io.Writer, in io.Reader, m *estimators.Instance) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	var answer []byte
	noted := false // the note of small groups is written once
	for {
		batch, err := Read(buffered)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !input.Is[*BatchError](err) {
			return &input.Error{Err: err}
		}
		note := ""
		answer = answer[:0]
		if err == nil {
			if !noted {
				note = m.Idle(batch)
			}
			if note != "" {
				answer = appendText(answer, "note", note)
			}
			answer, err = appendAdvantages(answer, m, batch)
		}
		if err != nil {
			answer = appendText(answer[:0], "error", err.Error())
		} else {
			noted = noted || note != ""
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

func appendAdvantages(answer []byte, m *estimators.Instance, batch *estimators.Batch) ([]byte, error) {
	if m.PerToken() {
		found, err := m.AllTokenAdvantages(batch)
		if err != nil {
			return answer, err
		}
		return AppendTokens(answer, found), nil
	}
	found, err := m.RolloutAdvantages(batch)
	if err != nil {
		return answer, err
	}
	return Append(answer, found), nil
}
