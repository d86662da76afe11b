package cells

import (
	"fmt"
	"strings"
	"testing"
)

func FuzzResumePoint(f *testing.F) {
	point := Point{Cell: "grpo-s0-0123456789ab", Step: 3, Generation: 3, Train: []byte("{}\n"), Policy: []byte("p")}
	data, err := point.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	point.Lagged = [][]byte{[]byte("old"), []byte("older")}
	if data, err = point.Bytes(); err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(pointHeader))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, sealedPoint(data)} {
			point, err := ParsePoint(file)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("an error of several lines: %q", err)
				}
				continue
			}
			again, err := point.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			other, err := ParsePoint(again)
			if err != nil || fmt.Sprint(point) != fmt.Sprint(other) {
				t.Errorf("%+v came back as %+v (%v)", point, other, err)
			}
		}
	})
}
