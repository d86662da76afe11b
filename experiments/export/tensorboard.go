package export

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
)

// TensorBoardFolder is the folder that TensorBoard writes to, below that of the tables.
const TensorBoardFolder = "tensorboard"

// TensorBoard writes the evaluations and training records of the runs as event files, for
// tensorboard --logdir OUT/tensorboard. Each cell is a run of its own, SPEC/LABEL/seed-N, with the
// scalars eval/METRIC and train/FIELD. They are float32, as the format has them, and times are
// the steps, in seconds: the same records give the same bytes. It returns the files.
func TensorBoard(ctx context.Context, out string, runs []*record.Run) ([]string, error) {
	var files []string
	folders := map[string]bool{}
	err := eachCell(ctx, runs, func(run *record.Run, v *record.Variant, ref record.Ref) error {
		events, err := cellEvents(run, ref)
		if err != nil {
			return err
		}
		folder := filepath.Join(out, TensorBoardFolder, run.Spec, folderName(v.Label), "seed-"+strconv.Itoa(ref.Seed))
		for folders[folder] { // two labels that differ in characters no folder name can have
			folder += "_"
		}
		folders[folder] = true
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		// The number replaces the time of TensorBoard's own writers.
		file := filepath.Join(folder, "events.out.tfevents.0000000000.modebench")
		files = append(files, file)
		return atomicfile.Write(file, events)
	})
	return files, err
}

// folderName is a label as a folder of any system may be called.
func folderName(label string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, strings.TrimRight(label, ". "))
}

func cellEvents(run *record.Run, ref record.Ref) ([]byte, error) {
	evaluations, err := evals(run, ref)
	if err != nil {
		return nil, err
	}
	trained, err := trains(run, ref)
	if err != nil {
		return nil, err
	}
	events := appendEvent(nil, 0, 0, appendBytes(nil, 3, []byte("brain.Event:2")))
	for _, e := range evaluations {
		var values []byte
		for _, m := range sortedMetrics(e.Metrics) {
			values = appendScalar(values, "eval/"+m, e.Metrics[m])
		}
		events = appendEvent(events, float64(e.Step), e.Step, appendBytes(nil, 5, values))
	}
	fields := trainFields()
	for i := range trained {
		var values []byte
		for _, f := range fields {
			if f.name != "step" {
				values = appendScalar(values, "train/"+f.name, f.read(&trained[i]))
			}
		}
		events = appendEvent(events, float64(trained[i].Step), trained[i].Step, appendBytes(nil, 5, values))
	}
	return events, nil
}

// appendScalar appends a Summary.Value with the field simple_value, in the encoding of protocol
// buffers.
func appendScalar(dst []byte, tag string, x float64) []byte {
	value := appendBytes(nil, 1, []byte(tag))
	value = append(value, 2<<3|5)
	value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(x)))
	return appendBytes(dst, 1, value)
}

// appendEvent appends an Event as a record of TFRecord: its length, the bytes, and checksums of
// both. rest is the content of the event after time and step.
func appendEvent(dst []byte, time float64, step int, rest []byte) []byte {
	event := binary.LittleEndian.AppendUint64([]byte{1<<3 | 1}, math.Float64bits(time))
	event = binary.AppendUvarint(append(event, 2<<3), uint64(step))
	event = append(event, rest...)
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	dst = append(dst, length...)
	dst = binary.LittleEndian.AppendUint32(dst, maskedSum(length))
	dst = append(dst, event...)
	return binary.LittleEndian.AppendUint32(dst, maskedSum(event))
}

func appendBytes(dst []byte, field int, data []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(field)<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(data)))
	return append(dst, data...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedSum is the checksum of TFRecord: CRC-32C, turned and moved, so that a sum of data that
// holds sums is another.
func maskedSum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
