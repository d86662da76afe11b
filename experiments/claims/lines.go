package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"modebench/internal/input"
	"modebench/internal/strictjson"
)

// Short is a number of 6 significant digits: what a document keeps of one. It is null where
// it is not finite.
type Short float64

// newShort rounds a number.
func newShort(x float64) Short {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Short(math.NaN())
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return Short(rounded)
}

// MarshalJSON implements json.Marshaler.
func (s Short) MarshalJSON() ([]byte, error) {
	x := float64(s)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(newShort(x)))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Short) UnmarshalJSON(data []byte) error {
	x := math.NaN()
	if string(data) != "null" {
		if err := json.Unmarshal(data, &x); err != nil {
			return err
		}
	}
	*s = Short(x)
	return nil
}

// lines writes a struct as JSON for people who read differences of it: a line for each
// member, and for each entry of a member that is a list of structs.
func lines(doc any) []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	v := reflect.ValueOf(doc)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fmt.Fprintf(&b, "%q: ", name)
		if field := v.Field(i); field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct {
			b.WriteString("[")
			for j := range field.Len() {
				b.WriteString(strings.Repeat(",", min(j, 1)) + "\n  ")
				b.Write(compact(field.Index(j).Interface()))
			}
			b.WriteString("\n]")
		} else {
			b.Write(compact(field.Interface()))
		}
		b.WriteString(strings.Repeat(",", min(v.NumField()-1-i, 1)) + "\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// compact is a value as JSON on one line, in which <, > and & stay as they are.
func compact(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // what documents hold has a form in JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// read decodes what lines wrote.
func read(path string, data []byte, into any, nullable ...string) error {
	if len(data) > maxDocument {
		return input.Errorf("%s:1: it has %d bytes, want at most %d", path, len(data), maxDocument)
	}
	if err := strictjson.CheckSyntax(data); err != nil {
		return input.Errorf("%s:%w", path, err)
	}
	err := strictjson.CheckMembers(data, nullable...)
	if err == nil {
		err = strictjson.Decode(data, "", into)
	}
	if err != nil {
		return input.Errorf("%s:%d: %w", path, lineOf(data, err.Error()), err)
	}
	return nil
}

// maxDocument bounds a file: a spec of 200 claims and 10,000 variants has less.
const maxDocument = 8 << 20

// same says where a file is not what the program would write.
func same(path string, data, want []byte, flag string) error {
	if line := firstDifference(want, data); line > 0 {
		return input.Errorf("%s:%d: not as bench claims %s writes it: the file was edited", path, line, flag)
	}
	return nil
}

// memberPath begins an error of a member: its name at the top, and where it is a list the number
// of the entry.
var memberPath = regexp.MustCompile(`^([a-z_0-9]+)(?:\[(\d+)\])?`)

// lineOf is the line of the member of a document (lines) that a message begins with; 1: it is
// not known.
func lineOf(data []byte, message string) int {
	m := memberPath.FindStringSubmatch(message)
	if m == nil {
		return 1
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, `"`+m[1]+`":`) {
			entry, err := strconv.Atoi(m[2])
			if err == nil {
				i += entry + 1
			}
			return min(i+1, bytes.Count(data, []byte("\n"))+1)
		}
	}
	return 1
}

// firstDifference is the first line where two texts differ; 0: nowhere.
func firstDifference(a, b []byte) int {
	as, bs := strings.SplitAfter(string(a), "\n"), strings.SplitAfter(string(b), "\n")
	for i := range max(len(as), len(bs)) {
		if i >= len(as) || i >= len(bs) || as[i] != bs[i] {
			return i + 1
		}
	}
	return 0
}
