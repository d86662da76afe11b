package reply

import (
	"regexp"
	"slices"
	"strings"
)

// commands maps commands of LaTeX to their plain text, which may be empty.
var commands = map[string]string{
	"times": "*", "cdot": "*", "ast": "*", "star": "*", "div": "/", "slash": "/", "minus": "-", "colon": ":", "ratio": ":",
	"lbrace": "(", "rbrace": ")", "lbrack": "(", "rbrack": ")", "lparen": "(", "rparen": ")",
	"displaystyle": "", "textstyle": "", "scriptstyle": "", "limits": "",
	"bf": "", "rm": "", "it": "", "tt": "", "sf": "", "bfseries": "", "itshape": "", "ttfamily": "",
	"tiny": "", "small": "", "normalsize": "", "large": "", "Large": "", "LARGE": "", "huge": "", "Huge": "",
	"quad": " ", "qquad": " ", "space": " ", "enspace": " ", "thinspace": " ", "newline": "\n",
	"to": " → ", "rightarrow": " → ", "longrightarrow": " → ", "Rightarrow": " → ", "Longrightarrow": " → ", "implies": " → ",
	"mapsto": " → ", "longmapsto": " → ", "leadsto": " → ", "rightsquigarrow": " → ", "xrightarrow": " → ",
	"leftarrow": "←", "uparrow": "↑", "downarrow": "↓",
}

// delimiters are the commands that size the bracket behind them.
var delimiters = []string{"left", "right", "middle",
	"big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr"}

var fractions = []string{"frac", "dfrac", "tfrac", "cfrac"}

// styles are the commands that show their argument as it is, and how many arguments before
// it choose the style: a colour is the first argument of \textcolor.
var styles = map[string]int{
	"text": 0, "textbf": 0, "textit": 0, "texttt": 0, "textrm": 0, "textsf": 0, "textsc": 0, "textnormal": 0, "emph": 0, "underline": 0,
	"mathrm": 0, "mathbf": 0, "mathit": 0, "mathtt": 0, "mathsf": 0, "mathcal": 0, "mathnormal": 0, "operatorname": 0,
	"boldsymbol": 0, "bm": 0, "pmb": 0, "bold": 0, "mbox": 0, "hbox": 0, "boxed": 0, "fbox": 0, "framebox": 0,
	"mathbin": 0, "mathrel": 0, "mathop": 0, "mathord": 0, "ensuremath": 0,
	"textcolor": 1, "colorbox": 1, "fcolorbox": 2,
}

// unseen are the commands that show nothing, and how many arguments they have.
var unseen = map[string]int{"color": 1, "begin": 1, "end": 1, "hspace": 1, "vspace": 1, "label": 1, "tag": 1, "phantom": 1, "hphantom": 1, "vphantom": 1}

// columns are the environments whose second argument sets the columns.
var columns = regexp.MustCompile(`^ *\{(?:array|tabular|alignedat|alignat)\*?\}`)

// mixed matches the arguments of a fraction of two numbers, which after a number is added
// to it or multiplied with it: the text leaves it open.
var mixed = regexp.MustCompile(`^\s*(?:\{\s*[0-9]+\s*\}|[0-9])\s*(?:\{\s*[0-9]+\s*\}|[0-9])`)

// A group is opened by a brace.
type group struct {
	kind     kind
	bracket  int  // of a plain group: where its bracket is in the output
	sign     bool // it holds + - * / or :
	operand  bool // it ends with something to calculate with
	operator bool // it holds a sign behind something to calculate with
}

type kind byte

const (
	plain       kind = iota // becomes brackets if it holds a calculation
	argument                // of a command that shows it as it is
	numerator               // of a fraction, with the denominator to come
	denominator             // of a fraction
)

// plainLatex writes formulas of LaTeX as plain text: a fraction as ((a)/(b)), commands as
// their meaning, and braces around a calculation as brackets. An unknown command stays.
func plainLatex(text string) string {
	l := latex{text: text, groups: make([]group, 1, 8)}
	for l.pos < len(text) {
		l.step()
	}
	for _, g := range l.groups[1:] {
		if g.kind == plain {
			l.bare = append(l.bare, g.bracket)
		}
	}
	slices.Sort(l.bare)
	var out strings.Builder
	from := 0
	for _, bracket := range l.bare {
		out.Write(l.out[from:bracket])
		from = bracket + 1
	}
	out.Write(l.out[from:])
	return out.String()
}

type latex struct {
	text   string
	pos    int
	out    []byte
	bare   []int   // where in out brackets are left out
	last   byte    // of the output, blanks aside
	groups []group // the first is the text itself
	next   kind    // the kind of the group that the next brace opens
}

func (l *latex) write(text string) {
	l.out = append(l.out, text...)
	top := &l.groups[len(l.groups)-1]
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case isBlank(c):
			continue
		case strings.IndexByte("+-*/:", c) >= 0:
			top.sign = true
			top.operator = top.operator || top.operand
		default:
			top.operand = strings.IndexByte("=,;(", c) < 0
		}
		l.last = c
	}
}

func (l *latex) step() {
	c := l.text[l.pos]
	l.pos++
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
		l.write(l.text[l.pos-1 : l.pos])
	}
}

func (l *latex) command() {
	rest := strings.TrimLeft(l.text[l.pos:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	name := l.text[l.pos : len(l.text)-len(rest)]
	l.pos += len(name)
	shown, known := commands[name]
	before, styled := styles[name]
	arguments, hidden := unseen[name]
	switch {
	case name == "":
		l.symbol()
	case known:
		l.write(shown)
	case styled:
		l.skip(before)
		if l.argument() {
			l.next = argument
		}
	case hidden:
		if name == "begin" && columns.MatchString(rest[:min(len(rest), 20)]) {
			arguments++
		}
		l.skip(arguments)
	case slices.Contains(delimiters, name):
		if strings.HasPrefix(rest, ".") { // in the place of a bracket it shows nothing
			l.pos++
		}
	case slices.Contains(fractions, name):
		l.fraction()
	default:
		l.write(`\` + name)
	}
}

// unread is written in place of a fraction that cannot be read, so that the answer does not parse.
const unread = `\frac`

// fraction reads the numerator of a fraction, or begins to.
func (l *latex) fraction() {
	if l.last >= '0' && l.last <= '9' && mixed.MatchString(l.text[l.pos:min(len(l.text), l.pos+80)]) {
		l.write(unread)
	} else if l.argument() {
		l.next = numerator
	} else if digit := l.digit(); digit != "" {
		l.write("((" + digit + ")")
		l.over()
	} else {
		l.write(unread)
	}
}

// over reads the denominator of a fraction, or begins to.
func (l *latex) over() {
	if l.argument() {
		l.next = denominator
	} else if digit := l.digit(); digit != "" && !startsWithDigit(l.text[l.pos:]) {
		l.write("/(" + digit + "))")
	} else {
		l.write(unread)
	}
}

func startsWithDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// digit reads a digit, which is an argument without braces; "": another character follows.
func (l *latex) digit() string {
	rest := strings.TrimLeft(l.text[l.pos:], " \t\r\n")
	if !startsWithDigit(rest) {
		return ""
	}
	l.pos = len(l.text) - len(rest) + 1
	return rest[:1]
}

// argument reports whether an argument in braces follows, and passes over blanks before it.
func (l *latex) argument() bool {
	rest := strings.TrimLeft(l.text[l.pos:], " \t\r\n")
	if !strings.HasPrefix(rest, "{") {
		return false
	}
	l.pos = len(l.text) - len(rest)
	return true
}

// skip passes over arguments in braces, and one in brackets before them.
func (l *latex) skip(arguments int) {
	if rest := l.text[l.pos:]; arguments > 0 && strings.HasPrefix(rest, "[") {
		if end := strings.IndexByte(rest[:min(len(rest), 100)], ']'); end >= 0 {
			l.pos += end + 1
		}
	}
	for range arguments {
		if !l.argument() {
			return
		}
		depth := 0
		for l.pos < len(l.text) {
			switch c := l.text[l.pos]; c {
			case '\\':
				l.pos++
			case '{':
				depth++
			case '}':
				depth--
			}
			l.pos = min(l.pos+1, len(l.text))
			if depth == 0 {
				break
			}
		}
	}
}

func (l *latex) symbol() {
	if l.pos == len(l.text) {
		l.write(`\`)
		return
	}
	c := l.text[l.pos]
	l.pos++
	switch c {
	case ',', ';', ':', ' ':
		l.write(" ")
	case '!', '(', ')', '[', ']':
	case '{':
		l.write("(")
	case '}':
		l.write(")")
	case '\\':
		l.write("\n")
		l.pos += len(spacing.FindString(l.text[l.pos:min(len(l.text), l.pos+20)]))
	default:
		l.write(l.text[l.pos-1 : l.pos])
	}
}

// spacing matches the space that the end of a line adds before the next one.
var spacing = regexp.MustCompile(`^\[[0-9.]+ *(?:pt|em|ex|mm|cm)\]`)

func (l *latex) open() {
	if strings.HasPrefix(l.text[l.pos:], ",}") { // between thousands
		l.write(",")
		l.pos += 2
		return
	}
	g := group{kind: l.next, bracket: len(l.out)}
	switch l.next {
	case plain:
		l.out = append(l.out, '(') // its closing brace decides what it is
	case numerator:
		l.write("((")
	case denominator:
		l.write("/(")
	}
	l.groups = append(l.groups, g)
	l.next = plain
}

func (l *latex) close() {
	l.next = plain
	if len(l.groups) == 1 {
		return
	}
	last := l.groups[len(l.groups)-1]
	l.groups = l.groups[:len(l.groups)-1]
	switch last.kind {
	case plain:
		if last.operator {
			l.write(")")
		} else {
			l.bare = append(l.bare, last.bracket)
		}
	case argument:
	case numerator:
		l.write(")")
		l.over()
	case denominator:
		l.write("))")
	}
	// The group around it shows what this one shows.
	top := &l.groups[len(l.groups)-1]
	top.sign = top.sign || last.sign
	top.operator = top.operator || last.sign && top.operand || last.kind == argument && last.operator
	top.operand = top.operand && !last.sign || last.operand
}
