package native

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/kernels/cache"
	"weft/kernels/schedule"
)

// store keeps compiled objects in a folder that several processes may share. An object holds one or more kernels:
//
//	UNIT.so, UNIT.c   an object and its source, named for a digest of all it was made from
//	prelude-X.h       what sources include
//	KERNEL.ref        where a kernel is: object, symbol and the object's checksum
//	KERNEL.best       the schedule that was measured fastest for a kernel
//	evicted.at        written when it was last seen to that these take no more room than they may
//
// Files come into being by renaming and are never written again, so an object in use stays whole; one that is removed
// while in use stays mapped.
type store struct {
	dir   string
	limit int64
}

// reference says where a kernel's code is.
type reference struct {
	Object string
	Symbol string
	Sum    string // SHA-256 of the object
}

func (s store) path(name, extension string) string { return filepath.Join(s.dir, name+extension) }

// objects is how many objects there are.
func (s store) objects() int {
	files, _ := filepath.Glob(s.path("*", ".so")) // the pattern is well formed
	return len(files)
}

// find returns the object and symbol of a kernel. An object that is not what was written counts as absent.
func (s store) find(kernel string) (object, symbol string, ok bool) {
	text, err := cache.Read(s.path(kernel, ".ref"))
	var r reference
	if err != nil || json.Unmarshal(text, &r) != nil || strings.ContainsRune(r.Object, filepath.Separator) {
		return "", "", false
	}
	object = s.path(r.Object, ".so")
	sum, err := checksum(object)
	if err != nil || sum != r.Sum {
		return "", "", false
	}
	touch(object, s.path(r.Object, ".c"), s.path(kernel, ".ref"))
	return object, r.Symbol, true
}

// refer records that the object of a unit, already in place, holds the kernels with these symbols.
func (s store) refer(unit string, symbols map[string]string) error {
	sum, err := checksum(s.path(unit, ".so"))
	if err != nil {
		return fmt.Errorf("native: %w", err)
	}
	for kernel, symbol := range symbols {
		text, err := json.Marshal(reference{unit, symbol, sum})
		if err != nil {
			return err
		}
		if err := cache.Write(s.path(kernel, ".ref"), text); err != nil {
			return err
		}
	}
	return nil
}

// best is the schedule measured fastest for the kernel whose rule-made variant has this key.
func (s store) best(kernel string) (schedule.CPU, bool) {
	var out schedule.CPU
	if s.dir == "" { // nothing is kept
		return out, false
	}
	text, err := cache.Read(s.path(kernel, ".best"))
	if err != nil || json.Unmarshal(text, &out) != nil {
		return out, false
	}
	touch(s.path(kernel, ".best"))
	return out, true
}

// remember records a measured schedule.
func (s store) remember(kernel string, best schedule.CPU) error {
	text, err := json.Marshal(best)
	if err != nil {
		return err
	}
	return cache.Write(s.path(kernel, ".best"), text)
}

func checksum(path string) (string, error) {
	data, err := cache.Read(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

const (
	touchEvery = time.Hour   // a use is recorded only so often
	grace      = time.Minute // younger files are not evicted: another process may be about to load them
)

// touch marks files as used. It only serves eviction's order, so a folder that cannot be written to is no error.
func touch(paths ...string) {
	now := time.Now()
	if info, err := os.Stat(paths[0]); err != nil || now.Sub(info.ModTime()) < touchEvery {
		return
	}
	for _, p := range paths {
		_ = os.Chtimes(p, now, now)
	}
}

// tidy evicts, but for once a minute at most by all processes: looking at thousands of files takes as long as compiling a small kernel.
func (s store) tidy() error {
	mark := s.path("evicted", ".at")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < grace {
		return nil
	}
	if err := cache.Write(mark, nil); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	return s.evict()
}

// evict removes the files unused for longest until the folder is within nine tenths of its limit.
func (s store) evict() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("native: %w", err)
	}
	type file struct {
		name string
		size int64
		used time.Time
	}
	var files []file
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil { // removed meanwhile
			continue
		}
		files = append(files, file{e.Name(), info.Size(), info.ModTime()})
		total += info.Size()
	}
	if total <= s.limit {
		return nil
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	for _, f := range files {
		if total <= s.limit*9/10 || time.Since(f.used) < grace {
			break
		}
		if filepath.Ext(f.name) == ".h" && time.Since(f.used) < touchEvery+grace {
			continue // a compiler may be about to read it, whose use is recorded an hour later at most
		}
		if err := os.Remove(filepath.Join(s.dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("native: cannot shrink the cache of compiled kernels: %w", err)
		}
		total -= f.size
	}
	return nil
}
