package derivation

import (
	"fmt"
	"regexp"
	"strings"

	"modebench/envs"
)

// AnswerText implements envs.Problem: "d=7, f=2, g=9". Tokens that are no whole answer are
// written one by one with "..." after them, which does not parse.
func (p *Problem) AnswerText(answer []envs.Token) string {
	c := p.begin()
	words := make([]string, 0, len(answer)+1)
	var err error
	for _, t := range answer {
		if err == nil {
			err = c.Push(t)
		}
		words = append(words, p.rules.word(t))
	}
	if err == nil && c.Done() {
		return c.text()
	}
	return strings.Join(append(words, "..."), " ")
}

// AnswerTokens implements envs.Problem.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	c, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	answer := make([]envs.Token, 0, 2*c.written)
	for _, i := range c.order[:c.written] {
		answer = append(answer, p.rules.variable(int(i)), envs.Token(c.claims[i]))
	}
	return answer, nil
}

// parse reads the text of an answer into a cursor. Statements that are blank are skipped,
// so that an end of line may follow a comma.
func (p *Problem) parse(text string) (*cursor, error) {
	c := p.begin()
	for statement := range strings.FieldsFuncSeq(envs.Unquoted(text), separates) {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		if err := c.read(statement); err != nil {
			return nil, fmt.Errorf("statement %d: %w", c.written+1, err)
		}
	}
	return c, c.whole()
}

func separates(r rune) bool { return r == ',' || r == ';' || r == '\n' }

// read reads a statement: "d = 7".
func (c *cursor) read(statement string) error {
	name, value, _ := strings.Cut(statement, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if len(name) != 1 || name[0] < 'a' || name[0] > 'z' || len(value) != 1 || value[0] < '0' || value[0] > '9' {
		return fmt.Errorf("%.40q is none, want a variable and its digit, such as %c=0", statement, letter(c.problem.asked))
	}
	if err := c.begins(int(name[0] - 'a')); err != nil {
		return err
	}
	return c.Push(envs.Token(value[0] - '0'))
}

// statements matches statements with anything between them that ends one, and single one of them.
var (
	statements = regexp.MustCompile(`^[a-z]\s*=\s*[0-9](?:(?:\s*(?:[,;]\s*(?:and\b)?|->|=>|[→⇒])|\s+and\b|\s)\s*[a-z]\s*=\s*[0-9])*$`)
	single     = regexp.MustCompile(`[a-z]\s*=\s*[0-9]`)
)

// Rewrite implements envs.Rewriter: statements with blanks, arrows or "and" between.
func (p *Problem) Rewrite(answer string) string {
	if !statements.MatchString(answer) {
		return answer
	}
	return strings.Join(single.FindAllString(answer, -1), ", ")
}
