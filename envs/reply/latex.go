package reply

import "strings"

// commands are those of LaTeX that stand for something else, or for nothing.
var commands = map[string]string{
	"times": "*", "cdot": "*", "ast": "*", "star": "*", "div": "/", "minus": "-",
	"left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "Bigl": "", "Bigr": "", "displaystyle": "",
	"quad": " ", "qquad": " ", "space": " ", "newline": "\n",
	"text": "", "textbf": "", "textit": "", "texttt": "", "textrm": "", "mathrm": "", "mathbf": "", "mathit": "", "mathtt": "", "mathsf": "", "operatorname": "",
	"boxed": "", "fbox": "", "mathbin": "", "ensuremath": "",
	"to": " → ", "rightarrow": " → ", "longrightarrow": " → ", "Rightarrow": " → ", "implies": " → ",
	"leftarrow": "←", "uparrow": "↑", "downarrow": "↓",
	"frac": "", "dfrac": "", "tfrac": "", "cfrac": "",
}

// A group is what a brace opened.
type group byte

const (
	plain       group = iota
	numerator         // of a fraction, with the denominator to come
	denominator       // of a fraction
	nothing           // an argument that is left out
)

// plainLatex writes formulas of LaTeX as plain text: a fraction as (a)/(b), commands as what
// they stand for, groups without their braces. A command that it does not know stays.
func plainLatex(text string) string {
	l := latex{text: text}
	for l.at < len(text) {
		l.step()
	}
	return l.out.String()
}

type latex struct {
	text   string
	at     int
	out    strings.Builder
	groups []group
	next   group // what the next brace opens
	left   int   // groups that are left out, around what is read
}

func (l *latex) write(text string) {
	if l.left == 0 {
		l.out.WriteString(text)
	}
}

// step reads one thing.
func (l *latex) step() {
	c := l.text[l.at]
	l.at++
	switch c {
	case '\\':
		l.command()
	case '{':
		l.open()
	case '}':
		l.close()
	case '$', '&':
	case '~':
		l.write(" ")
	default:
		l.write(l.text[l.at-1 : l.at])
	}
}

func (l *latex) command() {
	end := l.at
	for end < len(l.text) && (l.text[end]|0x20) >= 'a' && (l.text[end]|0x20) <= 'z' {
		end++
	}
	name := l.text[l.at:end]
	if name == "" {
		l.symbol()
		return
	}
	l.at = end
	plain, known := commands[name]
	switch {
	case name == "begin" || name == "end":
		l.next = nothing
	case strings.HasSuffix(name, "frac") && known && l.argument():
		l.next = numerator
	case strings.HasSuffix(name, "frac"):
		l.write(`\frac`) // \frac12 is not read, so that the answer does not parse
	case known:
		l.write(plain)
	default:
		l.write(`\` + name)
	}
}

// argument says whether an argument in braces follows, and passes over blanks before it.
func (l *latex) argument() bool {
	rest := strings.TrimLeft(l.text[l.at:], " ")
	if !strings.HasPrefix(rest, "{") {
		return false
	}
	l.at = len(l.text) - len(rest)
	return true
}

// symbol reads a command of one sign.
func (l *latex) symbol() {
	if l.at == len(l.text) {
		l.write(`\`)
		return
	}
	c := l.text[l.at]
	l.at++
	switch c {
	case ',', ';', ':', ' ':
		l.write(" ")
	case '!', '(', ')', '[', ']':
	case '\\':
		l.write("\n")
	default:
		l.write(l.text[l.at-1 : l.at])
	}
}

func (l *latex) open() {
	if strings.HasPrefix(l.text[l.at:], ",}") { // between thousands
		l.write(",")
		l.at += 2
		return
	}
	switch l.next {
	case numerator:
		l.write("(")
	case denominator:
		l.write("/(")
	case nothing:
		l.left++
	}
	l.groups = append(l.groups, l.next)
	l.next = plain
}

func (l *latex) close() {
	l.next = plain
	if len(l.groups) == 0 {
		return
	}
	last := l.groups[len(l.groups)-1]
	l.groups = l.groups[:len(l.groups)-1]
	switch last {
	case numerator:
		if l.write(")"); l.argument() {
			l.next = denominator
		} else {
			l.write(`\frac`)
		}
	case denominator:
		l.write(")")
	case nothing:
		l.left--
	}
}
