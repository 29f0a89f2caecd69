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

// What was done since a checkpoint is in two files in turn, each written over where it is: that takes no time for the disk, so that there may be one for each task.
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
		bytes, sum := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint32(text[8:])
		if text = text[sinceHead:]; bytes > uint64(len(text)) || crc32.Checksum(text[:bytes], castagnoli) != sum {
			continue
		}
		if c, err := read(text[:bytes]); err == nil && c.Header.Foreign(k.Head) == "" && (last == nil || c.Tasks > last.Tasks) {
			last, k.last = &c, path
		}
	}
	return last
}

// In front are how many bytes follow, and their checksum.
const sinceHead = 12

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// LateSince reports whether it is time for one: the time that they take is no more than a share.
func (k *Keeper) LateSince() bool { return k.Path != "" && time.Since(k.noted) >= k.rest }

// WriteSince makes one.
func (k *Keeper) WriteSince(now Checkpoint) error {
	path := SinceOf(k.Path)[0]
	if k.last == path { // which must stay whole
		path = SinceOf(k.Path)[1]
	}
	begun := time.Now()
	k.noted, k.last = begun, path
	if err := files.Unwritten(path, now.over(path)); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", err)
	}
	k.rest = leastShare * time.Since(begun)
	return nil
}

// over writes a checkpoint over a file.
func (c Checkpoint) over(path string) error {
	parts, err := c.parts()
	if err != nil {
		return err
	}
	bytes, sum := 0, uint32(0)
	for _, part := range parts {
		bytes, sum = bytes+len(part), crc32.Update(sum, castagnoli, part)
	}
	head := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(bytes)), sum)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(writeAll(file, append([][]byte{head}, parts...)), file.Close())
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
