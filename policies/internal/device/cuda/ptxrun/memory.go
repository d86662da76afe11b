package ptxrun

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// A Block is a piece of the card's memory. What is Unwritten in it is undefined.
type Block struct {
	Address uint64
	Bytes   []byte
}

// Unwritten is what the stand-in fills memory with that nobody has written.
const Unwritten = 0x7fbadbad

// A stamp says when a thread did something: of the epochs, the first counts the barriers of
// its block, the second those of its warp.
type stamp struct {
	block, epoch, warpEpoch uint32
	thread                  uint16
	there                   bool
	line                    int32
}

// readers are threads of one warp that have read a word within the same epochs.
type readers struct {
	block, epoch, warpEpoch uint32
	warp                    uint16
	lanes                   uint32
	line                    int32
}

// A cell is what is known of a word of 4 bytes.
type cell struct {
	write     stamp
	reads     []readers // since then; none is before another
	undefined bool
	constant  bool // read by ld.global.nc
	line      int32
}

// before says whether what was done then is done, for sure, when a thread of the block does
// something now: it was the same thread, or a barrier of both lies between.
func (a *stamp) before(now *stamp) bool {
	if a.block != now.block {
		return false
	}
	return a.thread == now.thread || a.epoch < now.epoch || a.thread/32 == now.thread/32 && a.warpEpoch < now.warpEpoch
}

func (r *readers) before(now *stamp) bool {
	if r.block != now.block {
		return false
	}
	if r.epoch < now.epoch {
		return true
	}
	return r.warp == now.thread/32 && (r.warpEpoch < now.warpEpoch || r.lanes == 1<<(now.thread%32))
}

// read notes that a thread reads the word, and says what is wrong with that.
func (c *cell) read(now *stamp, constant bool) string {
	wrong := ""
	if c.write.there {
		if constant {
			wrong = fmt.Sprintf("is read as constant (ld.global.nc), and written by the store on line %d", c.write.line)
		} else if !c.write.before(now) {
			wrong = fmt.Sprintf("race: is read, and written by the store on line %d, with no barrier between", c.write.line)
		}
	}
	if constant {
		c.constant, c.line = true, now.line
	}
	kept := c.reads[:0]
	others := 0 // of other blocks; of these two are enough, since whoever writes is none of one
	for i := range c.reads {
		r := &c.reads[i]
		if r.block == now.block && r.epoch == now.epoch && r.warp == now.thread/32 && r.warpEpoch == now.warpEpoch {
			r.lanes |= 1 << (now.thread % 32)
			return wrong
		}
		if r.block != now.block {
			if others++; others > 2 {
				continue
			}
		}
		if !r.before(now) {
			kept = append(kept, *r)
		}
	}
	c.reads = append(kept, readers{now.block, now.epoch, now.warpEpoch, now.thread / 32, 1 << (now.thread % 32), now.line})
	return wrong
}

// written notes that a thread writes the word, and says what is wrong with that.
func (c *cell) written(now *stamp) string {
	wrong := ""
	if c.constant {
		wrong = fmt.Sprintf("is written, and read as constant (ld.global.nc) on line %d", c.line)
	}
	if c.write.there && !c.write.before(now) {
		wrong = fmt.Sprintf("race: is written, and written by the store on line %d, with no barrier between", c.write.line)
	}
	for i := range c.reads {
		if !c.reads[i].before(now) {
			wrong = fmt.Sprintf("race: is written, and read by the load on line %d, with no barrier between", c.reads[i].line)
		}
	}
	c.write, c.reads, c.undefined = *now, c.reads[:0], false
	return wrong
}

// A region is memory with what is known of its words.
type region struct {
	name  string
	from  uint64
	bytes []byte
	cells []cell
}

func newRegion(name string, from uint64, bytes []byte) *region {
	r := &region{name: name, from: from, bytes: bytes, cells: make([]cell, (len(bytes)+3)/4)}
	for i := range len(bytes) / 4 {
		r.cells[i].undefined = binary.LittleEndian.Uint32(bytes[4*i:]) == Unwritten
	}
	return r
}

// reset makes the region one that nobody has touched.
func (r *region) reset() {
	for i := range r.bytes {
		r.bytes[i] = 0xa5
	}
	for i := range r.cells {
		r.cells[i] = cell{undefined: true, reads: r.cells[i].reads[:0]}
	}
}

func (r *region) holds(at uint64, bytes int) bool {
	return at >= r.from && at-r.from+uint64(bytes) <= uint64(len(r.bytes))
}

// A memory is regions in the order of addresses.
type memory struct {
	regions []*region
	last    *region
}

func (m *memory) sort() {
	sort.Slice(m.regions, func(i, j int) bool { return m.regions[i].from < m.regions[j].from })
}

// find gives the region that holds so many bytes at an address, or an error that says what is
// near.
func (m *memory) find(at uint64, bytes int) (*region, error) {
	if m.last != nil && m.last.holds(at, bytes) {
		return m.last, nil
	}
	next := sort.Search(len(m.regions), func(i int) bool { return m.regions[i].from > at })
	if next > 0 && m.regions[next-1].holds(at, bytes) {
		m.last = m.regions[next-1]
		return m.last, nil
	}
	switch {
	case next > 0:
		r := m.regions[next-1]
		return nil, fmt.Errorf("%d bytes at byte %d of %s, which has %d", bytes, at-r.from, r.name, len(r.bytes))
	case len(m.regions) > 0:
		return nil, fmt.Errorf("%d bytes at %d bytes before %s", bytes, m.regions[0].from-at, m.regions[0].name)
	}
	return nil, fmt.Errorf("%d bytes at %#x, and there is no memory", bytes, at)
}

// get and put move the bytes of an int.
func get(from []byte, bytes int) (bits uint64) {
	for i := range bytes {
		bits |= uint64(from[i]) << (8 * i)
	}
	return bits
}

func put(to []byte, bits uint64, bytes int) {
	for i := range bytes {
		to[i] = byte(bits >> (8 * i))
	}
}
