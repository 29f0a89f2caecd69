package progress

import "time"

// Hears is who hears how a run goes. Tile and Log may be called from several goroutines at once.
type Hears interface {
	Begin(stage string, tiles int, predicted time.Duration) // a kernel starts
	Tile()                                                  // one of its tiles is done
	End()                                                   // the kernel is done, or given up
	Note(row string)                                        // how far it is, in its own words
	Log(line string)                                        // something a person should see now
	Compiled(done, of int)                                  // so many of the kernels that are compiled before the first one starts; 0 at the beginning
}

// Silence hears and says nothing.
type Silence struct{}

// Begin implements Hears.
func (Silence) Begin(string, int, time.Duration) {}

// Tile implements Hears.
func (Silence) Tile() {}

// End implements Hears.
func (Silence) End() {}

// Note implements Hears.
func (Silence) Note(string) {}

// Log implements Hears.
func (Silence) Log(string) {}

// Compiled implements Hears.
func (Silence) Compiled(int, int) {}

// Quiet passes on what a person should see now, and nothing of kernels, which run many times.
type Quiet struct{ To Hears }

// Begin implements Hears.
func (Quiet) Begin(string, int, time.Duration) {}

// Tile implements Hears.
func (Quiet) Tile() {}

// End implements Hears.
func (Quiet) End() {}

// Note implements Hears.
func (q Quiet) Note(row string) { q.To.Note(row) }

// Log implements Hears.
func (q Quiet) Log(line string) { q.To.Log(line) }

// Compiled implements Hears.
func (q Quiet) Compiled(done, of int) { q.To.Compiled(done, of) }
