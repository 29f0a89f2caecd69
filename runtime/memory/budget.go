package memory

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// System is where a system tells of its memory: the root of its file tree, replaced in tests.
type System struct{ Root string }

// mostByDefault bounds the default budget on large machines.
const mostByDefault = 8 << 30

// Default is the budget of a run unless its user sets one: half of the machine's memory, 0.8 of what is available now, what
// the control group of the process has left, or 8 GiB, whichever is least.
func (s System) Default() int64 {
	limit := int64(mostByDefault)
	if n, ok := s.Field("/proc/meminfo", "MemTotal"); ok {
		limit = min(limit, n/2)
	}
	if n, ok := s.Field("/proc/meminfo", "MemAvailable"); ok {
		limit = min(limit, n/10*8)
	}
	if n, ok := s.group(); ok {
		limit = min(limit, n/10*8)
	}
	return max(limit, 1<<20)
}

// group is what the control group of the process leaves it: the least over its hierarchy, of version 2 or 1.
func (s System) group() (int64, bool) {
	least := int64(math.MaxInt64)
	text, err := os.ReadFile(filepath.Join(s.Root, "/proc/self/cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		mount, limit, usage := "/sys/fs/cgroup", "memory.max", "memory.current"
		switch {
		case parts[0] == "0" && parts[1] == "":
		case strings.Contains(","+parts[1]+",", ",memory,"):
			mount, limit, usage = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		default:
			continue
		}
		for dir := parts[2]; ; dir = filepath.Dir(dir) {
			most, ok := s.number(filepath.Join(mount, dir, limit))
			if ok && most < 1<<60 { // version 1 says no limit by a number near 2^63
				used, _ := s.number(filepath.Join(mount, dir, usage))
				used -= s.reclaimable(filepath.Join(mount, dir, "memory.stat"))
				least = min(least, max(0, most-max(0, used)))
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return least, least < math.MaxInt64
}

// reclaimable is the page cache that a group counts as used but gives up on demand.
func (s System) reclaimable(path string) int64 {
	text, err := os.ReadFile(filepath.Join(s.Root, path))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "inactive_file "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}

func (s System) number(path string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(s.Root, path))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// Field reads a line such as "MemTotal:  1234 kB", in bytes.
func (s System) Field(path, name string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(s.Root, path))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		return n * 1024, err == nil
	}
	return 0, false
}
