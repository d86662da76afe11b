package main

import "fmt"

// neonAdd writes the functions that add along rows, and those that pack matrices.
func neonAdd(w *neon) {
	w.add()
	w.axpy()
	w.sumRows()
	w.copyRows()
	w.copyPanels()
	w.transpose()
}

// addAlong writes a loop over n elements of dst: by four vectors, then by one, then element by
// element. add adds to the registers what belongs to src, which move loads.
func (w *neon) addAlong(dst, src, n general, add func(sums []quad, move string)) {
	for _, stage := range []struct {
		label             string
		vectors, elements int
		move              string
	}{{"four", 4, 4 * w.lanes, "FMOVQ"}, {"one", 1, w.lanes, "FMOVQ"}, {"single", 1, 1, "FMOVS"}} {
		after := "after_" + stage.label
		w.Label(stage.label)
		w.op("CMP", immediate(stage.elements), n)
		w.jump("BLT", after)
		w.scope(func() {
			sums := w.quads(stage.vectors)
			for i, sum := range sums {
				w.op(stage.move, dst.displaced(i*w.bytes()), sum.scalar())
			}
			add(sums, stage.move)
			for i, sum := range sums {
				w.op(stage.move, sum.scalar(), dst.displaced(i*w.bytes()))
			}
		})
		w.op("ADD", immediate(4*stage.elements), dst)
		w.op("ADD", immediate(4*stage.elements), src)
		w.op("SUB", immediate(stage.elements), n)
		w.jump("B", stage.label)
		w.Label(after)
	}
	w.op("RET")
}

// withEach loads the vector of src that belongs to each sum, and joins them.
func (w *neon) withEach(src general, sums []quad, move string, join func(x, sum quad)) {
	w.scope(func() {
		for i, sum := range sums {
			x := w.quad()
			w.op(move, src.displaced(i*w.bytes()), x.scalar())
			join(x, sum)
		}
	})
}

func (w *neon) addFrom(src general, sums []quad, move string) {
	w.withEach(src, sums, move, func(x, sum quad) { w.float("FADD", x, sum, sum) })
}

func (w *neon) add() {
	w.function("add")
	p := w.arguments("dst", "src", "n")
	w.addAlong(p[0], p[1], p[2], func(sums []quad, move string) { w.addFrom(p[1], sums, move) })
}

func (w *neon) axpy() {
	w.function("axpy")
	p := w.arguments("dst", "x", "n")
	factor := w.everywhere("a")
	w.addAlong(p[0], p[1], p[2], func(sums []quad, move string) {
		w.withEach(p[1], sums, move, func(x, sum quad) { w.fma(x, factor, sum) })
	})
}

func (w *neon) sumRows() {
	w.function("sumRows")
	p := w.arguments("dst", "x", "rows", "columns")
	x, rows, columns, stride := p[1], p[2], p[3], w.general()
	w.op("LSL", immediate(2), columns, stride)
	w.addAlong(p[0], x, columns, func(sums []quad, move string) {
		from, left, label := w.general(), w.general(), w.unique("rows")
		w.op("MOVD", x, from)
		w.op("MOVD", rows, left)
		w.Label(label)
		w.addFrom(from, sums, move)
		w.op("ADD", stride, from)
		w.op("SUBS", immediate(1), left)
		w.jump("BNE", label)
	})
}

// copyRows writes the function that packs less than a panel of a matrix of contiguous rows.
func (w *neon) copyRows() {
	w.function("copyRows")
	p := w.arguments("dst", "dstStride", "src", "srcStride", "n")
	v := w.quad()
	w.Label("row")
	w.load(p[2].displaced(0), v)
	w.store(v, p[0].displaced(0))
	w.op("ADD", p[3], p[2])
	w.op("ADD", p[1], p[0])
	w.op("SUBS", immediate(1), p[4])
	w.jump("BNE", "row")
	w.op("RET")
}

// copyPanels writes the function that packs panels of a matrix of contiguous rows.
func (w *neon) copyPanels() {
	w.function("copyPanels")
	p := w.arguments("dst", "panel", "src", "srcStride", "n", "panels")
	panel, src, srcStride, n, panels, all := p[1], p[2], p[3], p[4], p[5], []int{1, 2, 4}
	label := func(count int) string { return fmt.Sprintf("of_%d", count) }
	for _, count := range all[1:] {
		w.op("CMP", immediate(count), panels)
		w.jump("BEQ", label(count))
	}
	width := 2 * w.bytes()
	for _, count := range all {
		w.Label(label(count))
		w.scope(func() {
			places := []general{p[0]}
			for i := range count - 1 {
				places = append(places, w.after(places[i], panel))
			}
			again := w.unique("row")
			w.Label(again)
			for i, place := range places {
				v := w.quads(2)
				w.op("FLDPQ", src.displaced(i*width), pair(v[0], v[1]))
				w.op("FSTPQ.P", pair(v[0], v[1]), place.displaced(width))
			}
			w.op("ADD", srcStride, src)
			w.op("SUBS", immediate(1), n)
			w.jump("BNE", again)
			w.op("RET")
		})
	}
}

// transpose writes the function that packs a transposed matrix: squares of eight by eight, each of
// four of four by four.
func (w *neon) transpose() {
	w.function("transpose")
	p := w.arguments("dst", "dstStride", "src", "srcStride", "n")
	dst, dstStride, src, srcStride, n := p[0], p[1], p[2], p[3], p[4]
	rows := []general{src}
	for i := range 7 {
		rows = append(rows, w.after(rows[i], srcStride))
	}
	w.Label("square")
	var halves [2][8]quad // columns 0 to 3 and 4 to 7 of each row
	for r, row := range rows {
		v := w.quads(2)
		halves[0][r], halves[1][r] = v[0], v[1]
		w.op("FLDPQ.P", row.displaced(32), pair(v[0], v[1]))
	}
	for _, half := range halves {
		w.scope(func() {
			upper, lower := w.fourByFour(half[:4]), w.fourByFour(half[4:])
			for column := range 4 {
				w.op("FSTPQ", pair(upper[column], lower[column]), dst.displaced(0))
				w.op("ADD", dstStride, dst)
			}
		})
	}
	w.op("SUBS", immediate(1), n)
	w.jump("BNE", "square")
	w.op("RET")
}

// fourByFour gives the columns of four rows; the rows are destroyed.
func (w *neon) fourByFour(rows []quad) []quad {
	v := w.quads(4)
	// Even elements of rows 0 and 1, odd ones of them, the same of rows 2 and 3.
	for i, opcode := range []string{"VTRN1", "VTRN2", "VTRN1", "VTRN2"} {
		w.op(opcode, rows[i/2*2+1], rows[i/2*2], v[i])
	}
	for i, opcode := range []string{"VZIP1", "VZIP1", "VZIP2", "VZIP2"} {
		w.op(opcode, v[2+i%2].part("D2"), v[i%2].part("D2"), rows[i].part("D2"))
	}
	return rows
}
