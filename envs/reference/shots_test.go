package reference_test

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/judging"
	"modebench/envs/reference"
)

// TestShotsAreRight takes every answer of the solved examples apart and works all of its values
// out again from the prompt alone, beside the judge. A right result by way of wrong values is
// no example to learn from.
func TestShotsAreRight(t *testing.T) {
	const shots = 16
	takeApart := map[string]func(prompt, answer string) error{
		"coins": apartCoins, "countdown": apartCountdown, "derivation": apartDerivation, "maze": apartMaze, "multiplication": apartMultiplication,
		// The judge alone: an arm has no values, and a pair is held against the relation itself.
		"bandit": nil, "polynomial": nil,
	}
	for _, name := range envs.Names() {
		apart, known := takeApart[name]
		if !known {
			t.Fatalf("%s: no way to take its answers apart", name)
		}
		for _, pose := range []string{"", "?candidates=3"} {
			line := lines(t, reference.Dataset{First: parse(t, name+"/test/0"+pose), Count: 1, Shots: shots})[0]
			for i := range shots {
				prompt, response := line.Messages[2*i].Content, line.Messages[2*i+1].Content
				q := examples(t, name, pose, prompt)
				judged := judging.Judge(q, response, judging.Strict).Verdicts
				answers := tagged.FindAllStringSubmatch(response, -1)
				if len(answers) != len(judged) {
					t.Fatalf("%s%s: %d answers and %d verdicts: %s", name, pose, len(answers), len(judged), response)
				}
				for j, v := range judged {
					if want := rewardOf(name, answers[j][2], v.Reward); !v.Correct || !slices.Equal(v.Reward, want) {
						t.Errorf("%s%s, example %d: %q is judged %v, want %v", name, pose, i, answers[j][2], v.Reward, want)
					}
					if apart == nil {
						continue
					}
					if err := apart(prompt, answers[j][2]); err != nil {
						t.Errorf("%s%s, example %d: %q: %v", name, pose, i, answers[j][2], err)
					}
				}
			}
		}
	}
}

// TestReasoning works every step of the thoughts out again. The last step gives the target of
// the problem. Without its thought an example equals that of a data set without reasoning.
func TestReasoning(t *testing.T) {
	const shots = 8
	target := regexp.MustCompile(`equals (\d+)\.|^Pay (\d+) `)
	thought := regexp.MustCompile(`(?s)^<think>(.*)</think>\n`)
	for _, name := range []string{"countdown/test/0", "countdown/test/0?candidates=2", "coins/test/0"} {
		set := reference.Dataset{First: parse(t, name), Count: 1, Shots: shots}
		plain := lines(t, set)[0]
		set.Reasoning = true
		line := lines(t, set)[0]
		for i := range shots {
			text := line.Messages[2*i+1].Content
			found := thought.FindStringSubmatch(text)
			if found == nil || strings.TrimPrefix(text, found[0]) != plain.Messages[2*i+1].Content {
				t.Fatalf("%s, example %d: %q, want a thought before %q", name, i, text, plain.Messages[2*i+1].Content)
			}
			asked := strings.Join(target.FindStringSubmatch(line.Messages[2*i].Content)[1:], "")
			for calculation := range strings.SplitSeq(found[1], "\n") {
				last := ""
				for step := range strings.SplitSeq(strings.TrimSuffix(calculation, "."), ", ") {
					var side string
					side, last, _ = strings.Cut(step, " = ")
					if err := equals("("+side+")-("+last+")", "0"); err != nil {
						t.Errorf("%s, example %d: %q: %v", name, i, step, err)
					}
				}
				if last != asked {
					t.Errorf("%s, example %d: it ends with %q, want %s", name, i, last, asked)
				}
			}
		}
	}
	set := reference.Dataset{First: parse(t, "maze/test/0"), Count: 1, Shots: 1, Reasoning: true}
	if err := set.Lines(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "maze: its answers are no expressions") {
		t.Errorf("maze: %v", err)
	}
}

// rewardOf is the reward of a right answer: 1 in every component, but in two environments. A route
// to E may miss items, and a derivation may be long.
func rewardOf(name, answer string, got []float64) []float64 {
	want := slices.Repeat([]float64{1}, len(got))
	switch name {
	case "maze":
		copy(want[1:], got[1:])
	case "derivation": // DAPO's eq. 13 with the defaults, a maximum of 12 tokens and a cache of 4
		want[1] = min(1, max(0, float64(12-2*strings.Count(answer, "="))/4))
	}
	return want
}

// value is the exact value of an expression with whole numbers.
func value(expression string) (constant.Value, error) {
	exact := regexp.MustCompile(`\d+`).ReplaceAllString(expression, "$0.0") // so that / does not cut
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, exact)
	if err != nil {
		return nil, err
	}
	return tv.Value, nil
}

// equals checks that an expression has a value.
func equals(expression, want string) error {
	got, err := value(expression)
	if err != nil {
		return err
	}
	if wanted := constant.MakeFromLiteral(want, token.INT, 0); !constant.Compare(got, token.EQL, wanted) {
		return fmt.Errorf("%s is %s, want %s", expression, got, want)
	}
	return nil
}

// numbersOf are the numbers in a text, as they are written, in ascending order.
func numbersOf(text string) []string {
	return slices.Sorted(slices.Values(regexp.MustCompile(`\d+`).FindAllString(text, -1)))
}

var wholeNumbers = regexp.MustCompile(`^[\d+*() -]+$`)

func apartMultiplication(prompt, answer string) error {
	operands := regexp.MustCompile(`Compute (\d+)\*(\d+) by`).FindStringSubmatch(prompt)
	a, _ := strconv.Atoi(operands[1])
	b, _ := strconv.Atoi(operands[2])
	for side := range strings.SplitSeq(answer, "=") {
		if !wholeNumbers.MatchString(side) {
			return fmt.Errorf("a side is %q", side)
		}
		if err := equals(side, strconv.Itoa(a*b)); err != nil {
			return err
		}
	}
	return nil
}

func apartDerivation(prompt, answer string) error {
	values := map[string]int{}
	for _, m := range regexp.MustCompile(`([a-z]) = (?:(\d)|([a-z]) ([-+*]) ([a-z]))[;.]`).FindAllStringSubmatch(prompt, -1) {
		x, y := values[m[3]], values[m[5]]
		values[m[1]] = map[string]int{"+": (x + y) % 10, "-": (x - y + 10) % 10, "*": x * y % 10}[m[4]]
		if m[2] != "" {
			values[m[1]], _ = strconv.Atoi(m[2])
		}
	}
	for statement := range strings.SplitSeq(answer, ", ") {
		name, digit, _ := strings.Cut(statement, "=")
		if want, known := values[name]; !known || digit != strconv.Itoa(want) {
			return fmt.Errorf("it says %s, want %s=%d", statement, name, want)
		}
	}
	return nil
}

func apartCoins(prompt, answer string) error {
	m := regexp.MustCompile(`^Pay (\d+) with coins of ([\d, ]+)\. .* at most (\d+) coins`).FindStringSubmatch(prompt)
	coins := strings.Split(answer, "+")
	for _, coin := range coins {
		if !slices.Contains(strings.Split(m[2], ", "), coin) {
			return fmt.Errorf("there is no coin of %s", coin)
		}
	}
	if most, _ := strconv.Atoi(m[3]); len(coins) > most {
		return fmt.Errorf("%d coins, want at most %d", len(coins), most)
	}
	return equals(answer, m[1])
}

func apartCountdown(prompt, answer string) error {
	m := regexp.MustCompile(`^Use the numbers ([\d, ]+) to write an expression that equals (\d+)\.`).FindStringSubmatch(prompt)
	if got, want := numbersOf(answer), numbersOf(m[1]); !slices.Equal(got, want) {
		return fmt.Errorf("it has the numbers %v, want %v", got, want)
	}
	return equals(answer, m[2])
}

func apartMaze(prompt, answer string) error {
	grid := regexp.MustCompile(`(?s)Grid:\n(.*?)\n\n`).FindStringSubmatch(prompt)[1]
	rows := strings.Split(strings.ReplaceAll(grid, " ", ""), "\n")
	budget, _ := strconv.Atoi(regexp.MustCompile(`You have (\d+) steps`).FindStringSubmatch(prompt)[1])
	moves := strings.Fields(answer)
	if len(moves) > budget {
		return fmt.Errorf("%d steps, want at most %d", len(moves), budget)
	}
	row := slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, "S") })
	column := strings.Index(rows[row], "S")
	for i, move := range moves {
		step := map[string][2]int{"UP": {-1, 0}, "DOWN": {1, 0}, "LEFT": {0, -1}, "RIGHT": {0, 1}}[move]
		r, c := row+step[0], column+step[1]
		inside := r >= 0 && r < len(rows) && c >= 0 && c < len(rows)
		switch {
		case step == [2]int{} || !inside || rows[r][c] == '#':
			continue // a move that leads nowhere costs a step
		case rows[r][c] == 'E' && i < len(moves)-1:
			return fmt.Errorf("it goes on behind E")
		}
		row, column = r, c
	}
	if rows[row][column] != 'E' {
		return fmt.Errorf("it ends on %c", rows[row][column])
	}
	return nil
}
