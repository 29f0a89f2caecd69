package memory

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDefaultBudget(t *testing.T) {
	const gib = 1 << 30
	cases := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing is told", nil, 8 * gib},
		{"half of the machine", map[string]string{"proc/meminfo": "MemTotal: 4194304 kB\nMemAvailable: 4000000 kB\n"}, 2 * gib},
		{"what is available", map[string]string{"proc/meminfo": "MemTotal: 67108864 kB\nMemAvailable: 2097152 kB\n"}, 2 * gib / 10 * 8},
		{"large machine", map[string]string{"proc/meminfo": "MemTotal: 671088640 kB\nMemAvailable: 600000000 kB\n"}, 8 * gib},
		{"group of version 2", map[string]string{
			"proc/self/cgroup":                  "0::/box/run\n",
			"sys/fs/cgroup/box/run/memory.max":  "max\n",
			"sys/fs/cgroup/box/memory.max":      "1073741824\n",
			"sys/fs/cgroup/box/memory.current":  "536870912\n",
			"sys/fs/cgroup/box/memory.stat":     "anon 1\ninactive_file 268435456\n",
			"sys/fs/cgroup/box/run/memory.stat": "",
		}, (gib - gib/4) / 10 * 8},
		{"group of version 1", map[string]string{
			"proc/self/cgroup": "5:cpu:/x\n4:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "268435456\n",
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes": "0\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
		}, 268435456 / 10 * 8},
		{"a group that is full", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "5000\n",
		}, 1 << 20},
		{"damaged", map[string]string{"proc/meminfo": "MemTotal: much\n", "proc/self/cgroup": "what\n0::/\n", "sys/fs/cgroup/memory.max": "?"}, 8 * gib},
	}
	for _, c := range cases {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := (System{root}).Default(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
