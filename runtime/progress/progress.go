// Package progress shows how a run goes: bars on a terminal, lines elsewhere, nothing for runs that are over at once.
package progress

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// patience is how long a run may take before it is talked about, on a terminal and elsewhere.
const (
	patienceTerminal = 500 * time.Millisecond
	patienceLines    = 2 * time.Second
)

// stage is the kernel that runs now.
type stage struct {
	name      string
	tiles     int
	done      atomic.Int64
	start     time.Time
	predicted time.Duration
	note      atomic.Value // how far it is, in its own words
}

func (s *stage) said() string {
	if row, ok := s.note.Load().(string); ok {
		return "  " + row
	}
	return ""
}

// eta is the time left: from the cost model until tiles are done, then from the tiles.
func (s *stage) eta() time.Duration {
	elapsed, done := time.Since(s.start), s.done.Load()
	if done == 0 {
		return max(0, s.predicted-elapsed)
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(int64(s.tiles)-done))
}

// Bars draws a bar for every kernel that takes long enough to be seen. Between kernels nothing is drawn, so that sinks may
// print.
type Bars struct {
	to  io.Writer
	mu  sync.Mutex
	now *stage
	box *mpb.Progress
	bar *mpb.Bar
}

// NewBars draws on a terminal.
func NewBars(terminal io.Writer) *Bars { return &Bars{to: terminal} }

// Begin starts a kernel.
func (b *Bars) Begin(name string, tiles int, predicted time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = &stage{name: name, tiles: tiles, start: time.Now(), predicted: predicted}
}

// Tile counts one tile.
func (b *Bars) Tile() {
	b.mu.Lock()
	defer b.mu.Unlock()
	done := b.now.done.Add(1)
	if b.box == nil && time.Since(b.now.start) > patienceTerminal {
		b.open()
	}
	if b.bar != nil {
		b.bar.SetCurrent(done)
	}
}

func (b *Bars) open() {
	now := b.now
	b.box = mpb.New(mpb.WithOutput(b.to), mpb.WithAutoRefresh(), mpb.WithWidth(48))
	b.bar = b.box.AddBar(int64(now.tiles), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(now.name+" ")),
		mpb.AppendDecorators(decor.Percentage(), decor.Any(func(decor.Statistics) string {
			return fmt.Sprintf("  %s left%s", now.eta().Round(time.Second/10), now.said())
		})))
}

// Note shows a row behind the bar.
func (b *Bars) Note(row string) { b.now.note.Store(row) }

// End takes the bar away.
func (b *Bars) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.box == nil {
		return
	}
	b.bar.Abort(true)
	b.box.Wait()
	b.box, b.bar = nil, nil
}

// Log writes a line above the bar.
func (b *Bars) Log(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.box != nil {
		fmt.Fprintln(b.box, line)
		return
	}
	fmt.Fprintln(b.to, line)
}

// Lines writes plain lines, for logs: one every few seconds, and none in the first two or when a kernel is done.
type Lines struct {
	to    io.Writer
	mu    sync.Mutex
	now   *stage
	start time.Time
	last  time.Time
}

// NewLines writes lines.
func NewLines(to io.Writer) *Lines { return &Lines{to: to, start: time.Now()} }

// Begin starts a kernel.
func (l *Lines) Begin(name string, tiles int, predicted time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = &stage{name: name, tiles: tiles, start: time.Now(), predicted: predicted}
}

// Tile counts one tile.
func (l *Lines) Tile() {
	l.mu.Lock()
	defer l.mu.Unlock()
	done := l.now.done.Add(1)
	if done == int64(l.now.tiles) || time.Since(l.start) < patienceLines || time.Since(l.last) < patienceLines {
		return
	}
	l.last = time.Now()
	fmt.Fprintf(l.to, "%s: %d of %d, %s left%s\n", l.now.name, done, l.now.tiles, l.now.eta().Round(time.Second/10), l.now.said())
}

// Note adds a row to the next line.
func (l *Lines) Note(row string) { l.now.note.Store(row) }

// End does nothing: a line stays true.
func (l *Lines) End() {}

// Log writes a line.
func (l *Lines) Log(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.to, line)
}
