package spec

// parseText is parse without options.
func parseText(file string, data []byte) (*Spec, error) { return parse(file, data, LoadOptions{}) }
