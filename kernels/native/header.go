package native

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/codegen/c"
)

// headers keeps the prelude as a file that generated source includes. Most of a small kernel's compilation is reading the
// prelude (gcc 12: 60 of 120 ms), so gcc is asked for a precompiled form of it, once for each set of flags, when the cache shows
// that it will be read often: making it takes as long as reading it six times, while nothing else goes on.
type headers struct {
	mu    sync.Mutex
	ready map[string]bool // names that were seen to in this process
}

// often is how many objects there are in a cache when precompiling the prelude begins to pay.
const often = 6

// header returns the file name of the prelude for the given flags, in place in the cache. again says that it will be read again.
func (d *Device) header(ctx context.Context, flags []string, again bool) (string, error) {
	text := "#pragma once\n" + c.Prelude(d.target)
	name := "prelude-" + cache.Digest(append([]string{text, d.compiler.ID, strings.Join(d.compiler.Command, " ")}, flags...)...) + ".h"
	path := filepath.Join(d.store.dir, name)
	d.headers.mu.Lock()
	defer d.headers.mu.Unlock()
	if _, err := os.Stat(path); err != nil {
		if err := cache.Write(path, []byte(text)); err != nil {
			return "", err
		}
	}
	precompiled := path + ".gch"
	touch(path)
	touch(precompiled)
	if d.headers.ready[name] || !again || !d.compiler.precompiles() || d.store.objects() < often {
		return name, nil
	}
	_, err := os.Stat(precompiled)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.compiler.precompile(ctx, flags, path, precompiled)
	}
	if err != nil {
		// A prelude that does not compile shows in the first kernel, with a better message.
		if _, ok := errors.AsType[*CompileError](err); !ok {
			return "", err
		}
	}
	d.headers.ready[name] = true
	return name, nil
}

// precompiles reports whether a compiler finds and checks precompiled headers by itself: gcc. It ignores one that was
// made with other flags.
func (c *compiler) precompiles() bool { return c.Macros["__clang_major__"] == "" }

// distrust removes a precompiled header after a failure that may be its fault: gcc must map it at a fixed address, which
// some systems refuse. It reports whether there was one.
func (d *Device) distrust(header string) bool {
	return os.Remove(filepath.Join(d.store.dir, header+".gch")) == nil
}
