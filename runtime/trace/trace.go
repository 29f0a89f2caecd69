// Package trace writes what happened when, in the Chrome trace-event format (chrome://tracing, Perfetto):
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, complete events ("ph": "X").
package trace

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"weft/ops/files/fileio"
)

// Writer collects events. All methods may be called from several goroutines, and on a nil Writer, which does nothing.
type Writer struct {
	mu      sync.Mutex
	start   time.Time
	pending *fileio.Pending
	events  []event
}

// event has the format's field names: times are microseconds from the start of the trace.
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"`
	Dur   float64        `json:"dur"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// Create starts a trace that will be at path after Close: whole, or not at all.
func Create(path string) (*Writer, error) {
	p, err := fileio.Create(path)
	if err != nil {
		return nil, err
	}
	return &Writer{start: time.Now(), pending: p}, nil
}

// Record starts a trace that is kept in memory only, for Spans.
func Record() *Writer { return &Writer{start: time.Now()} }

// Span is something that took time: seconds from the start of the trace.
type Span struct {
	Lane           int
	Category, Name string
	Start, Seconds float64
}

// Spans are those recorded so far, in the order they ended.
func (w *Writer) Spans() []Span {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Span
	for _, e := range w.events {
		if e.Phase == "X" {
			out = append(out, Span{e.TID, e.Cat, e.Name, e.Time * 1e-6, e.Dur * 1e-6})
		}
	}
	return out
}

// Span records that something took from start to now, on the given lane (0: the run itself, from 1: workers).
func (w *Writer) Span(lane int, category, name string, start time.Time, args map[string]any) {
	if w == nil {
		return
	}
	w.Took(lane, category, name, start, time.Since(start), args)
}

// Took records that something took so long from a time on.
func (w *Writer) Took(lane int, category, name string, start time.Time, took time.Duration, args map[string]any) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, event{name, category, "X", micros(start.Sub(w.start)), micros(took), 1, lane, args})
}

// Name gives a lane a name, for those who look at the trace.
func (w *Writer) Name(lane int, name string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, event{Name: "thread_name", Phase: "M", PID: 1, TID: lane, Args: map[string]any{"name": name}})
}

// Names are those of the lanes that have one.
func (w *Writer) Names() map[int]string {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[int]string{}
	for _, e := range w.events {
		if name, ok := e.Args["name"].(string); ok && e.Phase == "M" {
			out[e.TID] = name
		}
	}
	return out
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// Close writes the file. A run that was cut short closes its trace too, so that what is there is valid.
func (w *Writer) Close() error {
	if w == nil || w.pending == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := encode(w.pending, w.events); err != nil {
		_ = w.pending.Abort() // the first error is the one to report
		return err
	}
	return w.pending.Commit(false)
}

func encode(to io.Writer, events []event) error {
	if events == nil {
		events = []event{}
	}
	return json.NewEncoder(to).Encode(map[string]any{"displayTimeUnit": "ms", "traceEvents": events})
}
