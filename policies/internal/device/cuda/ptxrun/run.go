package ptxrun

import (
	"fmt"
	"slices"
)

// A Launch is what a kernel is started with: the sizes of the grid and of a block, parameters
// as bits, and all memory there is, which the kernel changes.
type Launch struct {
	Grid, Block [3]int
	Params      []uint64
	Memory      []Block
	Most        int // instructions, after which the kernel is taken not to end; 0: 1<<28
}

// A Result is what was seen of a launch.
type Result struct {
	Findings []string // what is wrong, each once
	Steps    int      // instructions that threads ran
	Ran      []bool   // which instructions of the kernel some thread ran
	Passed   []bool   // and which some thread passed by, for its predicate
}

// Run runs the kernel's blocks one after the other. Findings do not end it but for those
// after which there is nothing to go on with.
func (p *Program) Run(l Launch) Result {
	m := &machine{Program: p, launch: l, seen: map[string]bool{}}
	if m.launch.Most == 0 {
		m.launch.Most = 1 << 28
	}
	m.result.Ran, m.result.Passed = make([]bool, len(p.code)), make([]bool, len(p.code))
	for n, b := range l.Memory {
		m.global.regions = append(m.global.regions, newRegion(fmt.Sprintf("block %d of memory", n), b.Address, b.Bytes))
	}
	for _, a := range p.arrays {
		m.shared.regions = append(m.shared.regions, newRegion("shared "+a.name, a.from, make([]byte, a.to-a.from)))
	}
	m.global.sort()
	if err := m.run(); err != nil {
		m.find(err.Error())
	}
	last := len(p.code) - 1 // no instruction
	m.result.Ran, m.result.Passed = m.result.Ran[:last], m.result.Passed[:last]
	return m.result
}

// Lines gives the line of each instruction.
func (p *Program) Lines() (lines []int) {
	for _, s := range p.code[:len(p.code)-1] {
		lines = append(lines, int(s.line))
	}
	return lines
}

type machine struct {
	*Program
	launch         Launch
	global, shared memory
	threads        []*thread
	block, epoch   uint32
	warpEpochs     []uint32
	result         Result
	seen           map[string]bool
}

type state uint8

const (
	ready state = iota
	atBlock
	atWarp
	ended
)

type thread struct {
	number    int
	registers []value
	next      int // the instruction
	state     state
	given     value // to a shuffle
}

func (m *machine) find(what string) {
	if !m.seen[what] && len(m.seen) < 100 {
		m.seen[what] = true
		m.result.Findings = append(m.result.Findings, what)
	}
}

func (m *machine) run() error {
	if len(m.launch.Params) != len(m.params) {
		return fmt.Errorf("%d parameters, want %d", len(m.launch.Params), len(m.params))
	}
	b := m.launch.Block
	count := b[0] * b[1] * b[2]
	for n := range count {
		m.threads = append(m.threads, &thread{number: n, registers: make([]value, len(m.start))})
	}
	m.warpEpochs = make([]uint32, (count+31)/32)
	for z := range m.launch.Grid[2] {
		for y := range m.launch.Grid[1] {
			for x := range m.launch.Grid[0] {
				if err := m.runBlock([3]int{x, y, z}); err != nil {
					return fmt.Errorf("%w (in block %d, %d, %d)", err, x, y, z)
				}
				m.block++
			}
		}
	}
	return nil
}

// begin readies the threads for a block.
func (m *machine) begin(place [3]int) {
	for _, r := range m.shared.regions {
		r.reset()
	}
	m.epoch = 0
	clear(m.warpEpochs)
	size := m.launch.Block
	for _, t := range m.threads {
		copy(t.registers, m.start)
		t.next, t.state = 0, ready
		for n, register := range m.inputs {
			t.registers[register] = value{bits: cut(m.launch.Params[n], paramWidth(m.params[n].Type))}
		}
		own := [3]int{t.number % size[0], t.number / size[0] % size[1], t.number / (size[0] * size[1])}
		for axis, letter := range []string{"x", "y", "z"} {
			for name, n := range map[string]int{"tid.": own[axis], "ntid.": size[axis], "ctaid.": place[axis], "nctaid.": m.launch.Grid[axis]} {
				if register, ok := m.places[name+letter]; ok {
					t.registers[register] = value{bits: uint64(n)}
				}
			}
		}
	}
}

// runBlock runs the threads of a block, warp by warp from one barrier to the next, in
// ascending and in descending order by turns.
func (m *machine) runBlock(place [3]int) error {
	m.begin(place)
	warps := slices.Collect(slices.Chunk(m.threads, 32))
	for {
		for i := range warps {
			w := i
			if m.epoch%2 == 1 {
				w = len(warps) - 1 - i
			}
			if err := m.runWarp(w, warps[w]); err != nil {
				return err
			}
		}
		first := m.threads[0]
		if first.state == ended && !slices.ContainsFunc(m.threads, func(t *thread) bool { return t.state != ended }) {
			return nil
		}
		for _, t := range m.threads {
			if t.state == ended || first.state == ended || t.next != first.next {
				return fmt.Errorf("a barrier of the block that not all threads come to: thread %d %s, thread %d %s",
					first.number, m.where(first), t.number, m.where(t))
			}
			t.state = ready
		}
		m.epoch++
	}
}

// where says where a thread waits.
func (m *machine) where(t *thread) string {
	if t.state == ended {
		return "has ended"
	}
	return fmt.Sprintf("waits on line %d", m.code[t.next-1].line)
}

// runWarp runs the threads of a warp until they wait for the block or have ended.
func (m *machine) runWarp(number int, warp []*thread) error {
	for {
		waiting := 0
		for i := range warp {
			t := warp[i]
			if m.epoch%2 == 1 {
				t = warp[len(warp)-1-i]
			}
			if t.state == ready {
				if err := m.runThread(t); err != nil {
					return err
				}
			}
			if t.state == atWarp {
				waiting++
			}
		}
		if waiting == 0 {
			return nil
		}
		at := slices.IndexFunc(warp, func(t *thread) bool { return t.state == atWarp })
		first := warp[at]
		for _, t := range warp {
			if t.state != atWarp || t.next != first.next || len(warp) != 32 {
				return fmt.Errorf("a shuffle or barrier of a warp that not all lanes come to: thread %d %s, thread %d %s",
					first.number, m.where(first), t.number, m.where(t))
			}
		}
		s := &m.code[first.next-1]
		for lane, t := range warp {
			t.state = ready
			mask := s.a
			if s.kind == shuffle {
				mask = s.c
				from := warp[s.compute(uint64(lane), t.registers[s.b].bits, 0)]
				t.registers[s.to] = from.given
			}
			if uint32(t.registers[mask].bits) != 1<<32-1 {
				return fmt.Errorf("line %d: a mask that leaves lanes out", s.line)
			}
		}
		if s.kind == warpBarrier { // a shuffle says nothing about memory
			m.warpEpochs[number]++
		}
	}
}

// paramWidth is that of a parameter's type, which Compile has seen to be known.
func paramWidth(typ string) int {
	if typ[1:] == "64" {
		return 64
	}
	return 32
}
