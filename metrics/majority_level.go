package metrics

import "slices"

// majorityWork bounds the work of one majority at one k, counted in products: about a tenth of a
// second. The count does not depend on the machine, so neither does which metrics are left out.
const majorityWork = 1 << 27

// negligible bounds the probability of the cases that an election leaves out.
const negligible = 1e-20

// fewVotes is the most votes of a class whose distribution is not examined by itself: such
// a class counts as alive at every number of votes that it can reach.
const fewVotes = 16

// An election computes maj@k and majority_share@k of ballots at one k. With X_a the
// votes for answer a among the k, it sums over the winning count m, from above:
//
//	P(max X = m)  and  E[share of the correct among the answers with m; max X = m]
//
// For m > k/2 there is one winner, and P(X_a = m) is all there is to it. Below, the
// answers that can reach m matter ("alive"); all others together are one number of
// votes, without bound, and so are those that abstain. The distribution of the votes
// for the alive ones, none above m, is a product of truncated polynomials in x (its
// powers count votes) and y (its powers count answers with m votes exactly).
//
// All terms are positive, so nothing cancels. Cases with a total probability below negligible
// are left out: that an answer reaches an m far above its expectation, and that all answers
// stay below a low m. An election reuses its memory for the next ballot.
type election struct {
	k    int
	work int

	reach []int     // by class: the highest count, at most k/2, at which it may matter
	upTo  []float64 // by m: a bound of the probability that no class has more than m
	row   []float64

	rows    [][]float64 // of each class, up to k/2 votes; nil until wanted
	rest    []float64   // of all that are not alive, up to k votes
	alive   []int
	aliveAt int // len(alive) that rest is of; -1 before the first
	alone   single
	cached  int                // the pool size that the next two are for
	rowsOf  byVotes[[]float64] // binomial rows
	singles byVotes[*single]

	current, next *layers
	under         []float64
}

// hold returns the metrics of a ballot; ok is false if they take more than majorityWork.
func (e *election) hold(b *ballot) (maj, share float64, ok bool) {
	if b.n == e.k {
		maj, share = b.count()
		return maj, share, true
	}
	if len(b.classes) == 0 {
		return 0, 0, true
	}
	if e.prepare(b); e.work > majorityWork {
		return 0, 0, false
	}
	maj, highest := e.outright(b)
	top := slices.Max(e.reach)
	var whole float64 // the probability that the votes add up to k, which everything below is conditional on
	if top > 0 {
		whole = e.whole(b)
	}
	for m := top; m >= 1 && e.upTo[m] > negligible && e.suffices(b, m); m-- {
		win, tied, ok := e.level(b, m)
		if !ok {
			return 0, 0, false
		}
		maj += win / whole
		highest += float64(float64(m) * (tied / whole))
	}
	return min(1, maj), min(1, highest/float64(e.k)), true
}

// prepare empties the election for a ballot.
func (e *election) prepare(b *ballot) {
	e.work = len(b.classes) * (e.k + 1)
	if e.work > majorityWork {
		return
	}
	if e.current == nil {
		e.current, e.next = new(layers), new(layers)
	}
	if b.n > 0 && (b.n != e.cached || b.n > cacheLimit) {
		e.rowsOf, e.singles, e.cached = newByVotes[[]float64](b.n), newByVotes[*single](b.n), b.n
	}
	e.aliveAt = -1
	for len(e.rows) < len(b.classes) {
		e.rows, e.reach = append(e.rows, nil), append(e.reach, 0)
	}
	e.rows, e.reach = e.rows[:len(b.classes)], e.reach[:len(b.classes)]
	clear(e.rows)
	e.upTo = grow(e.upTo, e.k/2+1)
	for m := range e.upTo {
		e.upTo[m] = 1
	}
}

// outright returns what the cases with a winner of more than k/2 votes contribute to
// maj and to the expected highest count. It looks at each class by itself, and finds
// out how far it has to be looked at together with others.
func (e *election) outright(b *ballot) (maj, highest float64) {
	for i, class := range b.classes {
		s := e.single(b, i)
		e.reach[i] = s.reach
		maj += float64(class.right * s.won)
		highest += s.expected
		for m, below := range s.upTo {
			e.upTo[m] *= below
		}
	}
	return maj, highest
}

// A single describes the votes for one answer, whatever the others get.
type single struct {
	won      float64   // probability of more than k/2 votes
	expected float64   // the same, each case times its votes
	reach    int       // highest count, at most k/2, that does not count as impossible
	upTo     []float64 // probability of at most m votes, by m up to k/2; empty: not worth a look
}

// single describes a class by itself. For small pools it caches the result.
func (e *election) single(b *ballot, class int) *single {
	if b.n == 0 || b.n > cacheLimit {
		e.look(&e.alone, b, class)
		return &e.alone
	}
	votes := int(b.classes[class].votes)
	s := e.singles.get(votes)
	if s == nil {
		s = new(single)
		e.look(s, b, class)
		e.singles.set(votes, s)
	}
	return s
}

// look fills s for a class.
func (e *election) look(s *single, b *ballot, class int) {
	top, votes, share := b.cap(class, e.k), b.classes[class].votes, b.classes[class].votes/b.total
	*s = single{reach: min(top, e.k/2), upTo: s.upTo[:0]}
	if top <= e.k/2 && top <= fewVotes {
		return
	}
	e.row = grow(e.row, top+1)
	if b.n > 0 {
		hypergeometric(e.row, b.n, int(votes), e.k)
	} else if otherVotes := b.total - votes; otherVotes > 0 {
		binomial(e.row, e.k, votes/otherVotes)
	} else {
		clear(e.row)
		e.row[e.k] = 1
	}
	j := top
	for ; 2*j > e.k; j-- {
		s.won += e.row[j]
		s.expected += float64(float64(j) * e.row[j])
	}
	// excess is the expected number of votes above j-1: the sum over m >= j of the
	// chances that the class reaches m. There are at most n classes in a pool.
	least := negligible * min(1, float64(e.k)*share) / float64(max(b.n, len(b.classes)))
	tail := s.won
	excess := s.expected - float64(float64(j)*s.won)
	for ; j >= 1; j-- {
		tail += e.row[j]
		if excess += tail; excess > least {
			break
		}
	}
	s.reach = j
	below := 0.0
	for m := range min(e.k/2+1, top) {
		below += e.row[m]
		s.upTo = append(s.upTo, min(1, below))
	}
}

// suffices reports whether k votes can be cast without any answer getting more than m.
func (e *election) suffices(b *ballot, m int) bool {
	if b.n == 0 {
		return b.abstained > 0 || len(b.classes) >= (e.k+m-1)/m
	}
	room := int(b.abstained)
	for i := range b.classes {
		room += min(m, b.cap(i, e.k))
	}
	return room >= e.k
}

// whole is the probability that independent votes add up to k.
func (e *election) whole(b *ballot) float64 {
	if b.n > 0 {
		return e.binomialRow(b.n)[e.k]
	}
	e.row = grow(e.row, e.k+1)
	poisson(e.row, float64(e.k))
	return e.row[e.k]
}

// binomialRow is the row of the number of rollouts drawn among c of a pool, where each is
// drawn with a probability of k/n.
func (e *election) binomialRow(c int) []float64 {
	row := e.rowsOf.get(c)
	if row == nil {
		row = make([]float64, min(c, e.k)+1)
		binomial(row, c, float64(e.k)/float64(e.cached-e.k))
		e.rowsOf.set(c, row)
	}
	return row
}

// classRow is the row of a class, at least up to k/2 votes.
func (e *election) classRow(b *ballot, class int) []float64 {
	if e.rows[class] == nil {
		votes := b.classes[class].votes
		if b.n > 0 {
			e.rows[class] = e.binomialRow(int(votes))
		} else {
			row := make([]float64, e.k/2+1)
			poisson(row, float64(e.k)*votes/b.total)
			e.rows[class] = row
		}
	}
	return e.rows[class]
}

// gather finds the classes that may reach m, and the row of all others.
func (e *election) gather(b *ballot, m int) (room int) {
	e.alive = e.alive[:0]
	rest := b.abstained
	for i, reach := range e.reach {
		if reach >= m {
			e.alive = append(e.alive, i)
		} else {
			rest += b.classes[i].votes
		}
	}
	room = e.k
	if b.n > 0 {
		room = min(room, int(rest))
	} else if rest == 0 {
		room = 0
	}
	if e.aliveAt == len(e.alive) { // as m falls, classes are only added
		return room
	}
	e.aliveAt = len(e.alive)
	if b.n > 0 {
		e.rest = e.binomialRow(int(rest))
		return room
	}
	e.rest = make([]float64, room+1)
	poisson(e.rest, float64(e.k)*rest/b.total)
	return room
}

// level returns the probability that the highest count is m and the votes add up to k (tied), and
// the expectation over those cases of the share of correct answers among those with m votes (win).
func (e *election) level(b *ballot, m int) (win, tied float64, ok bool) {
	room := e.gather(b, m)
	e.work += len(b.classes)
	if m == 1 {
		win, tied = e.singly(b)
		return win, tied, e.work <= majorityWork
	}
	last := len(e.alive) - 1
	ties := min(last, e.k/m) // ties before the last class
	if e.work += 4 * (ties + 1) * (e.k + 1); e.work > majorityWork {
		return 0, 0, false
	}
	e.current.reset(e.k, m, ties)
	e.next.reset(e.k, m, ties)
	for i, class := range e.alive[:last] {
		// The remaining classes, the last one included, cannot make up for fewer votes.
		need := e.k - room - m*(last-i)
		e.work += e.next.multiply(e.current, e.classRow(b, class), b.classes[class].right, need)
		if e.work > majorityWork {
			return 0, 0, false
		}
		e.current, e.next = e.next, e.current
	}
	win, tied = e.close(e.classRow(b, e.alive[last]), b.classes[e.alive[last]].right, m)
	return win, tied, true
}

// singly is level for m = 1, where as many answers tie as votes are cast: powers of x
// and y are the same, and one row holds all layers.
func (e *election) singly(b *ballot) (win, tied float64) {
	top := min(e.k, len(e.alive))
	p, w := zeros(e.current.p, top+1), zeros(e.current.w, top+1)
	e.current.p, e.current.w = p, w
	p[0] = 1
	for i, class := range e.alive {
		row, right := e.classRow(b, class), b.classes[class].right
		for t := min(i+1, top); t >= 1; t-- {
			w[t] = float64(w[t]*row[0]) + float64((w[t-1]+float64(right*p[t-1]))*row[1])
			p[t] = float64(p[t]*row[0]) + float64(p[t-1]*row[1])
		}
		p[0] *= row[0]
	}
	e.work += 4 * len(e.alive) * top
	for t := max(1, e.k-len(e.rest)+1); t <= top; t++ {
		tied += float64(p[t] * e.rest[e.k-t])
		win += float64(w[t]*e.rest[e.k-t]) / float64(t)
	}
	return win, tied
}

// close multiplies the layers with the last class and the rest, as far as the cases
// with k votes go.
func (e *election) close(row []float64, right float64, m int) (win, tied float64) {
	layers := e.current
	if layers.ties() > 0 {
		// If no class so far has m votes, the last one needs them.
		low, _ := layers.window(1)
		_, high := layers.window(layers.ties())
		e.fold(row[:m], e.k-high, e.k-low)
	}
	for t := 0; t <= layers.ties(); t++ {
		low, high := layers.window(t)
		p, w := layers.plain(t), layers.weighted(t)
		var under, equalWin float64
		if t > 0 {
			under = paired(p, e.under, e.k, low, high)
		}
		first, last := max(low, e.k-m-len(e.rest)+1), min(high, e.k-m)
		equal := paired(p, e.rest, e.k-m, first, last)
		if w != nil && t > 0 {
			equalWin = paired(w, e.rest, e.k-m, first, last)
			win += paired(w, e.under, e.k, low, high) / float64(t)
		}
		tied += under + float64(equal*row[m])
		win += float64((equalWin+float64(right*equal))*row[m]) / float64(t+1)
		e.work += 2 * (high - low + 1)
	}
	return win, tied
}

// paired is the sum of p[d]*q[k-d] for d from low to high.
func paired(p, q []float64, k, low, high int) (sum float64) {
	for d := low; d <= high; d++ {
		sum += float64(p[d] * q[k-d])
	}
	return sum
}

// fold fills under from low to high with the distribution of the votes of a class, given
// by its row, and the rest together.
func (e *election) fold(row []float64, low, high int) {
	e.under = grow(e.under, e.k+1)
	if low > high {
		return
	}
	clear(e.under[low : high+1])
	for j, p := range row {
		for d := max(low, j); d <= min(high, j+len(e.rest)-1); d++ {
			e.under[d] += float64(p * e.rest[d-j])
		}
	}
	e.work += len(row) * (high - low + 1)
}

// electionAt returns the i-th election of a list as an election at k, and extends the list
// if it is shorter.
func electionAt(held *[]election, i, k int) *election {
	for len(*held) <= i {
		*held = append(*held, election{})
	}
	e := &(*held)[i]
	if e.k != k {
		*e = election{k: k}
	}
	return e
}
