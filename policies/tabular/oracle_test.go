package tabular_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// A saved row is a row of parameters in a checkpoint.
type savedRow struct {
	power1, power2       float64
	delta, first, second []float64
}

// save returns the policy's checkpoint.
func save(t testing.TB, p *tabular.Policy) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// payload cuts a checkpoint into its header line and the part that the checksum covers.
func payload(t testing.TB, checkpoint []byte) (header, body []byte) {
	t.Helper()
	end := bytes.IndexByte(checkpoint, '\n') + 1
	if end == 0 || len(checkpoint) < end+sha256.Size {
		t.Fatalf("a checkpoint of %d bytes has no header and checksum", len(checkpoint))
	}
	return checkpoint[:end], checkpoint[end+sha256.Size:]
}

// rows reads a checkpoint by its documented layout, so that tests see trained
// parameters without reaching into the policy. Keys of parameters of a context
// are marked by "alone " before them.
func rows(t testing.TB, p *tabular.Policy) map[string]savedRow {
	t.Helper()
	header, rest := payload(t, save(t, p))
	word := func() uint64 {
		w := binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
		return w
	}
	text := func() string {
		n := word()
		s := string(rest[:n])
		rest = rest[n:]
		return s
	}
	floats := func(n uint64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = math.Float64frombits(word())
		}
		return out
	}
	text() // the settings
	out := map[string]savedRow{}
	list := func(prefix string) {
		for range word() {
			key, n := text(), word()
			powers := floats(2)
			out[prefix+key] = savedRow{powers[0], powers[1], floats(n), floats(n), floats(n)}
		}
	}
	list("")
	if bytes.HasSuffix(header, []byte(" 2\n")) {
		list("alone ")
	}
	if len(rest) > 0 {
		t.Fatalf("%d bytes after the last row of the checkpoint", len(rest))
	}
	return out
}

// deltas are trained parameters by checkpoint key.
type deltas map[string][]float64

func trained(t testing.TB, p *tabular.Policy) deltas {
	out := deltas{}
	for key, row := range rows(t, p) {
		out[key] = row.delta
	}
	return out
}

func (d deltas) clone() deltas {
	out := deltas{}
	for key, xs := range d {
		out[key] = slices.Clone(xs)
	}
	return out
}

// A model is the policy as the textbook has it: softmax((prior + delta) / T),
// by the standard library's functions. It shares no code with the policy.
type model struct {
	delta       deltas
	shared      bool
	temperature float64
}

// key is the name of a state's parameters in a checkpoint.
func (m model) key(g *priored, state string) string {
	if m.shared {
		return state
	}
	return g.id + "\x00" + state
}

// logp returns the log-probability of each legal token of a state.
func (m model) logp(g *priored, state string) []float64 {
	var z []float64
	for i, mv := range g.moves[state] {
		l := g.logit(state, mv.token)
		if d := m.delta[m.key(g, state)]; d != nil {
			l += d[i]
		}
		z = append(z, l/m.temperature)
	}
	top, sum := slices.Max(z), 0.0
	for _, x := range z {
		sum += math.Exp(x - top)
	}
	for i := range z {
		z[i] -= top + math.Log(sum)
	}
	return z
}

func entropy(logp []float64) float64 {
	h := 0.0
	for _, l := range logp {
		if p := math.Exp(l); p > 0 {
			h -= p * l
		}
	}
	return h
}

// kl is KL(p || q) of two rows of log-probabilities.
func kl(p, q []float64) float64 {
	sum := 0.0
	for j := range p {
		if pj := math.Exp(p[j]); pj > 0 {
			sum += pj * (p[j] - q[j])
		}
	}
	return sum
}

// nucleus keeps the smallest set of most likely tokens whose mass reaches topP,
// the lower token first among equals, and renormalises.
func nucleus(prob []float64, topP float64) []float64 {
	order := make([]int, len(prob))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return prob[order[a]] > prob[order[b]] })
	out, mass, n := make([]float64, len(prob)), 0.0, 0
	for mass < topP && n < len(order) {
		mass += prob[order[n]]
		n++
	}
	for _, i := range order[:n] {
		out[i] = prob[i] / mass
	}
	return out
}

// conditional is the distribution that the options draw from in one state.
func (m model) conditional(g *priored, state string, opt policies.SampleOptions) []float64 {
	if opt.Greedy {
		opt = policies.SampleOptions{Temperature: 1, TopP: 1, Greedy: true}
	}
	m.temperature = opt.Temperature
	prob := m.logp(g, state)
	for i := range prob {
		prob[i] = math.Exp(prob[i])
	}
	switch {
	case opt.Greedy:
		best := slices.Index(prob, slices.Max(prob))
		clear(prob)
		prob[best] = 1
	case opt.TopP < 1:
		prob = nucleus(prob, opt.TopP)
	}
	return prob
}

// answers gives the probability of every answer that has any.
func (m model) answers(g *priored, opt policies.SampleOptions) []policies.Answer {
	var out []policies.Answer
	for _, tokens := range g.answers() {
		p := 1.0
		for k, state := range g.states(tokens) {
			p *= m.conditional(g, state, opt)[g.index(state, tokens[k])]
		}
		if p > 0 {
			out = append(out, policies.Answer{Tokens: tokens, P: p})
		}
	}
	return out
}

func sgd(lr float64) policies.Optimizer { return policies.Optimizer{Name: "sgd", LR: lr} }

// plain samples at temperature 1 from everything.
func plain(parts ...uint64) policies.SampleOptions {
	key := rng.New(1).Str("test")
	for _, part := range parts {
		key = key.Int(part)
	}
	return policies.SampleOptions{Temperature: 1, TopP: 1, Key: key}
}

func sample(t testing.TB, p *tabular.Policy, problems []envs.Task, n int, opt policies.SampleOptions) []policies.Group {
	t.Helper()
	groups, err := p.Sample(problems, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// keep copies groups, which otherwise live until the next call only.
func keep(groups []policies.Group) []policies.Group {
	out := slices.Clone(groups)
	for i := range out {
		out[i].Rollouts = slices.Clone(out[i].Rollouts)
		for j, r := range out[i].Rollouts {
			out[i].Rollouts[j] = policies.Rollout{
				Number: r.Number, Tokens: slices.Clone(r.Tokens), Logp: slices.Clone(r.Logp), Entropy: slices.Clone(r.Entropy), Sampler: slices.Clone(r.Sampler),
			}
		}
	}
	return out
}

// written makes a group of answers that no policy sampled; their old
// log-probabilities are -1.
func written(problem envs.Task, answers ...[]envs.Token) policies.Group {
	g := policies.Group{Task: problem}
	for _, a := range answers {
		g.Rollouts = append(g.Rollouts, policies.Rollout{
			Tokens: a, Logp: slices.Repeat([]float64{-1}, len(a)), Entropy: make([]float64, len(a)),
		})
	}
	return g
}

// advantages are fixed numbers of both signs, and no special ones.
func advantages(groups []policies.Group, key rng.Key) [][]float64 {
	out := make([][]float64, len(groups))
	r := key.Str("advantages").Rand()
	for i := range groups {
		for range groups[i].Rollouts {
			out[i] = append(out[i], float64(2*r.Float64())-1)
		}
	}
	return out
}

// reinforce is the plainest policy loss, -A log pi, averaged over the tokens.
func reinforce(t *loss.Tokens) error {
	scale := 1 / float64(len(t.Logp))
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			t.DLogp[k] = -t.Advantage[s] * scale
			t.Loss += float64(t.DLogp[k] * t.Logp[k])
		}
	}
	return nil
}

// train makes steps of sampling and reinforce, numbered from first.
func train(t testing.TB, p *tabular.Policy, problems []envs.Task, first, steps int) {
	t.Helper()
	for step := first; step < first+steps; step++ {
		opt := plain(uint64(step))
		groups := sample(t, p, problems, 4, opt)
		_, err := p.Update(policies.Batch{
			Groups: groups, Advantages: advantages(groups, opt.Key), Loss: reinforce, Temperature: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func enumerate(t testing.TB, p *tabular.Policy, problem envs.Task, opt policies.SampleOptions) []policies.Answer {
	t.Helper()
	answers, ok, err := p.Enumerate(problem, opt, 10000)
	if err != nil || !ok {
		t.Fatalf("Enumerate: %v, %v", ok, err)
	}
	return answers
}

// sameAnswers compares two distributions over answers.
func sameAnswers(t testing.TB, got, want []policies.Answer, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d answers %v, want %d: %v", len(got), got, len(want), want)
	}
	for i := range got {
		if !slices.Equal(got[i].Tokens, want[i].Tokens) {
			t.Fatalf("answer %d is %v, want %v", i, got[i].Tokens, want[i].Tokens)
		}
		if !(math.Abs(got[i].P-want[i].P) <= tolerance) {
			t.Errorf("answer %v has probability %v, want %v", got[i].Tokens, got[i].P, want[i].P)
		}
	}
}

func wantError(t testing.TB, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("got error %v, want one that says %q", err, words)
	}
}

func asTasks[T envs.Task](problems []T) []envs.Task {
	var out []envs.Task
	for _, p := range problems {
		out = append(out, p)
	}
	return out
}
