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
	"slices"
	"syscall"
)

// Sums are the SHA-256 of a cell's files, by name, as its DONE lists them.
type Sums map[string][sha256.Size]byte

// Vouched are the files that DONE lists, in its order. The last one is of cells that keep
// answers alone.
var Vouched = []string{CellFile, TrainFile, EvalFile, CheckpointFile, PoolsFile}

// optional are those that a finished cell may lack.
var optional = []string{PoolsFile}

// ParseDone reads the text of DONE: the lines of sha256sum for the files of Vouched, in
// their order, all but the last one required.
func ParseDone(text []byte) (Sums, error) {
	sums := Sums{}
	next := 0
	for i := 1; len(text) > 0; i++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		text = rest
		const digits = 2 * sha256.Size
		if !ended || next == len(Vouched) || len(line) != digits+2+len(Vouched[next]) || string(line[digits:]) != "  "+Vouched[next] || bytes.ContainsAny(line[:digits], "ABCDEF") {
			return nil, fmt.Errorf("line %d is not what bench writes", i)
		}
		var sum [sha256.Size]byte
		if _, err := hex.Decode(sum[:], line[:digits]); err != nil {
			return nil, fmt.Errorf("line %d is not what bench writes", i)
		}
		sums[Vouched[next]] = sum
		next++
	}
	if next < len(Vouched)-1 {
		return nil, errors.New("it is cut off")
	}
	return sums, nil
}

// HashFiles is the text of DONE for the files in dir, in the manner of sha256sum.
func HashFiles(dir string) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range Vouched {
		sum, err := hashFile(dir, name)
		if errors.Is(err, fs.ErrNotExist) && slices.Contains(optional, name) {
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

// A DamageError is a cell that is not finished, or that is not what it was when it was.
type DamageError struct {
	File string // what is missing or not as it was
	What string // what is the matter with it
	Err  error  // why it cannot be read; nil: it can
}

// Error says what mends a cell too: a run finds that it is not whole and makes it anew.
func (e *DamageError) Error() string { return e.File + ": " + e.What + ": run the experiment again" }

// Unwrap gives the error of reading the file, if that was it.
func (e *DamageError) Unwrap() error { return e.Err }

func damaged(path, what string) *DamageError { return &DamageError{File: path, What: what} }

// gone is a file that DONE lists, and that is not there.
func gone(path string, err error) *DamageError {
	return &DamageError{path, "it is not there, and " + DoneFile + " lists it", err}
}

// ReadDone reads the DONE of the cell in dir, and holds the cell's resolved fields
// against it and against id, the name that the cell has. What is damaged or missing is a
// *DamageError; the error of a file that cannot be read is one that names it.
func ReadDone(dir, id string) (Sums, error) {
	path := filepath.Join(dir, DoneFile)
	text, err := readOf(dir, DoneFile)
	if Missing(err) {
		return nil, &DamageError{path, "it is not there, so the cell is not finished", err}
	}
	if err != nil {
		return nil, err
	}
	sums, err := ParseDone(text)
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

// CheckFiles holds all files of the cell in dir against DONE; errors are those of ReadDone.
func (s Sums) CheckFiles(dir string) error {
	for _, name := range Vouched {
		path := filepath.Join(dir, name)
		sum, err := hashFile(dir, name)
		switch {
		case Missing(err) && slices.Contains(optional, name) && !s.lists(name):
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

// check holds what a file holds against DONE.
func (s Sums) check(path string, data []byte) error { return s.checkSum(path, sha256.Sum256(data)) }

func (s Sums) checkSum(path string, got [sha256.Size]byte) error {
	sum, listed := s[filepath.Base(path)]
	switch {
	case !listed:
		return damaged(path, DoneFile+" does not list it")
	case sum != got:
		return damaged(path, "it was changed or damaged after it was written, for its hash is not that in "+DoneFile)
	}
	return nil
}

// hashed ends in the hash of the cell that it names.
var hashed = regexp.MustCompile(`-s[0-9]+-([0-9a-f]{12})$`)

// isOf says whether a cell's name is that of what it was resolved to. A name without a
// hash says nothing.
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
		return damaged(path, "it is of another cell than the name of its folder says")
	}
	return nil
}

// Missing says that a file is not there, or that what is under its name, or under that of
// its folder, is of another kind.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR)
}

func (s Sums) lists(name string) bool { _, ok := s[name]; return ok }

// Finished says whether dir holds the cell of that name, finished, with all of its files
// as DONE lists them. Anything less means that it is run again; what is wrong with it is
// then a text, "" where there is nothing.
func Finished(dir, id string) (whole bool, damage string, err error) {
	sums, err := ReadDone(dir, id)
	if err == nil {
		err = sums.CheckFiles(dir)
	}
	var bad *DamageError
	if errors.As(err, &bad) {
		if _, none := os.Lstat(dir); errors.Is(none, fs.ErrNotExist) {
			return false, "", nil
		}
		return false, bad.File + ": " + bad.What, nil
	}
	return err == nil, "", err
}
