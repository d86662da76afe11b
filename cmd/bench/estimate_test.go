package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
)

// TestEstimateHelp: the example of the program's help reads the document of the command's help.
func TestEstimateHelp(t *testing.T) {
	usage, _ := succeed(t, "help")
	example := regexp.MustCompile(`\n  bench (estimate \S+) <batch\.json `).FindStringSubmatch(usage)
	help, _ := succeed(t, "help", "estimate")
	document := regexp.MustCompile(`(?s)\n\n(  \{.*?)\n\n`).FindStringSubmatch(help)
	if example == nil || document == nil {
		t.Fatalf("no example in %s or no document in %s", usage, help)
	}
	code, out, errs := call(t, document[1], strings.Fields(example[1])...)
	if code != exitOK || !strings.HasPrefix(out, `{"advantages":[[`) {
		t.Errorf("bench %s: exit code %d, %s%s", example[1], code, out, errs)
	}
}

// TestEstimateArrays: batches of arrays get the advantages of their documents, one after the
// other, and a mistake in one is its answer.
func TestEstimateArrays(t *testing.T) {
	floats := func(all ...float64) string {
		var b []byte
		for _, x := range all {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return string(b)
	}
	first := `{"sizes":[3,2],"arrays":[{"name":"reward","shape":[5,1]},{"name":"mode","texts":["a","b",null,"a","a"]}]}` + "\n" + floats(1, 0, 1, 1, 0)
	wrong := `{"sizes":[2],"arrays":[{"name":"reward","shape":[2,1]}]}` + "\n" + floats(1, 0)
	document := `{"groups":[{"problem":"0","rollouts":[{"candidates":[{"reward":[1],"mode":"a"}]},{"candidates":[{"reward":[0],"mode":"b"}]},{"candidates":[{"reward":[1],"mode":null}]}]},` +
		`{"problem":"1","rollouts":[{"candidates":[{"reward":[1],"mode":"a"}]},{"candidates":[{"reward":[0],"mode":"a"}]}]}]}`

	code, out, errs := call(t, document, "estimate", "poly-epo", "--set", "n=2")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var want struct{ Advantages [][]float64 }
	if err := json.Unmarshal([]byte(out), &want); err != nil {
		t.Fatal(err)
	}
	answer := "{\"advantages\":5}\n" + floats(append(want.Advantages[0], want.Advantages[1]...)...)
	noted := idleNote(`in 1 of 2 groups every advantage is 0: group 1 (problem \"1\")`) + answer

	code, out, errs = call(t, first+wrong+first, "estimate", "poly-epo", "--set", "n=2", "--arrays")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	refusal := `{"error":"method poly-epo: the array \"mode\" is missing"}` + "\n"
	if out != noted+refusal+answer {
		t.Errorf("got  %q\nwant %q", out, noted+refusal+answer)
	}

	code, out, errs = call(t, first+"rubbish\n", "estimate", "poly-epo", "--set", "n=2", "--arrays")
	if code != exitInput || out != noted || !strings.Contains(errs, "bench: standard input: header: 1:1:") {
		t.Errorf("after rubbish: exit code %d, %q, %s", code, out, errs)
	}
	if code, _, errs := call(t, "", "estimate", "rloo", "--arrays", "batch.json"); code != exitUsage {
		t.Errorf("a file beside --arrays: exit code %d: %s", code, errs)
	}
}

// idleNote is the note before the answer to a batch with a group of 2 under sets of 2.
func idleNote(where string) string {
	return `{"note":"method poly-epo: ` + where + ` has 2 rollouts to train on, want at least 3 (does each of several processes see a part of the group?)"}` + "\n"
}

// TestEstimateNotesIdleGroups: a group of exactly n under sets of n has one set, and every
// advantage of it is 0. The first such batch has a note, and no later batch.
func TestEstimateNotesIdleGroups(t *testing.T) {
	floats := string(binary.LittleEndian.AppendUint64(make([]byte, 8), math.Float64bits(1)))
	exactly := `{"sizes":[2,1],"arrays":[{"name":"reward","shape":[3,1]},{"name":"mode","texts":["a","b","a"]},{"name":"train","shape":[3]}]}` + "\n" + floats + floats[:8] + "\x01\x01\x01"
	wider := `{"sizes":[3],"arrays":[{"name":"reward","shape":[3,1]},{"name":"mode","texts":["a","b","a"]}]}` + "\n" + floats + floats[:8]
	two := strings.Replace(strings.Replace(exactly, "[2,1]", "[2]", 1), "shape\":[3", "shape\":[2", 2)
	two = strings.Replace(strings.Replace(two, `,"a"]`, `]`, 1), floats+floats[:8]+"\x01", floats, 1)

	note := idleNote(`in 1 of 1 group every advantage is 0: group 0 (problem \"0\")`)
	zeros := "{\"advantages\":2}\n" + strings.Repeat("\x00", 16)
	code, out, errs := call(t, wider+exactly+two+two, "estimate", "poly-epo", "--set", "n=2", "--arrays")
	_, out, refused := strings.Cut(out, `{"error":"method poly-epo: group 1 (problem \"1\"): 1 rollouts to train on, want at least 2"}`+"\n")
	if want := note + zeros + zeros; code != exitOK || !refused || out != want {
		t.Errorf("exit code %d: %q, want %q; %s", code, out, want, errs)
	}

	document := `{"groups":[{"problem":"0","rollouts":[{"candidates":[{"reward":[1],"mode":"a"}]},{"candidates":[{"reward":[0],"mode":"b"}]}]}]}`
	code, out, errs = call(t, document, "estimate", "poly-epo", "--set", "n=2")
	var noted struct{ Note string }
	if err := json.Unmarshal([]byte(note), &noted); err != nil {
		t.Fatal(err)
	}
	if want := "note: " + noted.Note + "\n"; code != exitOK || out != `{"advantages":[[0,0]]}`+"\n" || errs != want {
		t.Errorf("exit code %d: %q, want %q; %s", code, errs, want, out)
	}
	if _, _, errs := call(t, document, "estimate", "grpo"); errs != "" {
		t.Errorf("grpo learns from two: %s", errs)
	}
}

// TestEstimateArraysOfTokens: of a method that gives every token an advantage of its own, the
// answer has one for each token.
func TestEstimateArraysOfTokens(t *testing.T) {
	document := `{"groups":[{"rollouts":[{"token_entropies":[0.5,3],"candidates":[{"reward":[2]}]},{"token_entropies":[3],"candidates":[{"reward":[0]}]}]}]}`
	code, out, errs := call(t, document, "estimate", "entropy-shaped")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var want struct{ Advantages [][][]float64 }
	if err := json.Unmarshal([]byte(out), &want); err != nil {
		t.Fatal(err)
	}
	numbers := func(kind string, list any) string {
		b, err := binary.Append(nil, binary.LittleEndian, list)
		if err != nil {
			t.Fatal(kind, err)
		}
		return string(b)
	}
	message := `{"sizes":[2],"arrays":[{"name":"reward","shape":[2,1]},{"name":"tokens","shape":[2]},{"name":"token_entropies","shape":[3]}]}` + "\n" +
		numbers("reward", []float64{2, 0}) + numbers("tokens", []int32{2, 1}) + numbers("token_entropies", []float64{0.5, 3, 3})
	code, out, errs = call(t, message, "estimate", "entropy-shaped", "--arrays")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if answer := "{\"tokens\":3}\n" + numbers("advantages", append(want.Advantages[0][0], want.Advantages[0][1]...)); out != answer {
		t.Errorf("got  %q\nwant %q", out, answer)
	}
}
