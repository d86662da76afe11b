package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
)

// A scalarRecord is a scalar of an event file.
type scalarRecord struct {
	step int
	tag  string
	x    float32
}

// readEvents takes an event file apart, by the formats' own descriptions: TFRecord, and the wire
// format of protocol buffers.
func readEvents(t *testing.T, data []byte) (out []scalarRecord) {
	t.Helper()
	sum := func(data []byte) uint32 {
		c := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		return ((c >> 15) | (c << 17)) + 0xa282ead8
	}
	for r := bytes.NewReader(data); r.Len() > 0; {
		head := make([]byte, 12)
		if _, err := io.ReadFull(r, head); err != nil {
			t.Fatal(err)
		}
		if binary.LittleEndian.Uint32(head[8:]) != sum(head[:8]) {
			t.Fatal("the checksum of a length is wrong")
		}
		body := make([]byte, binary.LittleEndian.Uint64(head)+4)
		if _, err := io.ReadFull(r, body); err != nil {
			t.Fatal(err)
		}
		event := body[:len(body)-4]
		if binary.LittleEndian.Uint32(body[len(event):]) != sum(event) {
			t.Fatal("the checksum of an event is wrong")
		}
		fields := message(t, event)
		step, _ := binary.Uvarint(fields[2][0])
		for _, summary := range fields[5] {
			for _, value := range message(t, summary)[1] {
				v := message(t, value)
				out = append(out, scalarRecord{int(step), string(v[1][0]), math.Float32frombits(binary.LittleEndian.Uint32(v[2][0]))})
			}
		}
	}
	return out
}

// message takes a message of protocol buffers apart: the bytes of each field.
func message(t *testing.T, data []byte) map[uint64][][]byte {
	t.Helper()
	out := map[uint64][][]byte{}
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		data = data[n:]
		size := 0
		switch key & 7 {
		case 0:
			_, size = binary.Uvarint(data)
		case 1:
			size = 8
		case 5:
			size = 4
		case 2:
			length, n := binary.Uvarint(data)
			data, size = data[n:], int(length)
		default:
			t.Fatalf("wire type %d", key&7)
		}
		out[key>>3] = append(out[key>>3], data[:size])
		data = data[size:]
	}
	return out
}

// refs are the cells of a run, in the order of rows.
func refs(run *record.Run) (out []record.Ref) {
	for _, v := range run.Variants {
		out = append(out, v.Cells...)
	}
	return out
}

func TestTensorBoard(t *testing.T) {
	_, runs := openFixture(t, nil)
	out := t.TempDir()
	files, err := TensorBoard(context.Background(), out, runs)
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for _, r := range runs {
		for _, ref := range refs(r) {
			data, err := os.ReadFile(files[cells])
			if err != nil {
				t.Fatal(err)
			}
			cells++
			var want []scalarRecord
			evaluations, err := r.Evals(ref)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range evaluations {
				for _, m := range sortedMetrics(e.Metrics) {
					want = append(want, scalarRecord{e.Step, "eval/" + m, float32(e.Metrics[m])})
				}
			}
			trained, err := r.Trains(ref)
			if err != nil {
				t.Fatal(err)
			}
			got := readEvents(t, data)
			for i, w := range want {
				if i >= len(got) || got[i] != w && w.x == w.x {
					t.Fatalf("%s: scalar %d is %v, want %v", files[cells-1], i, got[i:], w)
				}
			}
			steps := map[string]int{}
			for _, s := range got[len(want):] {
				steps[s.tag]++
				if s.tag == "train/reward" && s.x != float32(trained[steps[s.tag]-1].Reward) {
					t.Errorf("%s at step %d is %v, want %v", s.tag, s.step, s.x, trained[steps[s.tag]-1].Reward)
				}
			}
			if steps["train/reward"] != len(trained) || steps["train/entropy"] != len(trained) || steps["train/step"] != 0 {
				t.Errorf("%d records of training, as scalars %v", len(trained), steps)
			}
		}
	}
	if cells != len(files) || cells == 0 {
		t.Errorf("%d cells in %d files", cells, len(files))
	}
}

// TestTensorBoardReads has TensorBoard's own reader read the files.
func TestTensorBoardReads(t *testing.T) {
	const reader = `
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1]).Reload()
for tag in sorted(a.Tags()["scalars"]):
    for e in a.Scalars(tag):
        print(tag, e.step, repr(e.value))
`
	if exec.Command("python3", "-c", "import tensorboard").Run() != nil {
		t.Skip("no python3 with tensorboard")
	}
	_, runs := openFixture(t, nil)
	files, err := TensorBoard(context.Background(), t.TempDir(), runs)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files[:1] {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command("python3", "-c", reader, filepath.Dir(file)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if got, want := strings.Count(string(text), "\n"), len(readEvents(t, data)); got != want {
			t.Errorf("TensorBoard finds %d scalars, want %d:\n%s", got, want, text)
		}
	}
}
