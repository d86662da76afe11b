package imported

// ParseLine reads a line of a log whose fields are known. An error is one line and names the field.
func ParseLine(line []byte, fields Fields) (*Line, error) {
	doc, err := parseDocument(line)
	if err != nil {
		return nil, err
	}
	return doc.read(fields)
}
