package memory

import (
	"testing"
	"testing/fstest"
)

func TestAvailableMemory(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	meminfo := file("MemTotal:       24105 kB\nMemAvailable:       1000 kB\n")
	for _, c := range []struct {
		reason string
		files  fstest.MapFS
		want   uint64
		known  bool
	}{
		{"not Linux", nil, 0, false},
		{"no control group", fstest.MapFS{"proc/meminfo": meminfo}, 1024000, true},
		{"a group without a limit", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a\n"), "sys/fs/cgroup/a/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.current": file("5\n")}, 1024000, true},
		{"version 2, and files that it would give up", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a\n"),
			"sys/fs/cgroup/a/memory.max": file("900000\n"), "sys/fs/cgroup/a/memory.current": file("500000\n"), "sys/fs/cgroup/a/memory.stat": file("anon 7\ninactive_file 100000\n")}, 500000, true},
		{"a limit of the group above", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/memory.max": file("900000\n"), "sys/fs/cgroup/a/memory.current": file("800000\n")}, 100000, true},
		{"over the limit", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("9\n"), "sys/fs/cgroup/memory.current": file("10\n")}, 0, true},
		{"version 1", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("3:cpu:/x\n2:memory,x:/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("600000\n"), "sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("400000\n"), "sys/fs/cgroup/memory/x/memory.stat": file("total_inactive_file 50000\n")}, 250000, true},
		{"foreign text", fstest.MapFS{"proc/meminfo": file("x"), "proc/self/cgroup": file("::\nx\n0::/../../etc\n")}, 0, false},
	} {
		got, known := availableIn(c.files)
		if known != c.known || known && got != c.want {
			t.Errorf("%s: got %d, %v, want %d, %v", c.reason, got, known, c.want, c.known)
		}
	}
}
