package serve

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// anonymous is a file without a name, which is gone with the processes that have it open.
func anonymous() (*os.File, string, error) {
	fd, err := unix.MemfdCreate("weft", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, "", err
	}
	return os.NewFile(uintptr(fd), "weft"), fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), nil
}

func forget(string) error { return nil }
