package metrics

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"modebench/envs"
	"modebench/internal/strictjson"
)

// A Document is the pool document: judged answers from
// anywhere, with the ground truth of their problems, if it is known. In JSON:
//
//	{"k": [1, 2, 4], "weights": [w, ...],
//	 "problems": [{"id": "p0", "modes": 12, "front": [[r, ...], ...],
//	               "chains": [[candidate, ...], ...], "named": [0, ...]}]}
//
// A candidate is an envs.Candidate. "weights" may be left out where no candidate has a reward; "k",
// "id", "modes", "front" and "named" may always be. The chains of a problem are of one length;
// those of another may have another. "named" is the candidate that each chain names as its final
// answer, from 1, or 0 for none (envs.FinalVerdict). Chains that may name one may also stop early:
// where "named" is given, a chain that is shorter than the longest of the problem is filled up with
// answers that do not parse (envs.Chain.JudgeAll).
type Document struct {
	K        []int     // the k of pass@k and so on, without repetition
	Weights  []float64 // w, one entry per reward component
	Problems []Problem // at least one
}

// A Problem is the pool of one problem in a document.
type Problem struct {
	ID    string
	Modes int         // modes of correct answers that exist; -1 when absent
	Front [][]float64 // exact Pareto front in reward space; nil when absent
	// Chains holds the rollouts in draw order, each with its candidates; all of a
	// problem have the same number of them, or, with Named, as many at most as the longest.
	Chains [][]envs.Candidate
	Named  []int // the candidate that each chain names as final, from 1; nil or 0: none
}

// measured lists the candidate fields that the metrics read.
var measured = []envs.Fields{envs.HasReward, envs.HasCorrect, envs.HasMode, envs.HasVariant, envs.HasAnswer, envs.HasEmbedding}

// lackable lists the fields that a degenerate candidate may lack: it then has no such value, as
// if they were null. Without an answer it abstains.
const lackable = envs.HasVariant | envs.HasAnswer | envs.HasEmbedding

// Metrics returns the metrics of the pools, averaged over problems, in the order
// of Table.Values, with DefaultDraws of Scalarisations and DefaultDelta. A metric is left out if no candidate carries the fields that it reads (Metric.Reads). The
// metrics of rollouts are given as soon as some problem has chains of several candidates.
//
// Errors name the path in the document. Besides the ones of ReadDocument (a document built in Go is
// checked here) these are a field that only some candidates carry, and those of Table.Add.
func (d *Document) Metrics() ([]Value, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	have, err := d.fields()
	if err != nil {
		return nil, err
	}
	o := Options{Weights: d.Weights, K: d.K, Variants: have&envs.HasVariant != 0, Answers: have&envs.HasAnswer != 0,
		Measure: d.groups(have), Delta: DefaultDelta}
	if len(d.Weights) > 1 && have&envs.HasReward != 0 {
		o.Draws = Scalarisations(len(d.Weights), DefaultDraws)
	}
	t := newTable(o, have)
	for i, problem := range d.Problems {
		pool, m := Pool{Modes: problem.Modes, Front: problem.Front, Named: problem.Named, Chains: make([][]*envs.Verdict, len(problem.Chains))}, problem.longest()
		for j, chain := range problem.Chains {
			for c := range chain {
				pool.Chains[j] = append(pool.Chains[j], &chain[c].Verdict)
			}
			for len(pool.Chains[j]) < m {
				pool.Chains[j] = append(pool.Chains[j], &envs.Verdict{Reward: make([]float64, len(d.Weights)), Err: errStopped})
			}
		}
		if err := t.Add(pool); err != nil {
			return nil, fmt.Errorf("problems[%d]: %w", i, err)
		}
	}
	return t.Values(), nil
}

// errStopped is why an answer that a chain does not have does not parse.
var errStopped = errors.New("the chain stopped before it")

// longest is the number of candidates of the problem's longest chain.
func (p *Problem) longest() int {
	n := 0
	for _, chain := range p.Chains {
		n = max(n, len(chain))
	}
	return n
}

// groups returns the groups of metrics that the candidates have fields for.
func (d *Document) groups(have envs.Fields) []string {
	var groups []string
	if have&(envs.HasCorrect|envs.HasAnswer) == envs.HasCorrect|envs.HasAnswer {
		groups = append(groups, MeasureVotes)
	}
	if slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.longest() > 1 }) {
		groups = append(groups, MeasureRollouts)
	}
	if have&envs.HasEmbedding != 0 {
		groups = append(groups, MeasureEmbeddings)
	}
	return groups
}

// fields returns those of measured that every candidate carries, or an error if
// only some carry one.
func (d *Document) fields() (envs.Fields, error) {
	var have envs.Fields
	for _, field := range measured {
		found, lacking := "", ""
		for i, problem := range d.Problems {
			for j, chain := range problem.Chains {
				for c := range chain {
					switch {
					case field&lackable != 0 && chain[c].Has&field == 0 && degenerate(&chain[c]):
						// has no value
					case chain[c].Has&field == 0 && lacking == "":
						lacking = candidatePath(i, j, c)
					case chain[c].Has&field != 0 && found == "":
						found = candidatePath(i, j, c)
					}
				}
			}
		}
		if found != "" && lacking != "" {
			return 0, fmt.Errorf("%s.%s: missing, but %s has it", lacking, field.Names()[0], found)
		}
		if found != "" {
			have |= field
		}
	}
	return have, nil
}

// degenerate reports whether a candidate is known to have no strategy.
func degenerate(c *envs.Candidate) bool {
	return c.Has&envs.HasValid != 0 && c.Err != nil || c.Has&envs.HasMode != 0 && c.Mode == envs.Degenerate
}

func candidatePath(problem, chain, candidate int) string {
	return fmt.Sprintf("problems[%d].chains[%d][%d]", problem, chain, candidate)
}

// validate checks what holds for every document, whoever built it.
func (d *Document) validate() error {
	if err := checkKs(d.K); err != nil {
		return err
	}
	if len(d.Problems) == 0 {
		return fmt.Errorf("problems: none, want at least 1")
	}
	for i, problem := range d.Problems {
		if err := d.validateProblem(i, problem); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) validateProblem(i int, problem Problem) error {
	if len(problem.Front) > 0 && len(d.Weights) == 0 {
		return fmt.Errorf("weights: missing, but problems[%d] has a front", i)
	}
	if err := cmp.Or(problem.check(), checkFront(problem.Front, d.Weights)); err != nil {
		return fmt.Errorf("problems[%d].%w", i, err)
	}
	var ids envs.OneProblem
	for j, chain := range problem.Chains {
		for c := range chain {
			if err := d.validateReward(&chain[c], candidatePath(i, j, c)); err != nil {
				return err
			}
			if err := ids.Add(&chain[c], candidatePath(i, j, c)); err != nil {
				return err
			}
		}
	}
	for j, k := range d.K {
		if n := problem.longest() * len(problem.Chains); k > n {
			return fmt.Errorf("k[%d]: %d, but problems[%d] has %d candidates; no estimator is unbiased for more", j, k, i, n)
		}
	}
	return nil
}

// check returns the first fault of the numbers of modes, chains and candidates.
func (p *Problem) check() error {
	if p.Modes < -1 {
		return fmt.Errorf("modes: %d, want a count", p.Modes)
	}
	if len(p.Chains) == 0 {
		return errors.New("chains: none, want at least 1")
	}
	for j, chain := range p.Chains {
		switch {
		case len(chain) == 0:
			return fmt.Errorf("chains[%d]: empty, want at least 1 candidate", j)
		case p.Named == nil && len(chain) != len(p.Chains[0]):
			return fmt.Errorf("chains[%d]: %d candidates, want %d as in chains[0]", j, len(chain), len(p.Chains[0]))
		}
	}
	if p.Named != nil && len(p.Named) != len(p.Chains) {
		return fmt.Errorf("named: %d entries, want %d (one per chain)", len(p.Named), len(p.Chains))
	}
	for j, named := range p.Named {
		if given := len(p.Chains[j]); named < 0 || named > given {
			return fmt.Errorf("named[%d]: %d, want the number of a candidate, 1 to %d, or 0 for none", j, named, given)
		}
	}
	return nil
}

func (d *Document) validateReward(c *envs.Candidate, path string) error {
	switch {
	case c.Has&envs.HasReward == 0:
		return nil
	case len(d.Weights) == 0:
		return fmt.Errorf("weights: missing, but %s has a reward", path)
	case len(c.Reward) != len(d.Weights):
		return fmt.Errorf("%s.%w", path, errRewardLength(len(c.Reward), len(d.Weights)))
	}
	return nil
}

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
