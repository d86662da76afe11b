package arith

// Parse appends the nodes of an expression to dst. It accepts natural numbers
// without leading zeros that an int64 holds, the operators + - * / (also as × ÷ −),
// signs, parentheses and white space; everything else is an error that names the fault and its
// place (1-based byte column), and leaves dst as it was. A plus sign with one operand leaves no
// node. Nodes are numbered as in the slice returned.
func Parse(dst []Node, text string) ([]Node, error) {
	f := fast{text: text, nodes: dst}
	if f.parse() {
		return f.nodes, nil
	}
	return parseReference(dst, text)
}
