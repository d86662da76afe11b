package spec

import (
	"fmt"
	"strings"

	"modebench/internal/visible"
)

// graphic says where the texts of a table hold what does not show, such as the control
// characters of terminals: titles, labels and names stand on terminals and in files of text.
func (d document) graphic(prefix string, table map[string]any) error {
	for _, key := range d.keys(prefix, table) {
		if err := d.graphicValue(join(prefix, key), table[key]); err != nil {
			return err
		}
	}
	return nil
}

func (d document) graphicValue(key string, value any) error {
	switch value := value.(type) {
	case map[string]any:
		return d.graphic(key, value)
	case []any:
		for i, entry := range value {
			if err := d.graphicValue(fmt.Sprintf("%s[%d]", key, i), entry); err != nil {
				return err
			}
		}
	case string:
		text := value
		if hasLines(key) {
			text = lineEnds.Replace(text)
		}
		if first := visible.First(text); first != "" {
			return d.errorf(key, "the text %q holds %s, which does not show: want letters, digits, signs and spaces on one line", value, first)
		}
	}
	return nil
}

// hasLines says whether the text at a key may have several lines, as the expressions of a
// method may.
func hasLines(key string) bool {
	return strings.HasPrefix(key, "method[") && !strings.HasSuffix(key, ".name") && !strings.HasSuffix(key, ".label")
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")
