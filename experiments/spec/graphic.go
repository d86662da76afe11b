package spec

import (
	"strings"

	"modebench/internal/visible"
)

// graphic refuses a text with characters that do not show, such as the control characters of
// terminals: titles, labels and names go to terminals and into files of text. The expressions
// of a method may have lines.
func (d document) graphic(n *node, ofMethod bool) error {
	for _, field := range n.sorted() {
		if err := d.graphic(field, ofMethod || n == d.root && field.key == "method"); err != nil {
			return err
		}
	}
	for _, entry := range n.list {
		if err := d.graphic(entry, ofMethod); err != nil {
			return err
		}
	}
	value, _ := n.value.(string)
	shown := value
	if ofMethod && n.key != "name" && n.key != "label" {
		shown = lineEnds.Replace(value)
	}
	if first := visible.First(shown); first != "" {
		return d.errorf(n, "the text %q holds %s, which does not show: want letters, digits, signs and spaces on one line", value, first)
	}
	return nil
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")
