package trace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func read(t *testing.T, path string) (out struct {
	TraceEvents []struct {
		Name string
		Ph   string
		Ts   float64
		Dur  float64
		Tid  int
	}
}) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

func TestSpansOfManyLanes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	time.Sleep(time.Millisecond)
	var wg sync.WaitGroup
	for lane := range 4 {
		wg.Go(func() {
			for range 25 {
				w.Span(lane, "tile", `a "quoted" name`, start, map[string]any{"points": 3})
			}
		})
	}
	wg.Wait()
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before it is whole")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := read(t, path).TraceEvents
	if len(got) != 100 {
		t.Fatalf("%d events", len(got))
	}
	for _, e := range got {
		if e.Ph != "X" || e.Name != `a "quoted" name` || e.Dur < 1000 || e.Ts < 0 || e.Tid > 3 {
			t.Fatalf("event %+v", e)
		}
	}
}

func TestEmptyTraceIsValid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path).TraceEvents; got == nil || len(got) != 0 {
		t.Errorf("events %v", got)
	}
}

func TestNilWriterDoesNothing(t *testing.T) {
	var w *Writer
	w.Span(0, "", "", time.Now(), nil)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnwritablePathIsFoundAtOnce(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "missing", "t.json")); err == nil {
		t.Error("a trace in a folder that does not exist")
	}
}

// Names of lanes are in the file, and are no spans.
func TestNamedLanes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Name(7, "fast:0 upload")
	w.Span(7, "upload", "blur", time.Now(), nil)
	if got := w.Spans(); len(got) != 1 || got[0].Lane != 7 {
		t.Errorf("spans %+v", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path).TraceEvents; len(got) != 2 || got[0].Ph != "M" || got[0].Name != "thread_name" || got[0].Tid != 7 {
		t.Errorf("events %+v", got)
	}
	var none *Writer
	none.Name(1, "nothing")
}
