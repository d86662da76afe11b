// Package visible makes text that comes from elsewhere harmless to look at: a label from a
// results folder, or a plug-in's output, may hold control characters that move the cursor of a
// terminal, begin lines of their own or turn the direction of the text behind them.
package visible

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a text in which every character that is not graphic is written as Go writes it:
// \x1b, \n, \u202e. Graphic are letters, marks, numbers, punctuation, symbols and spaces. So it
// is one line. Bytes that are not UTF-8 are written one by one, as \xff.
func Text(text string) string {
	if Is(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		b.WriteString(shown(r, text[:size]))
		text = text[size:]
	}
	return b.String()
}

func shown(r rune, bytes string) string {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		return `\x` + strconv.FormatUint(uint64(bytes[0]), 16)
	case unicode.IsGraphic(r):
		return bytes
	}
	return strings.Trim(strconv.QuoteRuneToGraphic(r), "'")
}

// Is reports whether Text leaves a text as it is.
func Is(text string) bool {
	return First(text) == ""
}

// First is the first character of a text that is not graphic, as Text writes it; "" where all are.
func First(text string) string {
	for i, r := range text {
		if r < utf8.RuneSelf && r >= ' ' && r != '\x7f' {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if character := text[i : i+size]; shown(r, character) != character {
			return shown(r, character)
		}
	}
	return ""
}

// All makes the texts in a struct visible that a pointer leads to: its exported fields, and
// those of structs and lists in it, but not what further pointers and maps lead to.
func All(pointer any) { all(reflect.ValueOf(pointer).Elem()) }

func all(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(Text(v.String()))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all(v.Field(i))
		}
	}
}
