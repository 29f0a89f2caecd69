package native

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"weft/kernels/schedule"
)

func TestEvictionTakesTheOldest(t *testing.T) {
	s := store{t.TempDir(), 1000}
	ages := []time.Duration{0, 5 * time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, time.Second}
	for i, age := range ages {
		path := s.path(string(rune('a'+i)), ".so")
		if err := os.WriteFile(path, make([]byte, 300), 0o644); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.evict(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(s.dir, "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	// 1800 bytes; the three oldest go, which leaves 900, nine tenths of the limit.
	if len(left) != 3 || left[0] != "a.so" || left[1] != "c.so" || left[2] != "f.so" {
		t.Errorf("left %v, want a, c and f", left)
	}
	for name, age := range map[string]time.Duration{"kept.h": 30 * time.Minute, "old.h": 5 * time.Hour} {
		then := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(s.path(name, ""), make([]byte, 300), 0o644), os.Chtimes(s.path(name, ""), then, then)); err != nil {
			t.Fatal(err)
		}
	}
	s.limit = 100
	if err := s.evict(); err != nil {
		t.Fatal(err)
	}
	// A compiler may be about to read a header.
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(left) != 3 || filepath.Base(left[2]) != "kept.h" {
		t.Errorf("files just made or to be included were evicted, or others were not: left %v", left)
	}
}

func TestEvictionIsNotLookedAtEachTime(t *testing.T) {
	s := store{t.TempDir(), 100}
	old := func(path string) {
		then := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	tidied := func(name string) (gone bool) {
		if err := os.WriteFile(s.path(name, ".so"), make([]byte, 300), 0o644); err != nil {
			t.Fatal(err)
		}
		old(s.path(name, ".so"))
		if err := s.tidy(); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(s.path(name, ".so"))
		return errors.Is(err, os.ErrNotExist)
	}
	if !tidied("a") || tidied("b") {
		t.Error("the first is not evicted, or the folder is looked at twice within a minute")
	}
	if old(s.path("evicted", ".at")); !tidied("c") {
		t.Error("nothing is evicted an hour later")
	}
}

func TestUseIsRecorded(t *testing.T) {
	s := store{t.TempDir(), 1000}
	path := s.path("k", ".best")
	if err := s.remember("k", schedule.CPU{Table: 32, Lanes: []schedule.AxisN{{Axis: 1, N: 16}}}); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	got, ok := s.best("k")
	if !ok || got.Table != 32 || len(got.Lanes) != 1 || got.Lanes[0].N != 16 {
		t.Errorf("remembered %+v, %v", got, ok)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if time.Since(info.ModTime()) > time.Hour {
		t.Error("a use did not renew the file's time")
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.best("k"); ok {
		t.Error("a damaged record was believed")
	}
}

func TestReferencesStayInTheFolder(t *testing.T) {
	s := store{t.TempDir(), 1000}
	if err := os.WriteFile(s.path("k", ".ref"), []byte(`{"Object":"../evil","Symbol":"f","Sum":""}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.find("k"); ok {
		t.Error("a reference out of the folder was followed")
	}
}
