package profile

import (
	"os"
	"time"
)

// diskBytes are written and read back to time a disk, in pieces; diskTime bounds each direction.
const (
	diskBytes = 16 << 20
	diskPiece = 2 << 20
	diskTime  = 60 * time.Millisecond
)

// measureDisk writes a file in a folder until the disk has it and reads it back, past the page cache where the system allows
// it, in bytes a second. A folder that cannot be written to gives 0: it says nothing about where data will lie.
func measureDisk(folder string) (read, write float64) {
	f, err := os.CreateTemp(folder, "disk-*")
	if err != nil {
		return 0, 0
	}
	defer os.Remove(f.Name())
	defer f.Close()
	piece := aligned(diskPiece)
	for i := range piece {
		piece[i] = byte(i * 7)
	}
	start, written := time.Now(), 0
	for written < diskBytes && time.Since(start) < diskTime {
		n, err := f.Write(piece)
		if err != nil {
			return 0, 0
		}
		written += n
	}
	if f.Sync() != nil {
		return 0, 0
	}
	write = float64(written) / time.Since(start).Seconds()
	back, err := openUncached(f.Name())
	if err != nil {
		return 0, write
	}
	defer back.Close()
	start = time.Now()
	got := 0
	for got < written && time.Since(start) < diskTime {
		n, err := back.Read(piece)
		if err != nil {
			return 0, write
		}
		got += n
	}
	return float64(got) / time.Since(start).Seconds(), write
}
