package reply

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Spoken leaves the thoughts out of a response: the text between tags of thought, <think>...</think>
// or the like, which is no answer. If a closing tag comes first, the prompt opened the thought, and all
// before the tag is thought. A thought that is not closed is an error: the response ends before its
// answer.
//
// Tags have the names think, thinking, thought, thoughts and reasoning, in any case, as in
// <reasoning> and </reasoning>, <|begin_of_thought|> and <|end_of_thought|>, or [THINK] and [/THINK]
// (in capitals alone). A tag is closed by the next one of its name, so
// that others within it are part of the thought. A tag between quotation marks or backticks, or
// before the word "tags", is only mentioned and does not count.
func Spoken(response string) (string, error) {
	if !strings.ContainsAny(response, "<[") {
		return response, nil
	}
	var outside strings.Builder
	open, from, thinks := "", 0, false
	for place := 0; place < len(response); {
		next := strings.IndexAny(response[place:], "<[")
		if next < 0 {
			break
		}
		place += next
		name, closes, length := thoughtTag(response[place:])
		begin := place
		place += max(1, length)
		switch {
		case length == 0 || open != "" && (name != open || !closes) || isSpokenOf(response, begin, place):
		case open != "":
			open, from = "", place
		case closes:
			outside.Reset()
			from, thinks = place, true
		default:
			// The parts on both sides of a thought must not become one word.
			outside.WriteString(response[from:begin] + "\n")
			open, thinks = name, true
		}
	}
	switch {
	case open != "":
		return "", fmt.Errorf("the response ends in a thought: its <%s> is not closed, so there is no answer yet", open)
	case !thinks:
		return response, nil
	}
	outside.WriteString(response[from:])
	if spoken := strings.TrimSpace(outside.String()); spoken != "" {
		return spoken, nil
	}
	return "", errors.New("the response ends with a thought, and there is no answer beside it")
}

// Opened is the tag of a thought with which a prompt ends, as templates of chats end with
// <think> to have the response begin in a thought; "" if it ends without a tag.
func Opened(prompt string) string {
	prompt = strings.TrimRight(prompt, " \t\r\n")
	place := strings.LastIndexAny(prompt, "<[")
	if place < 0 {
		return ""
	}
	if _, closes, length := thoughtTag(prompt[place:]); closes || length != len(prompt)-place {
		return ""
	}
	return prompt[place:]
}

// IsThoughtTag reports whether a text is the tag of a thought and nothing else.
func IsThoughtTag(text string) bool {
	_, _, length := thoughtTag(text)
	return length > 0 && length == len(text)
}

// thought matches the tag of a thought at the beginning of a text in small letters. Attributes may
// follow the name between < and >.
var thought = regexp.MustCompile(strings.ReplaceAll(
	`^(?:<\|(?:begin|start|(end))_of_(NAME)\|>|<(/?)(NAME)(?:[ \t\r\n](?:[^<>]{0,197}[^<>/])?)?>|\[(/?)(NAME)\])`,
	"NAME", "thinking|think|thoughts|thought|reasoning"))

// thoughtTag reads the tag of thought with which a text begins: its name, whether it
// closes, and its length, which is 0 without a tag.
func thoughtTag(text string) (name string, closes bool, length int) {
	// Most texts with many brackets do not have these characters after them.
	if len(text) < 2 || strings.IndexByte("tTrR/|", text[1]) < 0 {
		return "", false, 0
	}
	m := thought.FindStringSubmatch(lowered(text[:min(len(text), 240)]))
	if m == nil || text[0] == '[' && text[:len(m[0])] != strings.ToUpper(m[0]) {
		return "", false, 0
	}
	return m[2] + m[4] + m[6], m[1]+m[3]+m[5] != "", len(m[0])
}

// longestQuoted bounds what of a line is looked at, so that long ones take no time.
const longestQuoted = 500

// opensAtEnd matches a mark at the end of a text that opens what follows, with nothing to close before it.
var opensAtEnd = regexp.MustCompile(`(?:^|[\s(\[])('|\*\*)$`)

// isSpokenOf reports whether a text speaks of the tag of a thought at begin: it is called a
// tag, marks surround it, or it is between two marks of its line, of which the first opens.
// Erring this way leaves a thought open, which is no answer.
func isSpokenOf(text string, begin, end int) bool {
	if named.MatchString(text[end:min(len(text), end+20)]) {
		return true
	}
	before, behind := text[max(0, begin-longestQuoted):begin], text[end:min(len(text), end+longestQuoted)]
	// These have other meanings, too, so they have to touch the tag.
	if mark := opensAtEnd.FindStringSubmatch(before); mark != nil && strings.HasPrefix(behind, mark[1]) {
		return true
	}
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ = strings.Cut(behind, "\n")
	for _, marks := range [][2]string{{"“", "”"}, {"‘", "’"}} {
		if open := strings.LastIndex(before, marks[0]); open >= 0 && !strings.Contains(before[open:], marks[1]) && strings.Contains(behind, marks[1]) {
			return true
		}
	}
	// Three backticks are a fence.
	before, behind = strings.ReplaceAll(before, "```", ""), strings.ReplaceAll(behind, "```", "")
	for _, mark := range []string{"`", `"`} {
		if strings.Count(before, mark)%2 == 1 && strings.Contains(behind, mark) {
			return true
		}
	}
	return false
}
