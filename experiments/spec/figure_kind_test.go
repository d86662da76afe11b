package spec_test

import (
	"strings"
	"testing"

	"modebench/experiments/spec"
	_ "modebench/plots" // registers the kinds of figures
)

// TestFiguresOfAnswersAreChecked: the requirements of a figure of answers are checked before
// anything is trained.
func TestFiguresOfAnswersAreChecked(t *testing.T) {
	const maze = "[env]\nname = \"maze\"\n[train]\nsteps = 25\nproblems = 4\nbatch = 4\n[eval]\nevery = 10\nkeep = 2\nenumerate = 0\n[[method]]\nname = \"vpo\"\n[[method]]\nname = \"optimum\"\n[[figure]]\nname = \"f\"\n"
	const two = "components = [\"gold\", \"diamond\"]\n"
	countdown := strings.NewReplacer("maze", "countdown", "vpo", "grpo").Replace(maze)
	for _, c := range []struct{ reason, text, want string }{
		{"a front", maze + "kind = \"front\"\n" + two, ""},
		{"its last step and one on the way", maze + "kind = \"front\"\nsteps = [10, 25]\nproblem = 1\n" + two, ""},
		{"two components are all", countdown + "kind = \"front\"\n", ""},
		{"answers", maze + "kind = \"answers\"\npanel = [\"vpo\"]\n", ""},
		{"a map", maze + "kind = \"map\"\n", ""},
		{"bars", maze + "kind = \"bars\"\nmetrics = [\"reward\"]\n", ""},
		{"positions", strings.Replace(maze, "keep = 2\n", "measure = [\"branches\"]\npositions = [1, 4]\n", 1) + "kind = \"positions\"\n", ""},
		{"four components", maze + "kind = \"front\"\n", `my.toml:15: figure "f": a front is drawn in two or three components of the reward, not 4; maze has completion, gold`},
		{"an unknown component", maze + "kind = \"front\"\ncomponents = [\"gold\", \"silver\"]\n", `my.toml:18: figure "f": entry 1: got "silver", want each once, of those of maze: completion, gold`},
		{"a component twice", maze + "kind = \"front\"\ncomponents = [\"gold\", \"gold\"]\n", `my.toml:18: figure "f": entry 1: got "gold", want each once`},
		{"a step without an evaluation", maze + "kind = \"answers\"\nsteps = [7]\n", `my.toml:18: figure "f": vpo is not evaluated at step 7, but every 10 steps up to 25`},
		{"a step after the last", maze + "kind = \"answers\"\nsteps = [30]\n", `my.toml:18: figure "f": vpo is not evaluated at step 30`},
		{"a problem whose answers are not recorded", maze + "kind = \"answers\"\nproblem = 2\n", `my.toml:15: figure "f" draws answers to problem 2, and keep = 2 in [eval]`},
		{"nothing recorded", strings.Replace(maze, "keep = 2\n", "", 1) + "kind = \"answers\"\n", `figure "f" draws answers to problem 0, and keep = 0 in [eval]`},
		{"metrics of answers", maze + "kind = \"map\"\nmetrics = [\"reward\"]\n", `my.toml:18: figure "f": one of kind map has no metrics to choose`},
		{"components of a map", maze + "kind = \"map\"\n" + two, `my.toml:18: figure "f": one of kind map has no field "components"; front has`},
		{"steps of bars", maze + "kind = \"bars\"\nmetrics = [\"reward\"]\nsteps = [10]\n", `my.toml:19: figure "f": one of kind bars has no field "steps"; front, answers, map, tree has`},
		{"positions without branches", maze + "kind = \"positions\"\n", `figure "f": metric "branches@1": the spec evaluates no positions`},
		{"a tree", maze + "kind = \"tree\"\nsteps = [0, 25]\n", ""},
		{"a tree of what is not recorded", strings.Replace(maze, "keep = 2\n", "", 1) + "kind = \"tree\"\n", `figure "f" draws answers to problem 0, and keep = 0 in [eval]`},
		{"metrics of a tree", maze + "kind = \"tree\"\nmetrics = [\"reward\"]\n", `one of kind tree has no metrics to choose`},
		{"an agreement", maze + "kind = \"agreement\"\nmetrics = [\"reward\", \"pass@1\"]\n", ""},
		{"an agreement of nothing", maze + "kind = \"agreement\"\n", `figure "f" names no metrics`},
		{"an agreement of one", maze + "kind = \"agreement\"\nmetrics = [\"reward\"]\n", `figure "f": an agreement holds metrics against the first of them: want two or more`},
		{"an agreement by a field that is none", maze + "kind = \"agreement\"\nmetrics = [\"reward\", \"pass@1\"]\ncols = [\"lr\"]\n", `figure "f": no variant has a field "lr"`},
		{"claims", maze + "kind = \"claims\"\n[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"vpo\"\nsays = \"above\"\n", ""},
		{"claims of a spec without", maze + "kind = \"claims\"\n", `my.toml:15: figure "f" shows the verdicts on claims, and the spec makes no claim`},
		{"metrics of claims", maze + "kind = \"claims\"\nmetrics = [\"reward\"]\n", `one of kind claims has no metrics to choose`},
		{"a scatter", maze + "kind = \"scatter\"\nmetrics = [\"pass@1\", \"reward_l1\"]\n", ""},
		{"a scatter of one metric", maze + "kind = \"scatter\"\nmetrics = [\"reward\"]\n", `my.toml:18: figure "f": a scatter shows two metrics, x and then y, and metrics has 1`},
		{"a scatter of an unknown metric", maze + "kind = \"scatter\"\nmetrics = [\"reward\", \"rewrad\"]\n", `my.toml:18: figure "f": unknown metric "rewrad"`},
		{"a size, axes and parts", maze + "kind = \"curve\"\nmetrics = [\"reward\"]\nwidth = 5.5\nx = [5, 20]\ny = [0.1, 1]\nlog = \"xy\"\nwithout = [\"title\", \"footer\"]\nfree_y = true\n", ""},
		{"a width of nothing", maze + "kind = \"curve\"\nmetrics = [\"reward\"]\nwidth = 0\n", `my.toml:19: field "width": got 0, want a number from 1 to 20`},
		{"limits in reverse", maze + "kind = \"curve\"\nmetrics = [\"reward\"]\ny = [1, 0.5]\n", `my.toml:19: figure "f": got y = [1, 0.5], want the lower limit and then the upper one: [0, 100]`},
		{"three limits", maze + "kind = \"curve\"\nmetrics = [\"reward\"]\nx = [1, 2, 3]\n", `my.toml:19: figure "f": got x = [1, 2, 3], want the lower limit`},
		{"the logarithm of 0", maze + "kind = \"scatter\"\nmetrics = [\"pass@1\", \"reward_l1\"]\nlog = \"x\"\nx = [0, 1]\n", `my.toml:20: figure "f": got x = [0, 1], and a logarithmic axis begins above 0`},
		{"a logarithm of k", maze + "kind = \"k-curve\"\nmetrics = [\"pass\"]\nlog = \"x\"\n", `my.toml:19: figure "f": the axis of k is always logarithmic`},
		{"limits of bars", maze + "kind = \"bars\"\nmetrics = [\"reward\"]\nx = [0, 1]\n", `my.toml:19: figure "f": one of kind bars has no field "x"; curve`},
		{"the width of claims", maze + "kind = \"claims\"\nwidth = 3\n", `my.toml:18: figure "f": one of kind claims has no field "width"; curve`},
		{"bars of nothing", maze + "kind = \"bars\"\n", `figure "f" names no metrics`},
	} {
		_, err := spec.Parse("my.toml", []byte(c.text), spec.LoadOptions{Name: "my"})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s:\n got %v\nwant %q", c.reason, err, c.want)
		}
	}
}
