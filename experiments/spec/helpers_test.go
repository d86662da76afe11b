package spec

// parseText is Parse without options.
func parseText(file string, data []byte) (*Spec, error) { return Parse(file, data, LoadOptions{}) }
