package plots

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// The units that effects of claims have in common. Any other metric is a unit of its own.
const (
	shareUnit = "share, or mean reward"
	countUnit = "count of modes, answers or branches"
	natsUnit  = "nats"
	ratioUnit = "a / b"
)

// sharedUnits are the units of metrics that do not say themselves that they are shares.
var sharedUnits = map[string][]string{
	shareUnit:                     {"headroom", "regret", "search", "search_pass"},
	countUnit:                     {"correct_modes_alive", "modes_alive", "distinct_correct", "distinct_incorrect", "distinct_variants", "average_mode", "vendi", "uniq", "chain_uniq", "strategies", "branches"},
	natsUnit:                      {"entropy_mode", "entropy_token", "entropy_sequence", "kl"},
	"mean L1 distance of rewards": {"reward_l1", "reward_l1_correct"},
}

// effectUnit is the unit of an effect on a metric.
func effectUnit(metric string) string {
	family, _ := record.Family(metric)
	for unit, families := range sharedUnits { // in one of them at most
		if slices.Contains(families, family) {
			return unit
		}
	}
	if describe(metric).Share {
		return shareUnit
	}
	return describe(metric).Title()
}

// unit is the unit of the row's effects.
func (r ClaimRow) unit() string {
	if r.Ratio {
		return ratioUnit
	}
	return effectUnit(r.Metrics[0])
}

// A claimScale is the horizontal axis of the effects of one unit. Differences and values stand
// at the inverse hyperbolic sine of an effect over knee, so that signs show beside small effects
// and large ones. Ratios stand at their logarithm.
type claimScale struct {
	left, right float64 // ends of the axis, in points
	low, high   float64 // what is drawn there, after bend
	none        float64 // the effect that is none: 0, or a ratio of 1
	knee        float64 // about where the axis turns from linear to logarithmic; 0: of ratios
}

// kneeShare is the part of the largest effect at which an axis turns logarithmic.
const kneeShare = 0.02

// newClaimScale reaches over all effects of the rows and over none.
func newClaimScale(rows []ClaimRow, left, right vg.Length) claimScale {
	s := claimScale{left: float64(left), right: float64(right)}
	var all []float64
	most := 0.0
	for _, r := range rows {
		for _, at := range r.known() {
			for _, x := range []float64{at.Mean, at.Low, at.High} {
				if !math.IsInf(x, 0) {
					all, most = append(all, x), max(most, math.Abs(x))
				}
			}
		}
	}
	if s.none = 0; rows[0].Ratio {
		s.none, all = 1, append(all, 0.5, 2)
	} else {
		s.knee = draw.NiceStep(max(most, 1e-9) * kneeShare)
		all = append(all, s.knee)
	}
	s.low, s.high = s.bend(s.none), s.bend(s.none)
	for _, x := range all {
		if y := s.bend(x); !math.IsInf(y, 0) && !math.IsNaN(y) {
			s.low, s.high = min(s.low, y), max(s.high, y)
		}
	}
	room := 0.03 * (s.high - s.low)
	s.low, s.high = s.low-room, s.high+room
	return s
}

func (s claimScale) bend(x float64) float64 {
	if s.knee == 0 {
		return math.Log(max(x, 0))
	}
	return math.Asinh(x / s.knee)
}

// at is where an effect is drawn. One that is off the axis is drawn at its end.
func (s claimScale) at(x float64) vg.Length {
	share := min(max((s.bend(x)-s.low)/(s.high-s.low), 0), 1)
	return vg.Length(s.left + share*(s.right-s.left))
}

// A claimTick is a mark of an axis; Label is "" for one without.
type claimTick struct {
	Value float64
	Label string
}

// ticks are none and 1 to 9 times the powers of ten that are on the axis, of either sign. Those
// that have room have a label: none first, then powers of ten, then twice and five times these,
// each from the ends of the axis inwards.
func (s claimScale) ticks() []claimTick {
	out := []claimTick{{Value: s.none}}
	for power := 12; power >= -12; power-- {
		for digit := 9; digit >= 1; digit-- {
			x, _ := strconv.ParseFloat(strconv.Itoa(digit)+"e"+strconv.Itoa(power), 64)
			for _, x := range []float64{x, -x} {
				if y := s.bend(x); y >= s.low && y <= s.high && math.Abs(x) >= s.knee && x != s.none {
					out = append(out, claimTick{Value: x})
				}
			}
		}
	}
	var placed []claimTick
	label := func(digits ...byte) {
		for i, t := range out {
			text := short(t.Value)
			digit := strconv.FormatFloat(math.Abs(t.Value), 'e', 0, 64)[0]
			if t.Label == "" && slices.Contains(digits, digit) && !slices.ContainsFunc(placed, func(p claimTick) bool { return s.touch(p, claimTick{t.Value, text}) }) {
				out[i].Label = text
				placed = append(placed, out[i])
			}
		}
	}
	if s.none == 0 {
		label('0')
	}
	label('1')
	label('2', '5')
	return out
}

// touch says whether the labels of two ticks are closer than a reader can part them.
func (s claimScale) touch(a, b claimTick) bool {
	const gap = 5
	apart := math.Abs(float64(s.at(a.Value) - s.at(b.Value)))
	return apart < float64(draw.TextWidth(draw.SmallFont, a.Label)+draw.TextWidth(draw.SmallFont, b.Label))/2+gap
}

// paint draws the axis with its name and lines.
func (s claimScale) paint(c draw.Canvas, bottom, top vg.Length, name string) {
	axis := draw.LineStyle{Color: draw.Black, Width: 0.5}
	for _, tick := range s.ticks() {
		x, long := s.at(tick.Value), vg.Length(1.5)
		if tick.Label != "" {
			style := draw.LineStyle{Color: draw.Faint, Width: 0.5}
			if tick.Value == s.none {
				style.Color = draw.Subtle
			}
			c.StrokeLine2(style, x, bottom, x, top)
			long = 3
			draw.Write(c, draw.SmallFont, draw.Black, x, bottom-4-0.9*draw.SmallFont.Size, 0.5, tick.Label)
		}
		c.StrokeLine2(axis, x, bottom-long, x, bottom)
	}
	c.StrokeLine2(axis, vg.Length(s.left), bottom, vg.Length(s.right), bottom)
	draw.Write(c, draw.LabelFont, draw.Black, vg.Length(s.left+s.right)/2, bottom-claimAxis+3, 0.5, name)
}
