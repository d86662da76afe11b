package metrics

import "modebench/envs"

func init() {
	const reads = envs.HasCorrect | envs.HasVariant
	register(
		Metric{rank: 220, Name: "distinct_variants", Doc: "expected distinct variants of correct answers in a pool", Detail: "answers as written; count; grows with the pool",
			Label: "distinct correct answers", Axis: AxisCounts, Delta: manyDelta, Reads: reads, Variants: true, add: (*Table).addVariants},
		Metric{rank: 230, Name: "diversity_width", Doc: "share of problems with two distinct variants of correct answers or more in a pool", Detail: "[0, 1]; SetPO sec. 5.2 and table 3 (there a count of problems)",
			Label: "diversity width", Unit: "share of problems", Axis: AxisShare, Delta: shareDelta, Reads: reads, Variants: true, Pools: true},
		Metric{rank: 240, Name: "average_mode", Doc: "distinct variants of correct answers in a pool, over the problems that have two or more", Detail: "count, >= 2; SetPO table 3; a policy that has collapsed on all problems has no value",
			Label: "average mode", Unit: "distinct correct answers", Axis: AxisFromZero, Delta: manyDelta, Reads: reads, Variants: true, Pools: true},
	)
}

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
	t.AddValue("distinct_variants", found)
	if a.exact {
		return
	}
	wide := 0.0
	if found >= 2 {
		wide = 1
		t.AddValue("average_mode", found)
	}
	t.AddValue("diversity_width", wide)
}
