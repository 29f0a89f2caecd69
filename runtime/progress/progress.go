// Package progress shows how a run goes: a bar on a terminal, lines elsewhere, nothing for runs that are over at once.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// patience is how long a kernel on a terminal, and a run elsewhere, may take before it is talked about; then every so often.
const (
	patienceTerminal = 500 * time.Millisecond
	refresh          = 100 * time.Millisecond
	patienceLines    = 2 * time.Second
	patienceCompiler = 10 * time.Second // of lines about what is compiled, which happens once
)

// Progress tells of one kernel after the other. Between kernels there is no bar, so that sinks may print.
type Progress struct {
	to      io.Writer
	columns int // of the terminal; 0: it is none

	mu        sync.Mutex
	name      string
	tiles     int
	done      int
	predicted time.Duration
	note      string // how far it is, in its own words
	drawn     bool   // there is a bar

	run, start, last time.Time // when the run and the kernel began, and when it was last talked about
}

// New draws a bar on a terminal of some columns or, where there are none, writes a line every few seconds.
func New(to io.Writer, columns int) *Progress {
	return &Progress{to: to, columns: columns, run: time.Now()}
}

// Begin starts a kernel.
func (p *Progress) Begin(name string, tiles int, predicted time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name, p.tiles, p.done, p.predicted, p.note, p.start = name, tiles, 0, predicted, "", time.Now()
}

// Tile counts one tile.
func (p *Progress) Tile() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	switch quiet := time.Since(p.last); {
	case p.columns > 0 && time.Since(p.start) > patienceTerminal && quiet >= refresh:
		p.last, p.drawn = time.Now(), true
		fmt.Fprintf(p.to, "\r%s\x1b[K", p.bar())
	case p.columns == 0 && p.done < p.tiles && time.Since(p.run) >= patienceLines && quiet >= patienceLines:
		p.last = time.Now()
		fmt.Fprintf(p.to, "%s: %d of %d, %s\n", p.name, p.done, p.tiles, p.left())
	}
}

// Compiled tells of the compiler: a first run may take minutes of it.
func (p *Progress) Compiled(done, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	row := fmt.Sprintf("compiling: %d of %d kernels, which later runs find", done, of)
	switch now := time.Now(); {
	case done == 0:
		p.start = now
	case done == of:
	case p.columns > 0 && now.Sub(p.start) > patienceTerminal && now.Sub(p.last) >= refresh:
		p.last, p.drawn = now, true
		fmt.Fprintf(p.to, "\r%.*s\x1b[K", p.columns-1, row)
	case p.columns == 0 && now.Sub(p.start) >= patienceCompiler && now.Sub(p.last) >= patienceCompiler:
		p.last = now
		fmt.Fprintln(p.to, row)
	}
}

// bar is a row of the terminal.
func (p *Progress) bar() string {
	const width = 40
	full := width * min(p.done, p.tiles) / max(1, p.tiles)
	row := []rune(fmt.Sprintf("%s [%s%s] %d %%  %s", p.name, strings.Repeat("=", full), strings.Repeat("-", width-full), 100*p.done/max(1, p.tiles), p.left()))
	return string(row[:min(len(row), p.columns-1)])
}

// left says how long the kernel still takes, from the cost model until tiles are done, then from the tiles; and how far it is.
func (p *Progress) left() string {
	elapsed := time.Since(p.start)
	eta := max(0, p.predicted-elapsed)
	if p.done > 0 {
		eta = time.Duration(float64(elapsed) / float64(p.done) * float64(p.tiles-p.done))
	}
	return strings.TrimRight(fmt.Sprintf("%s left  %s", eta.Round(time.Second/10), p.note), " ")
}

// Note shows a row of what runs behind its time.
func (p *Progress) Note(row string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = row
}

// End takes the bar away; a line stays true.
func (p *Progress) End() { p.write("") }

// Log writes a line, in place of the bar.
func (p *Progress) Log(line string) { p.write(line + "\n") }

func (p *Progress) write(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		text = "\r\x1b[K" + text
	}
	p.drawn = false
	fmt.Fprint(p.to, text)
}
