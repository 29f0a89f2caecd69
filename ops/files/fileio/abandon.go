package fileio

import (
	"os"
	"sync"
)

// begun are the temporary files and folders of this process that no other can go on with, for a process that ends in the middle of its work.
var begun = struct {
	sync.Mutex
	paths map[string]bool
}{paths: map[string]bool{}}

func note(path string, open bool) {
	begun.Lock()
	defer begun.Unlock()
	if open {
		begun.paths[path] = true
	} else {
		delete(begun.paths, path)
	}
}

// Abandon removes the temporary files that are being written, but for those that can be resumed. The process must end next: no file that is
// open can be committed any more.
func Abandon() {
	begun.Lock() // for good: nobody begins another one
	for path := range begun.paths {
		_ = os.RemoveAll(path) // the next one of its name sweeps away what stays
	}
}
