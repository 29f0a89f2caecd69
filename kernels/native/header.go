package native

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/codegen/c"
)

// headers keeps the prelude as files that generated source includes. Most of a small kernel's compilation would be reading what the prelude
// includes (gcc 12: 90 of 140 ms, of immintrin.h above all), so it is preprocessed once for each set of flags, and of what it includes only that
// stays which it uses.
type headers struct {
	mu    sync.Mutex
	ready map[string]bool // names that were seen to in this process
}

// header returns the file name of the prelude for the given flags, in place in the cache.
func (d *Device) header(ctx context.Context, flags []string) (string, error) {
	text := c.Prelude(d.target)
	name := "prelude-" + cache.Digest(append([]string{text, d.compiler.ID, strings.Join(d.compiler.Command, " ")}, flags...)...) + ".h"
	path := filepath.Join(d.store.dir, name)
	d.headers.mu.Lock()
	defer d.headers.mu.Unlock()
	if d.headers.ready[name] {
		if _, err := os.Stat(path); err == nil {
			touch(path)
			return name, nil
		}
	}
	if !sealed(path) {
		read, err := d.compiler.include(ctx, flags, text)
		if err != nil {
			return "", err
		}
		if err := cache.Write(path, seal(lean(read))); err != nil {
			return "", err
		}
	}
	touch(path)
	d.headers.ready[name] = true
	return name, nil
}

// seal puts a digest of a text behind it.
func seal(text string) []byte { return []byte(text + "// " + cache.Digest(text) + "\n") }

// sealed reports whether a file is as it was written.
func sealed(path string) bool {
	text, err := cache.Read(path)
	at := bytes.LastIndex(text, []byte("// "))
	return err == nil && at >= 0 && bytes.Equal(text, seal(string(text[:at])))
}

// include returns a C file as it is preprocessed: with its macros, and with lines that say which file what follows is from.
func (c *compiler) include(ctx context.Context, flags []string, text string) (string, error) {
	dir, err := os.MkdirTemp("", "weft-prelude-*")
	if err != nil {
		return "", fmt.Errorf("native: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, ownFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("native: %w", err)
	}
	var out, said bytes.Buffer
	args := append(c.arguments(flags), "-E", "-dD", path)
	if err := execute(ctx, c.Command[0], args, &out, &said); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &CompileError{Messages: complaints(said.String()), Source: ownFile, Err: err}
	}
	return out.String(), nil
}
