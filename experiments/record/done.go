package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// doneSums are the SHA-256 of a cell's files, by name, as its DONE lists them.
type doneSums map[string][sha256.Size]byte

// Vouched are the files that DONE lists, in its order. Only cells that record answers have the last
// one, PoolsFile.
var Vouched = []string{CellFile, TrainFile, EvalFile, CheckpointFile, PoolsFile}

// parseDone reads DONE: lines of sha256sum for Vouched, in order; the last one may be missing.
func parseDone(text []byte) (doneSums, error) {
	sums := doneSums{}
	for i, name := range Vouched {
		if len(text) == 0 && i < len(Vouched)-1 {
			return nil, errors.New("it is cut off")
		}
		if len(text) == 0 {
			break
		}
		digits, rest, ended := bytes.Cut(text, []byte("  "+name+"\n"))
		sum, err := hex.DecodeString(string(digits))
		if !ended || err != nil || len(sum) != sha256.Size || bytes.ContainsAny(digits, "ABCDEF") {
			return nil, fmt.Errorf("line %d is not what bench writes", i+1)
		}
		sums[name], text = [sha256.Size]byte(sum), rest
	}
	if len(text) > 0 {
		return nil, fmt.Errorf("line %d is not what bench writes", len(Vouched)+1)
	}
	return sums, nil
}

// HashFiles is the text of DONE for the files in dir, in the manner of sha256sum.
func HashFiles(dir string) ([]byte, error) {
	return Done(func(name string) ([sha256.Size]byte, error) { return hashFile(dir, name) })
}

// Done is the content of DONE, of the hash of each file that the cell has.
func Done(hash func(name string) (sum [sha256.Size]byte, err error)) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range Vouched {
		sum, err := hash(name)
		if errors.Is(err, fs.ErrNotExist) && name == PoolsFile {
			continue
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%x  %s\n", sum, name)
	}
	return out.Bytes(), nil
}

// readOf reads a file of the cell in dir. The cell is not to be a link that leads out of the
// folder of all cells either.
func readOf(dir, name string) ([]byte, error) {
	return ReadBelow(filepath.Dir(dir), filepath.Base(dir), name)
}

func hashFile(dir, name string) (sum [sha256.Size]byte, err error) {
	f, err := OpenBelow(filepath.Dir(dir), filepath.Base(dir), name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	h.Sum(sum[:0])
	return sum, err
}

func gone(path string, err error) *DamageError {
	return &DamageError{path, "it is not there, and " + DoneFile + " lists it", err}
}

// readDone reads the DONE of the cell in dir, and checks the cell's resolved fields against it and
// against id. A damaged or missing file is a *DamageError.
func readDone(dir, id string) (doneSums, error) {
	path := filepath.Join(dir, DoneFile)
	text, err := readOf(dir, DoneFile)
	if Missing(err) {
		return nil, &DamageError{path, "it is not there, so the cell is not finished", err}
	}
	if err != nil {
		return nil, err
	}
	sums, err := parseDone(text)
	if err != nil {
		return nil, damaged(path, err.Error())
	}
	path = filepath.Join(dir, CellFile)
	cell, err := readOf(dir, CellFile)
	if Missing(err) {
		return nil, gone(path, err)
	}
	if err != nil {
		return nil, err
	}
	if err := sums.check(path, cell); err != nil {
		return nil, err
	}
	return sums, isOf(path, cell, id)
}

// checkFiles checks all files of the cell in dir against DONE; errors are those of readDone.
func (s doneSums) checkFiles(dir string) error {
	for _, name := range Vouched {
		path := filepath.Join(dir, name)
		sum, err := hashFile(dir, name)
		switch {
		case Missing(err) && name == PoolsFile && !s.lists(name):
		case Missing(err):
			return gone(path, err)
		case err != nil:
			return err
		default:
			if err := s.checkSum(path, sum); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s doneSums) check(path string, data []byte) error { return s.checkSum(path, sha256.Sum256(data)) }

func (s doneSums) checkSum(path string, got [sha256.Size]byte) error {
	sum, listed := s[filepath.Base(path)]
	switch {
	case !listed:
		return damaged(path, DoneFile+" does not list it")
	case sum != got:
		return damaged(path, "it was changed or damaged after it was written, for its hash is not that in "+DoneFile)
	}
	return nil
}

// hashed matches a name that ends in the hash of its cell.
var hashed = regexp.MustCompile(`-s[0-9]+-([0-9a-f]{12})$`)

// isOf checks that a cell's name fits its resolved fields. A name without a hash fits any.
func isOf(path string, cell []byte, id string) error {
	want := hashed.FindStringSubmatch(id)
	if want == nil {
		return nil
	}
	var head struct {
		Version int `json:"version"`
	}
	var text bytes.Buffer // as it was hashed: on one line
	if json.Compact(&text, cell) != nil || json.Unmarshal(cell, &head) != nil {
		return damaged(path, "it is not a resolved cell")
	}
	if head.Version != Version {
		return damaged(path, fmt.Sprintf("results version %d, this program reads version %d", head.Version, Version))
	}
	if sum := sha256.Sum256(text.Bytes()); hex.EncodeToString(sum[:6]) != want[1] {
		return damaged(path, "it is of another cell than its folder is named after")
	}
	return nil
}

func (s doneSums) lists(name string) bool { _, ok := s[name]; return ok }

// Finished reports whether dir holds the finished cell of that name, with all of its files as
// DONE lists them. If not, the cell has to be run again, and damage is its fault; "" if there is no
// such folder.
func Finished(dir, id string) (whole bool, damage string, err error) {
	sums, err := readDone(dir, id)
	if err == nil {
		err = sums.checkFiles(dir)
	}
	if bad, ok := errors.AsType[*DamageError](err); ok {
		if _, none := os.Lstat(dir); errors.Is(none, fs.ErrNotExist) {
			return false, "", nil
		}
		return false, bad.File + ": " + bad.What, nil
	}
	return err == nil, "", err
}
