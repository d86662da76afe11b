package multiplication

import (
	"errors"
	"fmt"
	"strings"

	"modebench/envs"
)

// form is the form of an answer that errors name.
const form = "decomposition = expansion = partial products = product"

// maxSides is the largest number of sides of an answer: the four of the form, and running
// sums of the partial products. Four of these are more than enough, but a text without a
// bound could hold very many.
const maxSides = 8

var errEmpty = errors.New("the answer is empty, want " + form)

// A sideError is a side of an answer that does not parse. Its text is made when
// it is asked for.
type sideError struct {
	number int // from 1
	text   string
	err    error
}

func (e *sideError) Error() string {
	return fmt.Sprintf("side %d, %.40q: %v", e.number, e.text, e.err)
}

// sides cuts an answer at its equals signs, and allows for the question before it. The
// answer is in <answer> tags or, without tags, makes up the whole text.
func sides(dst []string, text string) ([]string, error) {
	if inside, tagged := envs.Tagged(text, "answer"); tagged {
		text = inside
	}
	if strings.TrimSpace(text) == "" {
		return dst, errEmpty
	}
	if err := envs.CheckListed(text); err != nil {
		return dst, err
	}
	if n := strings.Count(text, "=") + 1; n > maxSides+1 {
		return dst, tooMany(n)
	}
	for side := range strings.SplitSeq(text, "=") {
		dst = append(dst, side)
	}
	return dst, nil
}

func tooMany(n int) error {
	return fmt.Errorf("the answer has %d sides, want at most %d: %s, with running sums before the product", n, maxSides, form)
}
