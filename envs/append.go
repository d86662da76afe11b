package envs

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendDocument appends the verdict as `bench judge` prints it, under the scalarisation w: the
// members of a JSON object without the braces around, so that others can be added. They are the
// bytes that encoding/json gives without the escapes for HTML, in a fraction of its time. answer,
// variant and embedding are there only if has holds them; a field that one answer lacks is null.
// Read again (Candidate), an embedding has the same bits.
func (v *Verdict) AppendDocument(dst []byte, w []float64, has Fields) []byte {
	dst = append(dst, `"reward":`...)
	dst = appendNumbers(dst, v.Reward)
	dst = append(dst, `,"scalar":`...)
	dst = appendNumber(dst, v.Scalar(w), 64)
	dst = append(dst, `,"correct":`...)
	dst = strconv.AppendBool(dst, v.Correct)
	if has&HasAnswer != 0 {
		dst = append(dst, `,"answer":`...)
		dst = appendTextOrNull(dst, v.Answer)
	}
	dst = append(dst, `,"mode":`...)
	dst = appendTextOrNull(dst, string(v.Mode))
	if has&HasVariant != 0 {
		dst = append(dst, `,"variant":`...)
		dst = appendTextOrNull(dst, v.Variant)
	}
	dst = append(dst, `,"error":`...)
	failure := ""
	if v.Err != nil {
		failure = v.Err.Error()
	}
	dst = appendTextOrNull(dst, failure)
	if has&HasEmbedding != 0 {
		dst = append(dst, `,"embedding":`...)
		dst = appendNumbers(dst, v.Embedding)
	}
	return dst
}

func appendTextOrNull(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	return AppendText(dst, text)
}

func appendNumbers[T float32 | float64](dst []byte, list []T) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	bits := 64
	if _, single := any(list).([]float32); single {
		bits = 32
	}
	dst = append(dst, '[')
	for i, x := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumber(dst, float64(x), bits)
	}
	return append(dst, ']')
}

// appendNumber appends a finite number as encoding/json writes it: with an exponent if it
// is very small or very large, and then without a zero before the exponent's digit.
func appendNumber(dst []byte, x float64, bits int) []byte {
	size := math.Abs(x)
	small, large := 1e-6, 1e21
	if bits == 32 {
		small, large = float64(float32(small)), float64(float32(large))
	}
	if size == 0 || size >= small && size < large {
		return strconv.AppendFloat(dst, x, 'f', -1, bits)
	}
	dst = strconv.AppendFloat(dst, x, 'e', -1, bits)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

// AppendText appends a text as JSON, as encoding/json writes it without the escapes for
// HTML. Bytes that are not UTF-8 become U+FFFD.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	done := 0 // bytes of the text that are appended
	for i, size := 0, 0; i < len(text); i += size {
		r := rune(text[i])
		if size = 1; r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if r >= ' ' && r != '"' && r != '\\' && r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
			continue
		}
		escaped, _ := json.Marshal(text[i : i+size]) // a text is never an error
		dst = append(append(dst, text[done:i]...), escaped[1:len(escaped)-1]...)
		done = i + size
	}
	return append(append(dst, text[done:]...), '"')
}
