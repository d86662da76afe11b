package memory

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// availableIn reads the memory that a process may still take, from the files of Linux below
// root: the system's without swapping, or less if the process's control group, or one above it,
// has a limit. Cached files do not count as used: a group gives them up first.
func availableIn(root fs.FS) (available uint64, known bool) {
	available = math.MaxUint64
	if text, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		if kib, ok := field(text, "MemAvailable:"); ok {
			available, known = kib*1024, true
		}
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		folder, limit, usage, cache := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if parts[1] != "" { // version 1
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			folder, limit, usage, cache = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if left, ok := leftIn(root, path.Join(folder, group), limit, usage, cache); ok {
				available, known = min(available, left), true
			}
			if group == "/" {
				break
			}
		}
	}
	return available, known
}

func leftIn(root fs.FS, dir, limit, usage, cache string) (uint64, bool) {
	number := func(name string) (uint64, bool) {
		text, err := fs.ReadFile(root, path.Join(dir, name))
		n, err2 := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil && err2 == nil // "max" is no number
	}
	bound, ok := number(limit)
	taken, ok2 := number(usage)
	if !ok || !ok2 {
		return 0, false
	}
	if stat, err := fs.ReadFile(root, path.Join(dir, "memory.stat")); err == nil {
		files, _ := field(stat, cache)
		taken -= min(taken, files)
	}
	return bound - min(bound, taken), true
}

// field is the number after a name at the beginning of a line.
func field(text []byte, name string) (uint64, bool) {
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) >= 2 && string(words[0]) == name {
			n, err := strconv.ParseUint(string(words[1]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
