package cpu

// The assembly is generated with the float32 values of these constants too, so that
// there is one place for each of them.

// ln 2 comes in two parts, the first of them rounded to float32: a multiple of it
// taken from the argument by a fused multiply-add leaves an exact rest.
const (
	log2E = 0x1.715476p+0
	ln2Hi = 0x1.62e43p-1
	ln2Lo = -0x1.05c61p-29
)

const (
	// expLow is where exp comes to zero: e^-104 is less than half of the smallest
	// float32 above zero.
	expLow = -104
	// expScale undoes the 24 by which exp raises its exponents before the last
	// rounding, so that there is a normal number for each power of two.
	expScale = 0x1p-24
	// expRound, added to a float32 below 2^21 in magnitude, leaves the nearest
	// integer plus 127+24, ties to even, in the low bits of the pattern.
	expRound = 0x1.8p23 + 127 + 24
)

// Coefficients of e^r = 1 + r + r^2 (expC2 + ...), minimax for the relative error over |r| <= ln 2
// / 2, each rounded to float32 before the next ones were fitted: off by less than 2^-28.
const (
	expC2 = 0x1.fffffcp-2
	expC3 = 0x1.55548cp-3
	expC4 = 0x1.55585ap-5
	expC5 = 0x1.123d7p-7
	expC6 = 0x1.6ab89ep-10
)

// logSplit is the pattern of sqrt(1/2), with low bits left out: where log splits an octave.
const logSplit = 0x3f350000

// Coefficients of log(1+f) = f + f^2 (logC2 + logC3 f + ...), fitted likewise over
// sqrt(1/2) <= 1+f < sqrt 2: off by less than 2^-26.
const (
	logC2  = -0.5
	logC3  = 0x1.555554p-2
	logC4  = -0x1.000234p-2
	logC5  = 0x1.99a052p-3
	logC6  = -0x1.546e46p-3
	logC7  = 0x1.22d04p-3
	logC8  = -0x1.0db024p-3
	logC9  = 0x1.057412p-3
	logC10 = -0x1.37318cp-4
)

// Constants of Gelu: 2 sqrt(2/pi) and that times 0.044715, with the signs of the
// exponent; the same, the second times 3, of the slope of u. Beyond geluBound the
// function is its argument, or zero, as nearly as matters.
const (
	geluLinear = -0x1.988454p+0
	geluCubic  = -0x1.2444f2p-4
	geluSlope  = 0x1.988454p+0
	geluSlope3 = 0x1.b6676cp-3
	geluLow    = -9
	geluHigh   = 9
)

// LayerNorm adds layerNormEps to a variance.
const layerNormEps = 1e-5

// sumBlock is the number of entries whose squares SumSquares adds up in float32.
const sumBlock = 1024
