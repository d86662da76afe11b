package imported

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"
)

// eachRow hands on the rows of a Parquet file, as lines of JSON. The library panics on some
// files that are damaged.
func eachRow(f *os.File, take func(int, []byte) error) (err error) {
	taking := false
	defer func() {
		if wrong := recover(); wrong != nil {
			if taking {
				panic(wrong)
			}
			err = fmt.Errorf("%s is no whole Parquet file: %.200v", f.Name(), wrong)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	table, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return fmt.Errorf("%s is no whole Parquet file: %w", f.Name(), err)
	}
	rows := parquet.NewReader(table)
	defer rows.Close()
	for n := 1; ; n++ {
		row := map[string]any{}
		if err := rows.Read(&row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s, row %d: %w", f.Name(), n, err)
		}
		line, err := json.Marshal(finite(row))
		if err != nil {
			return fmt.Errorf("%s, row %d: %w", f.Name(), n, err)
		}
		taking = true
		err = take(n, line)
		if taking = false; err != nil {
			return err
		}
	}
}

// finite is a value with nil for every number in it that JSON does not have.
func finite(value any) any {
	switch x := value.(type) {
	case float32:
		if finite(float64(x)) == nil {
			return nil
		}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case map[string]any:
		for name, inner := range x {
			x[name] = finite(inner)
		}
	case []any:
		for i, inner := range x {
			x[i] = finite(inner)
		}
	}
	return value
}
