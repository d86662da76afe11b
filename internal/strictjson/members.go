package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/internal/visible"
)

// CheckMembers reports what encoding/json lets pass without a word: a name that an object has
// twice, in any case of letters, of which the last would count, and a null, which would be
// zero, but in the members of these names, which are in lower case, and lists in them. The text
// is one JSON value (CheckSyntax).
func CheckMembers(data []byte, nullable ...string) error {
	w := walker{json.NewDecoder(bytes.NewReader(data)), nullable}
	w.decoder.UseNumber()
	return w.value("", false)
}

type walker struct {
	decoder  *json.Decoder
	nullable []string
}

// value walks over the value at a path.
func (w *walker) value(path string, nullable bool) error {
	token, err := w.decoder.Token()
	if err != nil {
		return locate(err, path)
	}
	switch token {
	case nil:
		if !nullable {
			return locate(errors.New("got null, want a value"), path)
		}
	case json.Delim('['):
		for i := 0; w.decoder.More(); i++ {
			if err := w.value(fmt.Sprintf("%s[%d]", path, i), nullable); err != nil {
				return err
			}
		}
		_, err = w.decoder.Token()
	case json.Delim('{'):
		known := map[string]bool{}
		for w.decoder.More() {
			token, err := w.decoder.Token()
			if err != nil {
				return locate(err, path)
			}
			name := token.(string) // before a colon
			folded := strings.ToLower(name)
			if known[folded] {
				return locate(fmt.Errorf("the object has %q twice", name), path)
			}
			known[folded] = true
			if err := w.value(Join(path, visible.Text(name)), slices.Contains(w.nullable, folded)); err != nil {
				return err
			}
		}
		_, err = w.decoder.Token()
	}
	if err != nil {
		return locate(err, path)
	}
	return nil
}
