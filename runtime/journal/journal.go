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
	// Boot is since when the machine has run, if nobody has waited until what is said here is on the disk: once it has started again the entry does not count,
	// unless it is among those that a later one is sure of.
	Boot string `json:"boot,omitempty"`
	// Sure is how many entries, from the first on, are on the disk with all that they say is there. An entry that has it says nothing else.
	Sure int `json:"sure,omitempty"`
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
	mu      sync.Mutex // of the file
	file    *os.File
	entries int

	saved  time.Time     // when the disk was waited for
	wait   time.Duration // until it is again
	saving chan error    // it is being waited for
}

func newJournal(file *os.File, entries int) *Journal {
	return &Journal{file: file, entries: entries, saved: time.Now(), wait: notedTimes * MostBetween}
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
	j := newJournal(file, 0)
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
	sure    int   // how many entries are left of those that were there when the machine stopped
}

// Read gives what the journal of an output holds. The error is fs.ErrNotExist where there is none, or one without a header.
func Read(output string) (Record, error) {
	text, err := os.ReadFile(PathOf(output))
	if err != nil {
		return Record{}, err
	}
	var r Record
	var entries []Entry
	var ends []int64 // of the lines of the header and of these
	sure := 0
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var e Entry
		first := len(ends) == 0
		if first {
			err = json.Unmarshal(line, &r.Header)
		} else {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			break
		}
		if r.size += int64(len(line)); e.Sure > 0 {
			sure = min(e.Sure, len(entries))
			continue
		}
		if ends = append(ends, r.size); first {
			continue
		}
		if entries = append(entries, e); e.Boot == "" {
			sure = len(entries)
		}
	}
	if slices.ContainsFunc(entries[sure:], func(e Entry) bool { return e.Boot != Boot() }) {
		entries, r.size, r.sure = entries[:sure], ends[sure], sure
	}
	for _, e := range entries {
		r.Marks, r.Samples = append(r.Marks, e.Mark), append(r.Samples, e.Samples...)
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
	j := newJournal(file, len(r.Marks))
	if r.sure > 0 { // what said so was cut off
		if err := j.line(Entry{Sure: r.sure}, true); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return j, nil
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

// Append records an entry. Twice a minute, and less often where that takes long, it begins to wait, beside what comes next, until all that was said so far is on the
// disk, which sync waits for of the output; always, and before it returns, on a machine of which a later run could not tell that it has stopped.
func (j *Journal) Append(e Entry, sync func() error) error {
	if e.Boot = Boot(); e.Boot == "" {
		if err := sync(); err != nil {
			return err
		}
		return j.line(e, true)
	}
	if err := j.line(e, false); err != nil {
		return err
	}
	if j.entries++; j.saving != nil {
		select {
		case err := <-j.saving:
			j.saving = nil
			return err
		default:
			return nil
		}
	}
	if time.Since(j.saved) < j.wait {
		return nil
	}
	done, sure := make(chan error, 1), j.entries
	j.saving = done
	go func() {
		begun := time.Now()
		err := sync()
		if err == nil {
			err = j.line(Entry{Sure: sure}, true)
		}
		j.saved = time.Now()
		j.wait = max(notedTimes*MostBetween, leastShare*j.saved.Sub(begun))
		done <- err
	}()
	return nil
}

// Wait is for what Append has begun: the output stays as it is until then.
func (j *Journal) Wait() (err error) {
	if j.saving != nil {
		err = <-j.saving
		j.saving = nil
	}
	return err
}

func (j *Journal) line(v any, durable bool) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
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
