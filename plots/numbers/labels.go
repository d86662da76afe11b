package numbers

import (
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
)

// Shorten relabels the variants by the axes in which they differ, and returns a sentence with
// the shared axes: "All: optimizer = adam, lr = 0.1.". A label is then the name and its own
// axes, as in the manifest but without the shared ones. If two variants would then look alike,
// or nothing is shared, the labels stay as they are and the sentence is empty.
func Shorten(shown []Variant) (out []Variant, note string) {
	common := Shared(shown)
	short := each.Map(shown, func(s Variant) string { return ShortLabel(s, common, shown) })
	distinct := slices.Clone(short)
	slices.Sort(distinct)
	if len(common) == 0 || len(slices.Compact(distinct)) < len(shown) {
		return shown, ""
	}
	out = slices.Clone(shown)
	for i := range out {
		out[i].Called = short[i]
	}
	return out, SharedNote(common, shown)
}

// Shared lists the axes that have the same value in all variants. A variant that does not
// train, such as the base policy, lacks most axes; missing axes do not count.
func Shared(shown []Variant) []record.Axis {
	var out []record.Axis
	for _, field := range FieldsOf(shown)[1:] {
		missing := slices.ContainsFunc(shown, func(v Variant) bool {
			_, ok := v.Value(field)
			return !ok && v.Trains
		})
		if values := ValuesOf(field, shown); !missing && len(values) == 1 {
			out = append(out, record.Axis{Field: field, Value: values[0]})
		}
	}
	return out
}

// ShortLabel is the variant's name with the axes that are not common, the method's own
// (whose names have no dot) first, as in the manifest's labels.
func ShortLabel(v Variant, common []record.Axis, shown []Variant) string {
	words := []string{v.Name}
	names := FieldsOf(shown)
	for _, own := range []bool{true, false} {
		for _, a := range v.Axes {
			if strings.Contains(a.Field, ".") != own && !slices.Contains(common, a) {
				words = append(words, ShortName(a.Field, names)+"="+a.Value)
			}
		}
	}
	return strings.Join(words, " ")
}

// SharedNote is the sentence about the axes that all variants share; empty for
// none.
func SharedNote(common []record.Axis, shown []Variant) string {
	if len(common) == 0 {
		return ""
	}
	names := FieldsOf(shown)
	parts := each.Map(common, func(a record.Axis) string { return ShortName(a.Field, names) + " = " + a.Value })
	return "All: " + strings.Join(parts, ", ") + "."
}

// FieldsOf lists "method" and the axes of the variants, in their order.
func FieldsOf(variants []Variant) []string {
	fields := []string{"method"}
	for _, v := range variants {
		for _, a := range v.Axes {
			fields = append(fields, a.Field)
		}
	}
	return each.Distinct(fields)
}

// ValuesOf lists the values of a field, in the order in which they come.
func ValuesOf(field string, variants []Variant) (values []string) {
	for _, v := range variants {
		if value, ok := v.Value(field); ok && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// ShortName is the last part of a dotted field, or all of it if two fields end alike.
func ShortName(field string, fields []string) string {
	short := field[strings.LastIndexByte(field, '.')+1:]
	for _, other := range fields {
		if other != field && strings.HasSuffix("."+other, "."+short) {
			return field
		}
	}
	return short
}
