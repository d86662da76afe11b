package plugin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"modebench/estimators"
	"modebench/internal/input"
	"modebench/internal/plural"
)

// parseReply takes the result out of a line that should answer request id.
func parseReply(line []byte, id int) (json.RawMessage, error) {
	var version, gotID, result, failure json.RawMessage
	read := func() (ok bool, wrong error) {
		return object(line, []string{"jsonrpc", "id", "result", "error"}, &version, &gotID, &result, &failure)
	}
	ok, wrong := read()
	if !ok {
		line = quoteNotFinite(line)
		version, gotID, result, failure = nil, nil, nil, nil
		ok, wrong = read()
	}
	if !ok || string(version) != `"2.0"` {
		return nil, fmt.Errorf("it wrote %s to its standard output, which carries messages only (%s): print to standard error instead", excerpt(line), `{"jsonrpc":"2.0",...}`)
	}
	if got := string(gotID); got != strconv.Itoa(id) {
		if got == "" {
			return nil, fmt.Errorf("it answered without the id of the request, %d: %s", id, excerpt(line))
		}
		return nil, fmt.Errorf("it answered id %s, want id %d and one line for each request", clip(got, 40), id)
	}
	if wrong != nil {
		return nil, fmt.Errorf("the answer: %w", wrong)
	}
	if !absent(failure) {
		return nil, errors.New(errorMessage(failure))
	}
	if absent(result) {
		return nil, fmt.Errorf("the answer has neither a result nor an error: %s", excerpt(line))
	}
	return result, nil
}

// object decodes the values of an object's fields, each of which has one of these names in
// these letters and occurs once; wrong is about the first field that breaks this, or whose
// value does not fit. Without values it only looks. ok is false if the text is not one object of JSON. (encoding/json alone
// takes names in any letters, and the last of two.)
func object(text []byte, names []string, values ...any) (ok bool, wrong error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false, nil
	}
	found := make([]bool, len(names))
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return false, nil
		}
		name := token.(string) // before a colon
		var value any = new(json.RawMessage)
		i := slices.Index(names, name)
		switch {
		case i < 0:
			err = fmt.Errorf("unknown field %s, want %s alone", excerpt([]byte(name)), strings.Join(names, ", "))
		case found[i]:
			err = fmt.Errorf("the field %s is there twice", name)
		default:
			found[i] = true
			if values != nil {
				value = values[i]
			}
		}
		wrong = cmp.Or(wrong, err)
		if err := d.Decode(value); err != nil {
			if !input.Is[*json.UnmarshalTypeError](err) {
				return false, nil
			}
			wrong = cmp.Or(wrong, err)
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return false, nil
	}
	_, err := d.Token()
	return err == io.EOF, wrong
}

func absent(value json.RawMessage) bool { return value == nil || string(value) == "null" }

// errorMessage returns the message of a JSON-RPC error, or all of a program's error.
func errorMessage(value []byte) string {
	var doc struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(value, &doc); err == nil && strings.TrimSpace(doc.Message) != "" {
		return clip(doc.Message, 300)
	}
	return "it answered the error " + clip(string(value), 300)
}

// clip makes one line of at most limit characters of a text.
func clip(text string, limit int) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text))
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit]) + "..."
	}
	return text
}

func excerpt(line []byte) string {
	const limit = 80
	text, more := string(line[:min(len(line), 4*limit)]), ""
	if runes := []rune(text); len(runes) > limit {
		text, more = string(runes[:limit]), "..."
	}
	return strconv.Quote(text) + more
}

// quoteNotFinite makes text of the numbers that JSON does not have and Python writes all the
// same, so that an error can name them in their place.
func quoteNotFinite(line []byte) []byte {
	var out []byte
	inText, escape := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		if inText {
			inText = escape || c != '"'
			escape = !escape && c == '\\'
		} else if token := notFinite(line[i:]); token != "" {
			out = append(out, '"')
			out = append(out, token...)
			out = append(out, '"')
			i += len(token) - 1
			continue
		} else {
			inText = c == '"'
		}
		out = append(out, c)
	}
	return out
}

// notFinite returns the name of the number that is not finite at the start of a text, or "".
func notFinite(text []byte) string {
	for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(token)) {
			return token
		}
	}
	return ""
}

// parseAdvantages reads the answer for a batch into dst, which has its shape.
func parseAdvantages(dst [][]float64, b *estimators.Batch, result json.RawMessage) error {
	var all [][]float64
	// To encoding/json a null is no error, and leaves what was there.
	if ok, wrong := object(result, []string{"advantages"}, &all); !ok || wrong != nil || all == nil || bytes.Contains(result, []byte("null")) {
		// Value by value takes longer, and finds the fault.
		return eachGroup(len(dst), b, result, "list of numbers", func(g int, list json.RawMessage) error { return parseList(dst[g], list) })
	}
	for g, list := range all {
		if g < len(dst) {
			if len(list) != len(dst[g]) {
				return b.InGroup(g, errCount(len(list), len(dst[g])))
			}
			copy(dst[g], list)
		}
	}
	return checkGroups(len(all), len(dst))
}

// eachGroup hands parse the entry of an answer for each of n groups; want describes a proper entry.
func eachGroup(n int, b *estimators.Batch, result json.RawMessage, want string, parse func(g int, list json.RawMessage) error) error {
	var text json.RawMessage
	ok, wrong := object(result, []string{"advantages"}, &text)
	if !ok {
		return fmt.Errorf("result: got %s, want an object with advantages", clip(string(result), 40))
	}
	if wrong != nil {
		return fmt.Errorf("result: %w", wrong)
	}
	if absent(text) {
		return fmt.Errorf("result.advantages is missing, want one %s for each group", want)
	}
	lists, ok := entries(text)
	if !ok {
		return fmt.Errorf("result.advantages: got %s, want one %s for each group", clip(string(text), 40), want)
	}
	for g, list := range lists[:min(len(lists), n)] {
		if err := parse(g, list); err != nil {
			return b.InGroup(g, err)
		}
	}
	return checkGroups(len(lists), n)
}

// entries are the values of a list, if the value is one.
func entries(list json.RawMessage) (values []json.RawMessage, ok bool) {
	err := json.Unmarshal(list, &values)
	return values, err == nil && values != nil
}

func checkGroups(got, want int) error {
	if got != want {
		return fmt.Errorf("result.advantages has %s, want %d, one for each group", plural.Count(got, "list"), want)
	}
	return nil
}

func errCount(got, want int) error {
	return fmt.Errorf("got %s, want %d, one for each rollout", plural.Count(got, "advantage"), want)
}

func parseList(dst []float64, list json.RawMessage) error {
	values, ok := entries(list)
	if !ok {
		return fmt.Errorf("got %s, want a list of %d advantages", clip(string(list), 40), len(dst))
	}
	for i, value := range values {
		x, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return fmt.Errorf("the advantage of rollout %d is %s, want a finite number", i, asWritten(value))
		}
		if i < len(dst) {
			dst[i] = x
		}
	}
	if len(values) != len(dst) {
		return errCount(len(values), len(dst))
	}
	return nil
}

// asWritten undoes quoteNotFinite in a message.
func asWritten(value []byte) string {
	if token := strings.Trim(string(value), `"`); token != "" && notFinite([]byte(token)) == token {
		return token
	}
	return clip(string(value), 40)
}

// parseTokenAdvantages reads the answer of a plug-in that gives every token an advantage of
// its own: one list per group, in it one list per rollout, in it one number per token. dst
// has that shape.
func parseTokenAdvantages(dst [][][]float64, b *estimators.Batch, result json.RawMessage) error {
	return eachGroup(len(dst), b, result, "list", func(g int, group json.RawMessage) error { return parseGroupTokens(dst[g], group) })
}

func parseGroupTokens(dst [][]float64, group json.RawMessage) error {
	rollouts, ok := entries(group)
	if !ok {
		return fmt.Errorf("got %s, want a list of %s", clip(string(group), 40), plural.Count(len(dst), "list"))
	}
	if len(rollouts) != len(dst) {
		return fmt.Errorf("got %s, want %d, one for each rollout", plural.Count(len(rollouts), "list"), len(dst))
	}
	for i, rollout := range rollouts {
		values, ok := entries(rollout)
		if !ok {
			return fmt.Errorf("rollout %d: got %s, want a list of %s", i, clip(string(rollout), 40), plural.Count(len(dst[i]), "advantage"))
		}
		if len(values) != len(dst[i]) {
			return fmt.Errorf("rollout %d: got %s, want %d, one for each token", i, plural.Count(len(values), "advantage"), len(dst[i]))
		}
		for k, value := range values {
			x, err := strconv.ParseFloat(string(value), 64)
			if err != nil {
				return fmt.Errorf("rollout %d: the advantage of token %d is %s, want a finite number", i, k, asWritten(value))
			}
			dst[i][k] = x
		}
	}
	return nil
}
