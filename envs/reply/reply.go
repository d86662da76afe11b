// Package reply finds the answer in a language model's response, and reads it leniently.
//
// A model that was not trained on an environment's form rarely keeps to it. It puts its answer
// into a box, behind "the answer is", or in bold, with signs of print and commands of LaTeX.
// Judge takes the last thing that the text offers as an answer. Places are tried in this order
// of classes, and of each class the last one in the text:
//
//	tag     <answer>...</answer>, in any case, with attributes, and not closed at the end
//	boxed   \boxed{...} and \fbox{...}
//	phrase  what follows "answer is", "answer:" or the like, to the end of the paragraph,
//	        the line or the sentence, what follows ####, and a field of JSON with such a name
//	code    a fenced block, inline code, or bold text
//	math    $$...$$, $...$, \[...\] or \(...\)
//	whole   the whole text
//	line    the last line that is not blank, or what follows a colon in it
//
// The first of them that the environment can read is judged, or the first of all if it can read
// none. A tag, a box or a phrase that is written like an answer and cannot be read is the answer
// all the same, unless it is the steps of a calculation: no place of another class is tried. Tags
// and boxes that are empty or named, or that represent any answer, are passed over, and so are
// those that are quoted or called an example, unless there is nothing else.
//
// Before all that the text is read strictly, as Problem.JudgeText does: an answer that
// JudgeText reads is judged so, and is a tag or the whole text. Judge does not look for
// thoughts: see Spoken, and package judging.
//
// In a place, the answer is tried unchanged, with its writing cleaned (see clean), with more of it
// taken for slips (see loosen), and last as the environment rewrites it (envs.Rewriter).
package reply

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"modebench/envs"
)

// A Class is the kind of place of the answer in a text.
type Class string

// The classes, in the order in which they are tried.
const (
	Tag    Class = "tag"
	Boxed  Class = "boxed"
	Phrase Class = "phrase"
	Code   Class = "code"
	Math   Class = "math"
	Whole  Class = "whole"
	Line   Class = "line"
)

// Judge judges the answer that a text offers, and returns its place.
func Judge(p envs.Problem, text string) (*envs.Verdict, Class) {
	a := attempts{problem: p}
	strict := a.judge(text)
	if strict.Err == nil {
		if _, tagged := envs.Tagged(text, tagName); tagged {
			return strict, Tag
		}
		return strict, Whole
	}
	var first, attempted *envs.Verdict
	var class, last Class
	for _, place := range places(text) {
		if attempted != nil && place.class != last {
			return attempted, last
		}
		if v := a.answer(place.text, place.formula); v != nil {
			return v, place.class
		}
		if first == nil {
			first, class = a.judge(place.text), place.class
		}
		if last = place.class; place.declared && attempted == nil && isAttempt(place.text) {
			attempted = a.judge(place.text)
		}
	}
	return first, class
}

// between matches the signs between the numbers of a calculation, readable or not.
const between = `(?:[-+*/=,;:()^!%\s]|\\[a-z]+)`

// likeAnswer matches an answer, in plain signs and small letters, that fails to be one: a calculation
// or a list of numbers, statements of more than one value, or moves.
var likeAnswer = regexp.MustCompile(`^(?:` + between + `*[0-9.]+(?:` + between + `+[0-9.]+)+` + between + `*|` +
	`[a-z]\s*=\s*[-0-9.]+(?:[,;\s]+(?:and\s+)?[a-z]\s*=\s*[-0-9.]+)+|` +
	`[^a-z]*\b(?:up|down|left|right)\b(?:[^a-z]*\b(?:up|down|left|right)\b)+[^a-z]*)$`)

// longestAttempt bounds what is looked at.
const longestAttempt = 2000

// refusal matches a text that denies an answer: "no solution", "not E".
var refusal = regexp.MustCompile("^(?:(?:there (?:is|are) )?(?:none|no (?:(?:valid|such|possible) )?(?:solutions?|answers?|expressions?|pairs?|routes?|ways?)(?: (?:exists?|found|here))?|nothing)|" +
	"impossible|not possible|unknown|n/a|(?:i )?(?:do not|don[’']t|cannot|can[’']t|can not|could not|couldn[’']t) .{0,80}|not .{0,200})$")

// isAttempt reports whether a text is written like an answer, or denies that there is an
// answer. If a model declares such a text to be its answer, it has no other, though it may
// have looked at others before.
func isAttempt(text string) bool {
	text = within(text)
	if len(text) > longestAttempt {
		return false
	}
	plain := lowered(clean(text, false))
	if refusal.MatchString(plain) && !remark.MatchString(plain) {
		return true
	}
	text = lowered(loosen(plain))
	// With more than one equation it is rather the steps of a calculation.
	return likeAnswer.MatchString(text) && (strings.Count(text, "=") < 2 || strings.IndexFunc(text, unicode.IsLetter) >= 0)
}

// JudgeAnswer judges a text that is an answer and nothing else, whatever its writing. If no
// writing parses, the verdict is that of the unchanged text.
func JudgeAnswer(p envs.Problem, text string) *envs.Verdict {
	a := attempts{problem: p}
	if v := a.answer(text, false); v != nil {
		return v
	}
	return a.judge(text)
}

// attempts are the writings of answers that were judged and do not parse.
type attempts struct {
	problem envs.Problem
	tried   []attempt
	answers []string // all of whose writings were tried
}

type attempt struct {
	writing string // the text between the tags, if there are tags
	verdict *envs.Verdict
}

// judge judges a writing, unless it was judged before.
func (a *attempts) judge(writing string) *envs.Verdict {
	inside := within(writing)
	for _, before := range a.tried {
		if inside == before.writing {
			return before.verdict
		}
	}
	v := a.problem.JudgeText(writing)
	a.tried = append(a.tried, attempt{inside, v})
	return v
}

// within is the text between the tags, or the writing itself.
func within(writing string) string {
	inside, tagged := envs.Tagged(writing, tagName)
	if !tagged {
		inside = writing
	}
	return strings.TrimSpace(inside)
}

// longestAnswer bounds what is read leniently: far more than any answer needs.
const longestAnswer = 1 << 15

// answer is the verdict of the first writing of an answer that parses; nil: none does. A formula has
// no marks of Markdown.
func (a *attempts) answer(text string, formula bool) *envs.Verdict {
	if v := a.judge(text); v.Err == nil {
		return v
	}
	text = within(text)
	if slices.Contains(a.answers, text) {
		return nil
	}
	if a.answers = append(a.answers, text); len(text) > longestAnswer {
		return nil
	}
	cleaned := clean(text, formula)
	if v := a.judge(cleaned); v.Err == nil {
		return v
	}
	loose := loosen(cleaned)
	if v := a.judge(loose); v.Err == nil {
		return v
	}
	r, ok := a.problem.(envs.Rewriter)
	if !ok {
		return nil
	}
	for _, writing := range []string{cleaned, loose} {
		if v := a.judge(r.Rewrite(writing)); v.Err == nil {
			return v
		}
	}
	return nil
}

type place struct {
	class    Class
	text     string
	formula  bool // it has no marks of Markdown
	declared bool // the text declares it to be the answer
}

// places lists the places of a text in the order in which they are tried. There is always the
// whole text.
func places(text string) []place {
	var out []place
	add := func(p place, parts ...string) {
		for _, p.text = range parts {
			if strings.TrimSpace(p.text) != "" {
				out = append(out, p)
			}
		}
	}
	lower := lowered(text)
	tagged, boxed := tags(text, lower), boxes(text)
	add(place{class: Tag, declared: true}, tagged.answer...)
	add(place{class: Boxed, declared: true, formula: true}, boxed.answer...)
	for _, s := range phrases(text, lower) {
		add(place{class: Phrase, declared: s.declared}, s.text)
	}
	add(place{class: Code}, code(text)...)
	add(place{class: Math}, mathLine(text)...)
	add(place{class: Math, formula: true}, math(text)...)
	out = append(out, place{class: Whole, text: text})
	add(place{class: Line}, lines(text)...)
	add(place{class: Tag}, tagged.examples...)
	add(place{class: Boxed}, boxed.examples...)
	return out
}

// lowered has the letters of ASCII in lower case, and every byte in its place.
func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
