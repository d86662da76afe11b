package metrics

// addVariants adds the metrics of distinct correct variants. They count what SetPO
// sec. 5.2 counts, answers as they are written, and not strategies.
func (t *Table) addVariants(a *answers) {
	number := map[string]int32{}
	event := t.events(a, func(i int) int32 {
		v := a.all[i]
		if !v.Correct || v.Variant == "" {
			return -1
		}
		n, known := number[v.Variant]
		if !known {
			n = int32(len(number))
			number[v.Variant] = n
		}
		return n
	})
	found := t.distinct(a, t.tally(a, event, len(number)))
	t.addPlain(distinctVariants, found)
	if a.exact {
		return
	}
	wide := 0.0
	if found >= 2 {
		wide = 1
		t.addPlain(averageMode, found)
	}
	t.addPlain(diversityWidth, wide)
}
