package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"time"

	"weft/ops/files"
)

// What was done since a checkpoint is in two files in turn, each written over where it is: that takes no time for the disk, so that there is one for each task. As long
// as nothing has changed but how far it is, no more than that is written over.
// Of a process that is killed the last but one is whole; of a machine that loses power there may be none, and the checkpoint is what is left.

// SinceOf are these files.
func SinceOf(checkpoint string) [2]string {
	return [2]string{checkpoint + ".since-a", checkpoint + ".since-b"}
}

// since is the last of them that is whole and of this run; nil: there is none.
func (k *Keeper) since() (last *Checkpoint) {
	for _, path := range SinceOf(k.Path) {
		text, err := os.ReadFile(path)
		if err != nil || len(text) < sinceHead {
			continue
		}
		head, rest := text[:sinceHead], text[sinceHead:]
		number := func(i int) uint64 { return binary.LittleEndian.Uint64(head[8*i:]) }
		bytes := number(0)
		if sumOf(head[:sinceHead-8]) != number(4) || bytes > uint64(len(rest)) || sumOf(rest[:bytes]) != number(1) {
			continue
		}
		c, err := read(rest[:bytes])
		if c.Calls, c.Tasks = int(number(2)), int(number(3)); err == nil && c.Header.Foreign(k.Head) == "" && (last == nil || c.Tasks > last.Tasks) {
			last, k.last = &c, path
		}
	}
	return last
}

// In front are numbers: how many bytes follow, their checksum, calls, tasks, and the checksum of these.
const sinceHead = 5 * 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(parts ...[]byte) (sum uint64) {
	for _, part := range parts {
		sum = uint64(crc32.Update(uint32(sum), castagnoli, part))
	}
	return sum
}

// Note gives what writes how far a step is, to be called once that is so, and before the next; nil where all that is kept would have to be written again, and that has
// taken its share of the time.
func (k *Keeper) Note(now Checkpoint) (write func() error, err error) {
	if k.Path == "" {
		return nil, nil
	}
	calls, tasks := now.Calls, now.Tasks
	now.Calls, now.Tasks = 0, 0
	parts, err := now.parts()
	if err != nil {
		return nil, err
	}
	bytes, sum := 0, sumOf(parts...)
	for _, part := range parts {
		bytes += len(part)
	}
	var head []byte
	for _, number := range []uint64{uint64(bytes), sum, uint64(calls), uint64(tasks)} {
		head = binary.LittleEndian.AppendUint64(head, number)
	}
	head = binary.LittleEndian.AppendUint64(head, sumOf(head))
	switch {
	case k.wrote && sum == k.sum:
		return func() error { return over(k.last, head) }, nil
	case k.spent*leastShare > time.Since(k.begun):
		return nil, nil
	}
	k.note = append(k.note[:0], head...)
	for _, part := range parts {
		k.note = append(k.note, part...)
	}
	return func() error {
		path := SinceOf(k.Path)[0]
		if k.last == path { // which must stay whole
			path = SinceOf(k.Path)[1]
		}
		begun := time.Now()
		k.last, k.sum, k.wrote = path, sum, true
		err := over(path, k.note)
		k.spent += time.Since(begun)
		return err
	}, nil
}

// over writes over the beginning of a file.
func over(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", files.Unwritten(path, err))
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", files.Unwritten(path, err))
	}
	return nil
}

// There reports whether there is a checkpoint, or what was done since one.
func There(checkpoint string) bool {
	since := SinceOf(checkpoint)
	for _, path := range append(since[:], checkpoint) {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// ForgetAll removes a checkpoint and what was done since.
func ForgetAll(checkpoint string) error {
	since := SinceOf(checkpoint)
	return errors.Join(Forget(checkpoint), Forget(since[0]), Forget(since[1]))
}
