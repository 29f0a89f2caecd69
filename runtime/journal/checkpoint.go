package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"weft/ops/files"
	"weft/ops/files/fileio"
	"weft/runtime/result"
)

// Checkpoint is how far a drive has come: its state after some calls, and what its algorithm was told on the way. The state follows the rest,
// which is a line of JSON.
type Checkpoint struct {
	Header Header   `json:"header"`
	Calls  int      `json:"calls"`
	Tasks  int      `json:"tasks,omitempty"` // that were done, whose tiles are in the file that goes with it
	Told   []uint64 `json:"told"`            // bits of numbers
	Sizes  []int    `json:"sizes"`
	// Doubts are warnings of what was beyond its tolerance in the calls so far.
	Doubts []result.Warning `json:"doubts,omitempty"`
	State  [][]byte         `json:"-"`
}

// Told are numbers that an algorithm was told, as bits: those of an earlier run first, which it is told again.
type Told struct {
	Bits  []uint64
	heard int // in this run
}

// Again is what the algorithm was told before at this place.
func (t *Told) Again() (float64, bool) {
	if t.heard == len(t.Bits) {
		return 0, false
	}
	t.heard++
	return math.Float64frombits(t.Bits[t.heard-1]), true
}

// Tell keeps a number that it is told.
func (t *Told) Tell(v float64) {
	t.Bits = append(t.Bits, math.Float64bits(v))
	t.heard = len(t.Bits)
}

// CheckpointOf is where the checkpoint of a drive is: beside an output of its program.
func CheckpointOf(output, step string) string { return PathOf(output) + "-" + step }

// BegunOf is where a checkpoint of no calls says by what decisions the run began that the others are of.
func BegunOf(output string) string { return CheckpointOf(output, "begun") }

// tiles ends the name of what goes with a checkpoint.
const tiles = ".tiles"

// TilesOf is the file of the tiles that a checkpoint says were made.
func TilesOf(checkpoint string) string { return checkpoint + tiles }

// CheckpointOfTiles is the checkpoint that such a file goes with.
func CheckpointOfTiles(path string) string { return strings.TrimSuffix(path, tiles) }

// Write makes a checkpoint in place of the one before.
func (c Checkpoint) Write(path string) error {
	parts, err := c.parts()
	if err != nil {
		return err
	}
	return files.Unwritten(path, fileio.WriteFile(path, func(w io.Writer) error { return writeAll(w, parts) }))
}

// parts are what the file of a checkpoint holds.
func (c Checkpoint) parts() ([][]byte, error) {
	c.Header.Format, c.Sizes = Format, nil
	for _, s := range c.State {
		c.Sizes = append(c.Sizes, len(s))
	}
	line, err := json.Marshal(c)
	return append([][]byte{line, []byte("\n")}, c.State...), err
}

func writeAll(w io.Writer, parts [][]byte) error {
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// ReadCheckpoint reads one. The error is fs.ErrNotExist where there is none, or one that is not whole.
func ReadCheckpoint(path string) (c Checkpoint, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	return read(text)
}

func read(text []byte) (c Checkpoint, err error) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if json.Unmarshal(line, &c) != nil || c.Header.Format != Format {
		return Checkpoint{}, fs.ErrNotExist
	}
	for _, n := range c.Sizes {
		if n < 0 || n > len(rest) {
			return Checkpoint{}, fs.ErrNotExist
		}
		c.State, rest = append(c.State, rest[:n]), rest[n:]
	}
	return c, nil
}

// Begin says beside an output by what decisions a run with drives begins, before anything is computed, in place of what runs before it left there.
func Begin(output string, h Header) error {
	was, err := left(output)
	for _, c := range was {
		if err == nil && c != BegunOf(output) { // which is there until the new one is
			err = Forget(c)
		}
	}
	if err == nil {
		err = Checkpoint{Header: h}.Write(BegunOf(output))
	}
	return err
}

// Ended removes what Begin wrote, unless there are checkpoints that go with it.
func Ended(output string) error {
	if was, err := left(output); err != nil || len(was) > 1 {
		return err
	}
	return Forget(BegunOf(output))
}

// left are the files beside an output that are named as checkpoints are.
func left(output string) (paths []string, err error) {
	folder, prefix := filepath.Split(CheckpointOf(output, ""))
	files, err := os.ReadDir(cmp.Or(folder, "."))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // an output cannot be there either
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), prefix) {
			paths = append(paths, filepath.Join(folder, f.Name()))
		}
	}
	return paths, err
}

// Unfinished is what a run that left an output unfinished says of itself, by the journal of the output or the checkpoint of a drive. The
// error is fs.ErrNotExist where no run did.
func Unfinished(output string) (Header, error) {
	r, err := Read(output)
	if !errors.Is(err, fs.ErrNotExist) {
		return r.Header, err
	}
	files, err := left(output)
	if err != nil {
		return Header{}, err
	}
	for _, f := range files {
		if strings.HasSuffix(f, tiles) {
			continue
		}
		if c, err := ReadCheckpoint(f); err == nil {
			return c.Header, nil
		}
	}
	return Header{}, fs.ErrNotExist
}
