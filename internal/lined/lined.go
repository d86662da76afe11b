// Package lined writes documents as JSON for people who read differences of them, a line for
// each member and for each entry of a list, and reads them back strictly.
package lined

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/strictjson"
	"modebench/internal/table"
)

// A Number is a number in a document, of 6 significant digits. It is null if it is not finite.
type Number float64

// Round rounds a number to the digits of a document.
func Round(x float64) Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Number(math.NaN())
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return Number(rounded)
}

// Four rounds a number to four significant digits.
func Four(x float64) Number {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return Number(rounded)
}

// Floats are numbers as they are.
func Floats(list []Number) []float64 {
	return each.Map(list, func(x Number) float64 { return float64(x) })
}

// MarshalJSON implements json.Marshaler.
func (s Number) MarshalJSON() ([]byte, error) {
	x := float64(s)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(Round(x)))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Number) UnmarshalJSON(data []byte) error {
	x := math.NaN()
	if string(data) != "null" {
		if err := json.Unmarshal(data, &x); err != nil {
			return err
		}
	}
	*s = Number(x)
	return nil
}

// Text writes a struct or an Object as JSON for people who read differences of it: a line for each
// member, and for each entry of a member that is a list of structs or Objects.
func Text(doc any) []byte {
	object, ok := doc.(table.Object)
	if v := reflect.ValueOf(doc); !ok {
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			object = append(object, table.Member{name, v.Field(i).Interface()})
		}
	}
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, m := range object {
		fmt.Fprintf(&b, "%q: ", m[0])
		if list := reflect.ValueOf(m[1]); list.Kind() == reflect.Slice && manyLines(list.Type().Elem()) {
			b.WriteString("[")
			for j := range list.Len() {
				b.WriteString(strings.Repeat(",", min(j, 1)) + "\n  ")
				b.Write(Compact(list.Index(j).Interface()))
			}
			b.WriteString("\n]")
		} else {
			b.Write(Compact(m[1]))
		}
		b.WriteString(strings.Repeat(",", min(len(object)-1-i, 1)) + "\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// manyLines reports whether each entry of a list of that type has a line.
func manyLines(entry reflect.Type) bool {
	return entry.Kind() == reflect.Struct || entry == reflect.TypeFor[table.Object]()
}

// Compact is a value as JSON on one line, in which <, > and & stay as they are.
func Compact(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // all values of documents have a form in JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Read decodes what Text wrote. Members of the nullable names may be null. Errors name path and
// line.
func Read(path string, data []byte, into any, nullable ...string) error {
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
		return input.Errorf("%s:%d: %w", path, LineOf(data, err.Error()), err)
	}
	return nil
}

// maxDocument bounds a file: a spec of 200 claims and 10,000 variants has less.
const maxDocument = 8 << 20

// Same returns an error that names the first difference of a file from want, the output of the
// command that writes it.
func Same(path string, data, want []byte, command string) error {
	if line := firstDifference(want, data); line > 0 {
		return input.Errorf("%s:%d: not as %s writes it: the file was edited", path, line, command)
	}
	return nil
}

// memberPath begins an error of a member: its name and, for a list, the number of the entry.
var memberPath = regexp.MustCompile(`^([a-z_0-9]+)(?:\[(\d+)\])?`)

// LineOf is the line of the member of a document (Text) that a message begins with; 1: it is
// not known.
func LineOf(data []byte, message string) int {
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
