package spec

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"modebench/envs"
)

var updateCardModel = flag.Bool("update", false, "write the list of what specs with a transformer train")

// TestCardModelKnowsSpecs: the list from which package cuda's model of a card works out how long all
// specs take is that of the specs that are written for a transformer, with ten seeds. A line is a
// spec, a size of policy, what it reads and predicts, and how much it trains: rollouts an update,
// cells, and updates of all cells.
func TestCardModelKnowsSpecs(t *testing.T) {
	const seeds = 10
	var out bytes.Buffer
	out.WriteString("spec,layers,width,heads,vocabulary,features,prompt,rollout,groups,rollouts,cells,updates\n")
	for _, name := range BuiltinNames() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		cells, updates := map[string]int{}, map[string]int{}
		for _, v := range s.Variants {
			p, err := v.Setup()
			if err != nil {
				t.Fatal(err)
			}
			policy, ok := p.Policy.(*TransformerPolicy)
			if !ok || p.Train.Steps == 0 || !p.Method.Method.Trains {
				continue
			}
			e, err := envs.NewEncoding(p.Env, p.Form())
			if err != nil {
				t.Fatal(err)
			}
			minibatches := max(1, p.Train.Minibatches)
			line := fmt.Sprintf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d", name, policy.Layers, policy.Width, policy.Heads, e.Vocabulary, e.Features, e.Prompt, e.Rollout,
				max(1, p.Train.Batch/minibatches), max(1, p.Train.Batch*p.Train.Group/minibatches))
			if cells[line] == 0 {
				order = append(order, line)
			}
			cells[line] += seeds
			updates[line] += seeds * p.Train.Steps * p.Train.Epochs * minibatches
		}
		for _, line := range order {
			fmt.Fprintf(&out, "%s,%d,%d\n", line, cells[line], updates[line])
		}
	}
	file := filepath.Join("..", "..", "policies", "internal", "device", "cuda", "model", "specs.csv")
	if *updateCardModel {
		if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s is not the list of the specs (%v): go test ./experiments/spec -run TestCardModelKnowsSpecs -update", file, err)
	}
}
