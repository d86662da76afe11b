package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"modebench/internal/visible"
)

// maxName bounds the name of a changed spec, which becomes that of a folder.
const maxName = 100

// unnamed matches the characters that the name of a folder cannot have.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// nameOf turns a pair into a name for a folder. Different pairs get different names: if a
// letter is replaced, a digest of the pair follows.
func nameOf(pair string) string {
	plain := strings.Replace(pair, "=", "-", 1)
	name := unnamed.ReplaceAllString(plain, "_")
	if name != plain {
		sum := sha256.Sum256([]byte(pair))
		name += "-" + hex.EncodeToString(sum[:3])
	}
	return name
}

// rename gives a changed spec a name and a title of its own: opt.Name, or its name with the
// pairs after it.
func (s *Spec) rename(opt LoadOptions) error {
	if opt.Quick {
		s.Title, s.Name = strings.TrimSpace(s.Title+" (the quick form)"), s.Name+"-quick"
	}
	if len(opt.Set) > 0 {
		s.Title = strings.TrimSpace(s.Title + " (" + visible.Text(strings.Join(opt.Set, ", ")) + ")")
	}
	if opt.Name != "" {
		s.Name = opt.Name
		return nil
	}
	for _, pair := range opt.Set {
		s.Name += "-" + nameOf(pair)
	}
	if opt.Set != nil && len(s.Name) > maxName {
		return fmt.Errorf("--set: the name of the changed spec, %s, is longer than %d letters; give it one with --name", s.Name, maxName)
	}
	return nil
}
