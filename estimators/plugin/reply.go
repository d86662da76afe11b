package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/plural"
	"modebench/internal/strictjson"
)

// pluginProtocol is the version of the protocol that docs/plug-ins.md describes.
const pluginProtocol = 1

// parseReply takes the result out of a line that should answer request id. It is a
// part of the line, or of a copy.
//
// The answer is walked by hand, after one look at its syntax: encoding/json would go
// over it five times, which for many groups took longer than the rest of the step.
func parseReply(line []byte, id int) (json.RawMessage, error) {
	if !json.Valid(line) {
		line = quoteNotFinite(line)
	}
	var version, gotID, result, failure []byte
	var wrong error
	ok := json.Valid(line)
	if ok {
		ok, wrong = object(line, []string{"jsonrpc", "id", "result", "error"}, &version, &gotID, &result, &failure)
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

func absent(value []byte) bool { return value == nil || string(value) == "null" }

// errorMessage is what a program says went wrong: the message of a JSON-RPC error, or
// the whole of it where it has another form.
func errorMessage(value []byte) string {
	var doc struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(value, &doc); err == nil && strings.TrimSpace(doc.Message) != "" {
		return clip(doc.Message, 300)
	}
	return "it answered the error " + clip(string(value), 300)
}

// clip makes one line of at most so many characters of a text.
func clip(text string, most int) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text))
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "..."
	}
	return text
}

// excerpt quotes the beginning of what a program wrote.
func excerpt(line []byte) string {
	const most = 80
	text, more := string(line[:min(len(line), 4*most)]), ""
	if runes := []rune(text); len(runes) > most {
		text, more = string(runes[:most]), "..."
	}
	return strconv.Quote(text) + more
}

// quoteNotFinite makes text of the numbers that JSON does not have and Python writes
// all the same, so that what is wrong with them can be said where they stand.
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

// notFinite is the number that is none with which a text begins, or "".
func notFinite(text []byte) string {
	for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(token)) {
			return token
		}
	}
	return ""
}

// helloFields are the fields of a hello.
var helloFields = []string{"protocol", "name", "needs", "min_group", "chains", "objective"}

// parseHello reads what a plug-in says of itself, but for its hashes.
func parseHello(result json.RawMessage) (Description, error) {
	doc := struct {
		Protocol  *int      `json:"protocol"`
		Name      string    `json:"name"`
		Needs     *[]string `json:"needs"`
		MinGroup  int       `json:"min_group"`
		Chains    bool      `json:"chains"`
		Objective string    `json:"objective"`
	}{MinGroup: 1}
	if err := strictjson.Decode(result, "", &doc); err != nil {
		return Description{}, err
	}
	// What encoding/json lets pass: names in other letters, and names that stand twice.
	values := make([]*[]byte, len(helloFields))
	for i := range values {
		values[i] = new([]byte)
	}
	if _, err := object(result, helloFields, values...); err != nil {
		return Description{}, err
	}
	switch {
	case doc.Protocol == nil:
		return Description{}, fmt.Errorf("protocol is missing, want %d", pluginProtocol)
	case *doc.Protocol != pluginProtocol:
		return Description{}, fmt.Errorf("it speaks protocol %d, want %d", *doc.Protocol, pluginProtocol)
	case doc.Name == "" || doc.Name != clip(doc.Name, 100):
		return Description{}, fmt.Errorf("name: got %s, want a name of 1 to 100 characters on one line", excerpt([]byte(doc.Name)))
	case doc.MinGroup < 1:
		return Description{}, fmt.Errorf("min_group: got %d, want 1 or more", doc.MinGroup)
	}
	d := Description{Name: doc.Name, Objective: doc.Objective}
	d.Requirements = estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: doc.MinGroup, Chains: doc.Chains, NoPenalty: true}
	if doc.Needs == nil {
		return d, nil
	}
	var err error
	d.Requirements.CandidateFields, d.Requirements.RolloutFields, err = parseRequired(*doc.Needs)
	return d, err
}

// parseRequired makes sets of the names of what a batch may hold.
func parseRequired(names []string) (fields envs.Fields, rollout estimators.RolloutFields, err error) {
	fieldNames, factNames := envs.HasAll.Names(), estimators.AllRolloutFields.Names()
	for i, name := range names {
		if bit := slices.Index(fieldNames, name); bit >= 0 {
			fields |= 1 << bit
		} else if bit := slices.Index(factNames, name); bit >= 0 {
			rollout |= 1 << bit
		} else {
			known := strings.Join(append(fieldNames, factNames...), ", ")
			return 0, 0, fmt.Errorf("needs[%d]: got %s, known are %s", i, excerpt([]byte(name)), known)
		}
	}
	return fields, rollout, nil
}

// parseAdvantages reads the answer for a batch into dst, which has its shape.
func parseAdvantages(dst [][]float64, b *estimators.Batch, result json.RawMessage) error {
	var lists []byte
	ok, err := object(result, []string{"advantages"}, &lists)
	if !ok {
		return fmt.Errorf("result: got %s, want an object with advantages", clip(string(result), 40))
	}
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if absent(lists) {
		return errors.New("result.advantages is missing, want one list of numbers for each group")
	}
	w := walker{text: lists}
	if !w.enter('[') {
		return fmt.Errorf("result.advantages: got %s, want one list of numbers for each group", clip(string(w.value()), 40))
	}
	groups := 0
	for ; w.more(); groups++ {
		if groups >= len(dst) {
			w.value()
			continue
		}
		if err := w.group(dst[groups]); err != nil {
			return b.InGroup(groups, err)
		}
	}
	if groups != len(dst) {
		return fmt.Errorf("result.advantages has %s, want %d, one for each group", plural.Of(groups, "list"), len(dst))
	}
	return nil
}

// A walker goes through text whose syntax is known to be that of JSON, so that it
// only has to tell lists, objects, texts and the rest apart.
type walker struct {
	text []byte
	at   int
}

// group reads one list of numbers.
func (w *walker) group(dst []float64) error {
	if !w.enter('[') {
		return fmt.Errorf("got %s, want a list of %d advantages", clip(string(w.value()), 40), len(dst))
	}
	n := 0
	for ; w.more(); n++ {
		value := w.value()
		x, err := strconv.ParseFloat(string(value), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("the advantage of rollout %d is %s, want a finite number", n, asWritten(value))
		}
		if math.IsInf(x, 0) {
			return fmt.Errorf("the advantage of rollout %d is %s, want a finite number", n, clip(string(value), 40))
		}
		if n < len(dst) {
			dst[n] = x
		}
	}
	if n != len(dst) {
		return fmt.Errorf("got %s, want %d, one for each rollout", plural.Of(n, "advantage"), len(dst))
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

func (w *walker) space() {
	for w.at < len(w.text) && strings.IndexByte(" \t\r\n", w.text[w.at]) >= 0 {
		w.at++
	}
}

// enter steps into a list or an object, if here is one that opens so.
func (w *walker) enter(opens byte) bool {
	w.space()
	if w.text[w.at] != opens {
		return false
	}
	w.at++
	return true
}

// more steps over a comma to the next entry, or out of the list or object at its end.
func (w *walker) more() bool {
	w.space()
	switch w.text[w.at] {
	case ',':
		w.at++
	case ']', '}':
		w.at++
		return false
	}
	return true
}

// object takes the values of an object's fields, each of which has one of these names
// and stands there once; the error is about the first that does not. It is false where
// the text, which has the syntax of JSON, is no object.
func object(text []byte, names []string, values ...*[]byte) (ok bool, wrong error) {
	w := walker{text: text}
	ok = w.fields(func(key string, value []byte) {
		i := slices.Index(names, key)
		switch {
		case wrong != nil:
		case i < 0:
			wrong = fmt.Errorf("unknown field %s, want %s alone", excerpt([]byte(key)), strings.Join(names, ", "))
		case *values[i] != nil:
			wrong = fmt.Errorf("the field %s stands there twice", names[i])
		default:
			*values[i] = value
		}
	})
	return ok, wrong
}

// fields calls each for the fields of an object, if here is one.
func (w *walker) fields(each func(key string, value []byte)) bool {
	if !w.enter('{') {
		return false
	}
	for w.more() {
		var key string
		if err := json.Unmarshal(w.value(), &key); err != nil {
			return false // no string: it is not JSON after all
		}
		w.space()
		w.at++ // the colon
		each(key, w.value())
	}
	return true
}

// value steps over one value of any kind and returns its text.
func (w *walker) value() []byte {
	w.space()
	from, depth, inText := w.at, 0, false
	for ; w.at < len(w.text); w.at++ {
		switch c := w.text[w.at]; {
		case inText && c == '\\':
			w.at++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			depth++
		case depth > 0 && (c == ']' || c == '}'):
			depth--
		case depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			return w.text[from:w.at]
		}
	}
	return w.text[from:w.at]
}
