// Package journal records how far an output that is written part by part has come, so that a run which died can go on.
package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"weft/ops"
	"weft/ops/files/fileio"
	"weft/planner/plan"
	"weft/runtime/audit"
)

// Format of the file: a header, then an entry a line, each as JSON. A line that a crash cut off does not count.
const Format = 5

// Entry is a region of the output that is there, and what was sampled since the entry before of what the kernels made: a run that goes on judges
// the whole output by it.
type Entry struct {
	ops.Mark
	Samples []Sampled `json:"samples,omitempty"`
	// Boot is since when the machine has run, if nobody waited until this and the entries before, since the last that has none, were on the disk: once it has
	// started again they do not count.
	Boot string `json:"boot,omitempty"`
}

// Boot names the time since which the machine has run; empty: it does not say.
var Boot = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(id))
})

// Sampled are samples of what the kernel of a step stored, array by array.
type Sampled struct {
	Step  string       `json:"step"`
	Taken []audit.Kept `json:"taken"`
}

// Header tells the run that a journal belongs to.
type Header struct {
	Format int                 `json:"format"`
	Weft   string              `json:"weft"`
	Plan   string              `json:"plan"`
	Output string              `json:"output"` // file name
	Inputs []ops.InputIdentity `json:"inputs"`
	Device string              `json:"device"` // processor, compiler and instruction set: others may round otherwise
	// Accelerators are those that kernels are placed on, by name, and what they are.
	Accelerators map[string]string `json:"accelerators,omitempty"`
	// Decisions make the plan again, whatever the machine's figures are by then.
	Decisions *plan.Decisions `json:"decisions"`
}

// Journal is an open journal.
type Journal struct {
	file *os.File

	saved time.Time     // when what it says was on the disk
	wait  time.Duration // until that is so again
	due   time.Time     // when it was last found to be time for that
}

func newJournal(file *os.File) *Journal {
	return &Journal{file: file, saved: time.Now(), wait: notedTimes * MostBetween}
}

// Due reports whether it is time for an entry that waits for the disk: a machine that stops loses what came since the last one. It is twice a minute, and less often
// where waiting takes long; always where a later run could not tell that the machine has stopped.
func (j *Journal) Due() bool {
	j.due = time.Now()
	return Boot() == "" || j.due.Sub(j.saved) >= j.wait
}

// PathOf is where the journal of an output is: beside it.
func PathOf(output string) string {
	if real, err := filepath.EvalSymlinks(output); err == nil {
		output = real
	}
	folder, name := filepath.Split(output)
	return filepath.Join(folder, "."+name+".weft-journal")
}

// Create starts the journal of an output, durably, in place of one that is there.
func Create(output string, h Header) (*Journal, error) {
	h.Format, h.Output = Format, filepath.Base(output)
	file, err := os.OpenFile(PathOf(output), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot keep a journal: %w", err)
	}
	j := newJournal(file)
	if err := j.line(h, true); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, syncFolder(filepath.Dir(file.Name()))
}

// Record is what a journal holds.
type Record struct {
	Header  Header
	Marks   []ops.Mark
	Samples []Sampled
	size    int64 // of the whole lines
}

// Read gives what the journal of an output holds. The error is fs.ErrNotExist where there is none, or one without a header.
func Read(output string) (Record, error) {
	text, err := os.ReadFile(PathOf(output))
	if err != nil {
		return Record{}, err
	}
	var r, sure Record // what is there, and what of it is on the disk whatever happened since
	lost, waited := false, true
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if r.size == 0 {
			err = json.Unmarshal(line, &r.Header)
		} else {
			var e Entry
			if err = json.Unmarshal(line, &e); err == nil {
				r.Marks, r.Samples = append(r.Marks, e.Mark), append(r.Samples, e.Samples...)
			}
			lost = lost || e.Boot != "" && e.Boot != Boot()
			waited = e.Boot == ""
		}
		if err != nil {
			break
		}
		if r.size += int64(len(line)); waited {
			sure, lost = r, false
		}
	}
	if lost {
		r = sure
	}
	if r.Header.Format == 0 {
		return Record{}, fs.ErrNotExist
	}
	return r, nil
}

// Resume opens the journal of an output to go on behind what was read of it.
func Resume(output string, r Record) (*Journal, error) {
	file, err := os.OpenFile(PathOf(output), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot keep a journal: %w", err)
	}
	err = file.Truncate(r.size)
	if err == nil {
		_, err = file.Seek(r.size, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot keep a journal: %w", err), file.Close())
	}
	return newJournal(file), nil
}

// Foreign says why a journal does not belong to a run; empty when it does.
func (h Header) Foreign(run Header) string {
	switch {
	case h.Format != Format:
		return fmt.Sprintf("it has format %d, this weft writes %d", h.Format, Format)
	case h.Weft != run.Weft:
		return fmt.Sprintf("it is of weft %s, this is %s", h.Weft, run.Weft)
	case h.Plan != run.Plan:
		return "it is of another program or another plan of it"
	case h.Device != run.Device:
		return fmt.Sprintf("it was computed on %s, this is %s", h.Device, run.Device)
	}
	for _, name := range slices.Sorted(maps.Keys(run.Accelerators)) {
		if was, is := h.Accelerators[name], run.Accelerators[name]; was != is {
			return fmt.Sprintf("it was computed on %s as %s, which is now %s", name, cmp.Or(was, "another device"), is)
		}
	}
	for _, in := range run.Inputs {
		at := slices.IndexFunc(h.Inputs, func(o ops.InputIdentity) bool { return o.Path == in.Path })
		if at < 0 || h.Inputs[at].Bytes != in.Bytes || h.Inputs[at].Hash != in.Hash || h.Inputs[at].Modified != in.Modified {
			return in.Path + " has changed since"
		}
	}
	return ""
}

// Append records an entry. With durable set, what it says is there is on the disk, and it waits until it is too.
func (j *Journal) Append(e Entry, durable bool) error {
	if e.Boot = ""; !durable {
		e.Boot = Boot()
	}
	if err := j.line(e, durable); err != nil || !durable {
		return err
	}
	j.saved = time.Now()
	j.wait = max(notedTimes*MostBetween, leastShare*j.saved.Sub(j.due))
	return nil
}

func (j *Journal) line(v any, durable bool) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("cannot keep the journal: %w", err)
	}
	if !durable {
		return nil
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("cannot keep the journal: %w", err)
	}
	return nil
}

// Close keeps the journal for a later run.
func (j *Journal) Close() error { return j.file.Close() }

// Remove ends a journal whose output is complete or given up.
func (j *Journal) Remove() error { return errors.Join(j.file.Close(), os.Remove(j.file.Name())) }

// Forget removes a journal or a checkpoint, if there is one, and what was to become one when its run died.
func Forget(path string) error {
	fileio.Sweep(path)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove what an unfinished run left: %w", err)
	}
	return nil
}

// syncFolder makes a new file's name durable, where folders can be synced.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot keep a journal: %w", err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("cannot keep a journal: %w", err)
	}
	return nil
}

// Rows is how many rows an output has, by the last mark; where it is written in columns, those of the last one.
func (r Record) Rows() int {
	if len(r.Marks) == 0 {
		return 0
	}
	return r.Marks[len(r.Marks)-1].There[0].Hi
}
