package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/internal/testkit"
)

// plant is a bug as people make them: one place of the source, written wrong. The wrong
// text does what the right one does unless PLANTED, which is true in the run of this bug.
type plant struct {
	name, file string
	right      string // in the file, once
	wrong      string
	// The check has to name all of moved and no method of still, and report that metrics moved.
	moved, still []string
	metrics      []string
	trained      string // its line on training
}

var plants = []plant{
	{
		name: "std instead of mean", file: "estimators/maxrl.go",
		right:   "dst[i] = (r - mean) / (mean + e.Epsilon)",
		wrong:   "dst[i] = (r - mean) / (mean + e.Epsilon)\n\t\tif PLANTED {\n\t\t\t_, sd := Deviation(rewards, 0)\n\t\t\tdst[i] = (r - mean) / (sd + e.Epsilon)\n\t\t}",
		moved:   []string{"maxrl"},
		still:   []string{"base", "grpo", "rloo", "dr-grpo", "poly-epo"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "ddof", file: "estimators/statistics.go",
		right: "return centre, math.Sqrt(square / float64(len(xs)-ddof))",
		wrong: "if PLANTED {\n\t\tddof = 0\n\t}\n\treturn centre, math.Sqrt(square / float64(len(xs)-ddof))",
		// Those whose deviation divides by G - 1 move, those that divide by G do not.
		moved:   []string{"grpo@verl", "grpo@trl", "gdpo"},
		still:   []string{"base", "grpo@vpo", "vpo", "rloo", "maxrl"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "leave-one-out of a set score", file: "estimators/sets/setrl.go",
		right:   "		estimators.ZeroBelow(dst, estimators.Rounding(scores))\n		return nil",
		wrong:   "		total := estimators.Mean(dst) * float64(len(dst))\n\t\tfor i, a := range dst {\n\t\t\tif PLANTED {\n\t\t\t\tdst[i] = a - (total-a)/float64(len(dst)-1)\n\t\t\t}\n\t\t}\n\t\testimators.ZeroBelow(dst, estimators.Rounding(scores))\n\t\treturn nil",
		moved:   []string{"set-rl", "poly-epo", "pass-n"},
		still:   []string{"base", "grpo", "grpo-div", "pkpo", "max-at-k"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "a group-index mix-up", file: "estimators/groupwise.go",
		right:   "out := dst[g]\n",
		wrong:   "out := dst[g]\n\t\tif PLANTED {\n\t\t\tout = dst[(g+1)%len(b.Groups)]\n\t\t}\n",
		moved:   []string{"grpo", "rloo", "poly-epo", "setpo+grpo", "vpo", "evol-rl", "pkpo"},
		still:   []string{"base", "optimum"},
		metrics: []string{"train.loss"}, trained: "training moved in all of them",
	},
	{
		name: "a biased Clip-Cov choice", file: "estimators/loss/covariance.go",
		right:   "j := i + c.rand.IntN(len(c.order)-i)",
		wrong:   "j := i // the first tokens, always\n\t\tif !PLANTED {\n\t\t\tj += c.rand.IntN(len(c.order)-i)\n\t\t}",
		moved:   []string{"clip-cov"},
		still:   []string{"base", "grpo", "kl-cov"},
		metrics: []string{"train.entropy"}, trained: "training moved in all of them",
	},
	{
		name: "best@k with replacement", file: "metrics/choice.go",
		right:   "if p := c.hit(whole[i], part[i]); p >= 1 {",
		wrong:   "p := c.hit(whole[i], part[i])\n\t\tif PLANTED && c.n > 0 && c.r == 0 {\n\t\t\tmiss := 1.0\n\t\t\tfor range c.q {\n\t\t\t\tmiss *= 1 - whole[i]/float64(c.n)\n\t\t\t}\n\t\t\tp = 1 - miss\n\t\t}\n\t\tif p >= 1 {",
		moved:   []string{"base", "grpo", "poly-epo"},
		still:   []string{"optimum"},
		metrics: []string{"best@4"}, trained: "training is the same to the bit",
	},
	{
		name: "a risk that is not divided", file: "estimators/reweighted/rsgrpo.go",
		right:   "dst[i] = (x/mean - 1) / e.Beta",
		wrong:   "dst[i] = (x/mean - 1) / e.Beta\n\t\tif PLANTED {\n\t\t\tdst[i] = x/mean - 1\n\t\t}",
		moved:   []string{"rs-grpo"},
		still:   []string{"grpo", "ucpo", "w-reinforce"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "wrong rollouts keep their size", file: "estimators/reweighted/rarity.go",
		right:   "dst[i] *= power(float64(e.clusters.SizeOf(i)), -e.Alpha)",
		wrong:   "if PLANTED && dst[i] < 0 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\tdst[i] *= power(float64(e.clusters.SizeOf(i)), -e.Alpha)",
		moved:   []string{"uniqueness-aware"},
		still:   []string{"grpo", "f-grpo", "darling"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "the share solved in place of that unsolved", file: "estimators/reweighted/rarity.go",
		right:   "wrong := float64(len(rollouts) - countCorrect(rollouts))",
		wrong:   "wrong := float64(len(rollouts) - countCorrect(rollouts))\n\t\tif PLANTED {\n\t\t\twrong = float64(countCorrect(rollouts))\n\t\t}",
		moved:   []string{"f-grpo"},
		still:   []string{"grpo", "uniqueness-aware", "psr"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "likeliest first", file: "estimators/reweighted/likelihood.go",
		right:   "float64(k+ahead)",
		wrong:   "func() float64 {\n\t\t\tif PLANTED {\n\t\t\t\treturn float64(len(rewards) - 1 - k + ahead)\n\t\t\t}\n\t\t\treturn float64(k + ahead)\n\t\t}()",
		moved:   []string{"unlikeliness"},
		still:   []string{"grpo", "darling"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "the lead over the mean", file: "estimators/passk/grpopassk.go",
		right:   "lead := rewards[best] - rewards[second]",
		wrong:   "lead := rewards[best] - rewards[second]\n\t\tif PLANTED {\n\t\t\tlead = rewards[best] - estimators.Mean(rewards)\n\t\t}",
		moved:   []string{"grpo-passk"},
		still:   []string{"grpo@verl", "passk-training", "pass-n"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "no 1 over N", file: "estimators/maclaurin/maclaurin.go",
		right:   "float64(max(right, 1)*n), -1 / float64(n)",
		wrong:   "float64(max(right, 1)*n), func() float64 {\n\t\t\t\tif PLANTED {\n\t\t\t\t\treturn -1\n\t\t\t\t}\n\t\t\t\treturn -1 / float64(n)\n\t\t\t}()",
		moved:   []string{"maxrl-vr-cond"},
		still:   []string{"maxrl", "maclaurin", "maxrl-oversample"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "a bonus by the count and not its root", file: "estimators/exploration/outcome.go",
		right:   "return 1 / math.Sqrt(float64(max(1, counts[answer])))",
		wrong:   "if PLANTED {\n\t\treturn 1 / float64(max(1, counts[answer]))\n\t}\n\treturn 1 / math.Sqrt(float64(max(1, counts[answer])))",
		moved:   []string{"outcome-ucb", "outcome-ucb-mean", "outcome-ucb-con"},
		still:   []string{"grpo", "outcome-batch"},
		metrics: []string{"train.advantage"}, trained: "training moved in all of them",
	},
	{
		name: "tokens of low entropy", file: "estimators/loss/advantage.go",
		right:   "if h < least {",
		wrong:   "if PLANTED && h > least || !PLANTED && h < least {",
		moved:   []string{"forking-tokens"},
		still:   []string{"dapo", "repo-r", "entropy-shaped"},
		metrics: []string{"train.loss"}, trained: "training moved in all of them",
	},
	{
		name: "an unlikely token that counts less", file: "estimators/loss/advantage.go",
		right:   "bonus := float64(zeta * t.Logp[k])",
		wrong:   "bonus := float64(zeta * t.Logp[k])\n\t\tif PLANTED {\n\t\t\tbonus = -bonus\n\t\t}",
		moved:   []string{"repo-r"},
		still:   []string{"grpo", "forking-tokens", "opsm"},
		metrics: []string{"train.loss"}, trained: "training moved in all of them",
	},
	{
		name: "wrong answers spread too", file: "estimators/loss/simko.go",
		right:   "correct && k < t.Start[s+1]",
		wrong:   "(correct || PLANTED) && k < t.Start[s+1]",
		moved:   []string{"simko"},
		still:   []string{"grpo", "forking-tokens", "topr"},
		metrics: []string{"train.grad_norm"}, trained: "training moved in all of them",
	},
	{
		name: "no log Z", file: "estimators/loss/flow.go",
		right:   "return sum / float64(max(n, 1))",
		wrong:   "if PLANTED {\n\t\treturn 0\n\t}\n\treturn sum / float64(max(n, 1))",
		moved:   []string{"flowrl-vargrad"},
		still:   []string{"grpo", "simko", "vespo"},
		metrics: []string{"train.loss"}, trained: "training moved in all of them",
	},
	{
		name: "half of the Jensen-Shannon divergence", file: "estimators/loss/stored.go",
		right:   "half := exact.Log((u + 1) / 2)",
		wrong:   "half := exact.Log((u + 1) / 2)\n\tif PLANTED {\n\t\thalf /= 2\n\t}",
		moved:   []string{"dph-js"},
		still:   []string{"grpo", "dph-forward", "dph-alpha"},
		metrics: []string{"train.loss"}, trained: "training moved in all of them",
	},
}

// bugOfRun is the environment variable with the number of the program's bug.
const bugOfRun = "MODEBENCH_TEST_BUG"

// TestPlantedBugs builds the program with the bugs in its source and not in a replacement for
// it, each behind a switch. Without one, bench check has to stay green. With one, it has to
// turn red and to name the methods that moved.
func TestPlantedBugs(t *testing.T) {
	testkit.Long(t, "builds the program anew, and runs it with each bug")
	program := buildPlanted(t)
	check := func(t *testing.T, bug string, want int, methods ...string) string {
		cmd := exec.Command(program, "check", "--verbose", "--methods", strings.Join(methods, ","))
		cmd.Env = append(os.Environ(), bugOfRun+"="+bug)
		out, err := cmd.Output()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Fatalf("bench check ended with %v, want exit code %d\n%.2000s", err, want, out)
		}
		return string(out)
	}
	var all []string
	for _, p := range plants {
		methods := slices.Concat(p.moved, p.still) // nothing is said of others
		t.Run(p.name, func(t *testing.T) { p.judge(t, check(t, p.name, exitMoved, methods...)) })
		all = append(all, methods...)
	}
	slices.Sort(all)
	t.Run("none", func(t *testing.T) { check(t, "", exitOK, slices.Compact(all)...) })
}

// buildPlanted compiles the program with every bug in place of its line.
func buildPlanted(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	replaced, texts := map[string]string{}, map[string]string{}
	for i, p := range plants { // several may be in one file
		file := filepath.Join(root, filepath.FromSlash(p.file))
		if texts[file] == "" {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(data)
		}
		texts[file] = p.plantIn(t, texts[file], i)
		replaced[file] = write(fmt.Sprintf("wrong%d.go", i), texts[file])
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "bench")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", write("overlay.json", string(list)), "-o", program, "./cmd/bench")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// plantIn returns the text of a file with the bug in place of the line, and the bug's switch.
func (p *plant) plantIn(t *testing.T, text string, number int) string {
	t.Helper()
	if n := strings.Count(text, p.right); n != 1 {
		t.Fatalf("%s holds %q %d times, want once: plant the bug anew", p.file, p.right, n)
	}
	name := fmt.Sprintf("plantedBug%d", number) // several of the files are of one package
	text = strings.Replace(text, p.right, strings.ReplaceAll(p.wrong, "PLANTED", name), 1)
	if clause := "import plantedos"; !strings.Contains(text, clause) {
		end := packageClause.FindStringIndex(text)[1]
		text = text[:end] + "\n\n" + clause + " \"os\"\n" + text[end:]
	}
	return text + fmt.Sprintf("\nvar %s = plantedos.Getenv(%q) == %q\n", name, bugOfRun, p.name)
}

var movedLine = regexp.MustCompile(`(?m)^moved: (\S+)[^:]* on (\S+?)(?:, seed \d+)?: (.*)$`)

// judge holds the output of the check against the effect of the bug.
func (p *plant) judge(t *testing.T, out string) {
	t.Helper()
	shifts := map[string]string{} // by method
	for _, m := range movedLine.FindAllStringSubmatch(out, -1) {
		shifts[m[1]] += m[3] + ", "
	}
	for _, method := range p.moved {
		if _, ok := shifts[method]; !ok {
			t.Errorf("%s is not named", method)
		}
		for _, metric := range p.metrics {
			if !strings.Contains(shifts[method], metric+" ") {
				t.Errorf("%s: %s is not named among %.300s", method, metric, shifts[method])
			}
		}
	}
	for _, method := range p.still {
		if _, ok := shifts[method]; ok {
			t.Errorf("%s is said to have moved: %.300s", method, shifts[method])
		}
	}
	if !strings.Contains(out, p.trained) {
		t.Errorf("want %q in\n%s", p.trained, out[max(0, len(out)-1500):])
	}
	_, list, _ := strings.Cut(out, "\n  methods: ")
	list, _, _ = strings.Cut(list, "\n")
	for _, method := range p.moved {
		if !slices.Contains(strings.Split(list, ", "), method) {
			t.Errorf("%s is not in the summary's list of methods: %s", method, list)
		}
	}
}
