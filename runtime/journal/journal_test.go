package journal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

func header() Header {
	return Header{Weft: "1", Plan: "abc", Inputs: []ops.InputIdentity{{Path: "a.npy", Bytes: 5, Modified: 7, Hash: "h"}}, Accelerators: map[string]string{"gpu:0": "cuda: new"}}
}

// A crash may cut the file off anywhere: what is read is then all marks of which every byte is there.
func TestJournalsSurviveCutsAnywhere(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.tif")
	j, err := Create(out, header())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := j.Append(Entry{Mark: ops.Mark{There: region.Region{{Lo: 10 * i, Hi: 10 * (i + 1)}}, State: json.RawMessage(`{"a":"b\n"}`)}}, nothing); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(PathOf(out))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) + 1 {
		if err := os.WriteFile(PathOf(out), text[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(text[:n]), "\n")
		r, err := Read(out)
		if lines == 0 {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			continue
		}
		if err != nil || r.Rows() != 10*(lines-1) || len(r.Marks) != lines-1 || r.Header.Foreign(header()) != "" {
			t.Fatalf("%d bytes: %+v, %v", n, r, err)
		}
		j, err := Resume(out, r)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.Append(Entry{Mark: ops.Mark{There: region.Region{{Lo: 10 * (lines - 1), Hi: 99}}}}, nothing), j.Close()); err != nil {
			t.Fatal(err)
		}
		if r, err = Read(out); err != nil || r.Rows() != 99 || len(r.Marks) != lines {
			t.Fatalf("%d bytes, then one mark: %+v, %v", n, r, err)
		}
	}
}

func nothing() error { return nil }

// What nobody waited for counts as long as the machine goes on, and is lost once it has started again, unless something behind it is sure of it.
func TestEntriesThatNobodyWaitedFor(t *testing.T) {
	defer func(was func() string) { Boot = was }(Boot)
	boot := "first"
	Boot = func() string { return boot }
	out := filepath.Join(t.TempDir(), "out.npy")
	j, err := Create(out, header())
	if err != nil {
		t.Fatal(err)
	}
	rows := func(when string, want int) {
		t.Helper()
		r, err := Read(out)
		if err != nil || r.Rows() != want {
			t.Errorf("%s: %d rows, not %d: %v", when, r.Rows(), want, err)
		}
	}
	synced := 0
	add := func(hi int, late bool) {
		t.Helper()
		if j.wait = time.Hour; late {
			j.wait = 0
		}
		err := j.Append(Entry{Mark: ops.Mark{There: region.Region{{Hi: hi}}}}, func() error { synced++; return nil })
		if err := errors.Join(err, j.Wait()); err != nil {
			t.Fatal(err)
		}
	}
	add(1, false)
	rows("one that is noted", 1)
	boot = "second"
	rows("after a start", 0)
	boot = "first"
	if add(2, true); synced != 1 || j.wait != notedTimes*MostBetween {
		t.Errorf("the disk was waited for %d times, the next time in %v", synced, j.wait)
	}
	add(3, false)
	add(4, false)
	rows("two behind what was waited for", 4)
	for _, boot = range []string{"second", "third"} {
		rows("after a start", 2)
		r, err := Read(out)
		if err == nil {
			err = j.Close()
		}
		if err == nil {
			j, err = Resume(out, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		rows("of a run that goes on", 2)
		add(5, false)
		rows("with one more", 5)
	}
	boot = "fourth"
	rows("after another start", 2)
	boot = ""
	if add(6, false); synced != 2 {
		t.Error("the disk is not waited for on a machine that does not say since when it has run")
	}
	boot = "fifth"
	rows("after what was waited for", 6)
	if synced != 2 {
		t.Errorf("the disk was waited for %d times", synced)
	}
	lost := errors.New("lost")
	boot = "fifth"
	j.wait = 0
	err = j.Append(Entry{}, func() error { return lost })
	if err = errors.Join(err, j.Wait()); !errors.Is(err, lost) {
		t.Errorf("a disk that fails gives %v", err)
	}
	if err := j.Remove(); err != nil {
		t.Error(err)
	}
}

func TestForeignJournals(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(*Header)
	}{
		{"it is of weft 2", func(h *Header) { h.Weft = "2" }},
		{"another program", func(h *Header) { h.Plan = "abd" }},
		{"a.npy has changed", func(h *Header) { h.Inputs[0].Hash = "i" }},
		{"a.npy has changed", func(h *Header) { h.Inputs[0].Modified++ }},
		{"a.npy has changed", func(h *Header) { h.Inputs[0].Bytes++ }},
		{"a.npy has changed", func(h *Header) { h.Inputs = nil }},
		{"gpu:0 as cuda: old, which is now cuda: new", func(h *Header) { h.Accelerators = map[string]string{"gpu:0": "cuda: old"} }},
		{"gpu:0 as another device", func(h *Header) { h.Accelerators = nil }},
		{"it has format 9", func(h *Header) { h.Format = 9 }},
	} {
		old := header()
		old.Format = Format
		c.change(&old)
		if why := old.Foreign(header()); !strings.Contains(why, c.says) {
			t.Errorf("%q does not say %q", why, c.says)
		}
	}
	same := header()
	same.Format = Format
	if why := same.Foreign(header()); why != "" {
		t.Error(why)
	}
}

func TestRemovedJournalsAreGone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.npy")
	if err := Forget(PathOf(out)); err != nil {
		t.Error(err)
	}
	j, err := Create(out, header())
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(out); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	dead := filepath.Join(filepath.Dir(out), "."+filepath.Base(PathOf(out))+".ABCDEFGHIJKL.part")
	if err := errors.Join(os.WriteFile(dead, nil, 0o666), Forget(PathOf(out))); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was to become a journal when its run died: %v", err)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "no", "out.npy"), header()); err == nil {
		t.Error("a journal in no folder")
	}
}

func TestIdentityNoticesChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	data := make([]byte, hashedWhole+3*piece)
	write := func() ops.InputIdentity {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		id, err := IdentityOf(path)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := write()
	seen := []string{first.Hash}
	for _, at := range []int{0, piece / 2, len(data) / 2, len(data) - 1} {
		data[at]++
		id := write()
		if slices.Contains(seen, id.Hash) && at != len(data)/2 { // between samples only the time tells
			t.Errorf("the hash does not see byte %d", at)
		}
		seen = append(seen, id.Hash)
	}
	data = data[:1000]
	small := write()
	data[500]++
	if again := write(); again.Hash == small.Hash || !strings.HasPrefix(small.Hash, "sha256 ") || strings.Contains(small.Hash, "samples") {
		t.Errorf("%+v and %+v", small, again)
	}
	if _, err := IdentityOf(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What keeps a checkpoint from being written is said as of any other file.
func TestCheckpointsThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone", "a.journal")
	var said problem.Problem
	if err := (Checkpoint{}).Write(path); !errors.As(err, &said) || said.Code != problem.MissingFolder {
		t.Errorf("a checkpoint in a folder that is missing gives %v", err)
	}
}
