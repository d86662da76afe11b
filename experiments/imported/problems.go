package imported

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/envs/reference"
)

// Prompts are the problems that the prompts of a log are of: those that follow each other in
// a split.
type Prompts struct {
	First *reference.Reference
	Count int // 1 or more
}

type problem struct {
	*reference.Posed
	ref  *reference.Reference
	kind string // shared with the problems that differ from it by number alone
}

// problems finds the problems of lines. Each is made once.
type problems struct {
	asked   *Prompts            // nil: lines have references
	made    map[string]*problem // by reference
	cache   *reference.Cache
	prompts map[string]*problem // by the prompt of a line
	asking  []*problem          // those asked for, each once, though several numbers may name it
	texts   []string            // the statements of these
	exact   map[string][]int    // places in asking, by prompt
}

// find is the problem of a line. Its id is looked at first. Where prompts are asked for, an id
// that is no reference is passed over: logs have names of their own.
func (p *problems) find(l *Line) (*problem, error) {
	if l.ID != "" {
		ref, err := reference.Parse(l.ID)
		var q *problem
		if err == nil {
			q, err = p.byReference(ref)
		}
		if err == nil || p.asked == nil {
			return q, err
		}
	}
	switch {
	case p.asked == nil:
		return nil, errors.New("no id names the problem that it answers: want a reference such as countdown/train/17 (--field id=NAME names its field), or --env for logs with prompts alone")
	case strings.TrimSpace(l.Prompt) == "":
		return nil, errors.New("it has neither the reference of a problem nor a prompt (--field prompt=NAME names its field)")
	}
	if q := p.prompts[l.Prompt]; q != nil {
		return q, nil
	}
	q, err := p.byPrompt(strings.TrimSpace(l.Prompt))
	if err == nil {
		p.prompts[l.Prompt] = q
	}
	return q, err
}

func (p *problems) byReference(ref *reference.Reference) (*problem, error) {
	name := ref.String()
	if q := p.made[name]; q != nil {
		return q, nil
	}
	posed, err := p.cache.Find(name, nil)
	if err != nil {
		return nil, err
	}
	first := *ref
	first.Index = 0
	p.made[name] = &problem{Posed: posed, ref: ref, kind: first.String()}
	return p.made[name], nil
}

// byPrompt is the problem that has this prompt or, without one, whose prompt is contained in it:
// templates of chats and solved examples surround it.
func (p *problems) byPrompt(prompt string) (*problem, error) {
	if err := p.pose(); err != nil {
		return nil, err
	}
	found := p.exact[prompt]
	if found == nil {
		for i, text := range p.texts {
			if strings.Contains(prompt, text) {
				found = append(found, i)
			}
		}
		// A prompt that is part of another found prompt is no evidence.
		found = slices.DeleteFunc(slices.Clone(found), func(i int) bool {
			return slices.ContainsFunc(found, func(j int) bool { return p.texts[i] != p.texts[j] && strings.Contains(p.texts[j], p.texts[i]) })
		})
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("the prompt %.60q belongs to no problem: %d from %s on", prompt, p.asked.Count, p.asked.First)
	case 1:
		return p.asking[found[0]], nil
	}
	why := ""
	if p.texts[found[0]] == p.texts[found[1]] {
		why = ", whose solutions differ"
	}
	return nil, fmt.Errorf("the prompt %.60q belongs to several problems, %s and %s%s: lines need an id", prompt, p.asking[found[0]].ref, p.asking[found[1]].ref, why)
}

// pose makes the prompts of the problems asked for. Where numbers name one problem, it has the
// first of them.
func (p *problems) pose() error {
	if p.exact != nil {
		return nil
	}
	p.exact = map[string][]int{}
	for i := range p.asked.Count {
		ref := *p.asked.First
		ref.Index += i
		q, err := p.byReference(&ref)
		if err != nil {
			return err
		}
		text := strings.TrimSpace(q.Prompt())
		if slices.ContainsFunc(p.exact[text], func(index int) bool { return p.asking[index].Same(q.Posed) }) {
			continue
		}
		p.exact[text] = append(p.exact[text], len(p.asking))
		// An example of an answer, of another problem, follows the statement. Logs may be older than its words.
		text, _, _ = strings.Cut(text, ", for example")
		p.asking, p.texts = append(p.asking, q), append(p.texts, text)
	}
	return nil
}
