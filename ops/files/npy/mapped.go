package npy

import (
	"io"
	"runtime"

	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// swapped says whether the file's byte order is not this machine's.
func (f *File) swapped() bool {
	return f.header.BigEndian != words.HostBigEndian && f.header.DType.Word() > 1
}

// mapping maps the elements on first use. Any reason why that fails is no error: reading still works.
func (f *File) mapping() ([]byte, bool) {
	f.mapOnce.Do(func() {
		file, ok := f.source.(interface {
			io.ReaderAt
			Fd() uintptr
		})
		end := f.header.DataOffset + f.header.Bytes()
		if !ok || f.header.Bytes() == 0 || end != int64(int(end)) {
			return
		}
		if all, unmap, err := mapFile(file.Fd(), int(end)); err == nil {
			f.mapped, f.unmap = all[f.header.DataOffset:], unmap
		}
	})
	return f.mapped, f.mapped != nil
}

// faultAsError, deferred while debug.SetPanicOnFault is set, turns a memory fault into an error: that is what a
// mapped file which another program shortens gives.
func faultAsError(err *error) {
	switch r := recover().(type) {
	case nil:
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		*err = &Error{Kind: fileio.Cut, Reason: shortened}
	default:
		panic(r)
	}
}
