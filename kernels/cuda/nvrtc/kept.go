package nvrtc

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"weft/kernels/cache"
)

// Kept is a compiler that keeps what it makes by what that is made from.
type Kept struct {
	*Library
	dir string // empty: nothing is kept
}

// In gives a compiler that keeps what it makes in a cache folder; empty: the user's.
func (l *Library) In(folder string) (Kept, error) {
	if folder == "" {
		var err error
		if folder, err = cache.Folder(); err != nil {
			return Kept{}, err
		}
	}
	dir := filepath.Join(folder, "cuda")
	return Kept{l, dir}, errors.Join(cache.Use(dir), cache.Trusted(folder))
}

// making is what is compiled: several GPUs of a kind have the same code.
var making cache.Alone

// Image is compiled code: a cubin or PTX.
type Image struct {
	Data   []byte
	Cached bool
}

// Compile gives what Library.Compile does, from the folder where it is there.
func (k Kept) Compile(name, source string, target Target, options []string) (Image, error) {
	if k.dir == "" {
		data, err := k.Library.Compile(name, source, target, options)
		return Image{data, false}, err
	}
	path := filepath.Join(k.dir, cache.Digest(append([]string{source, k.String(), fmt.Sprint(target)}, options...)...)+".bin")
	defer making.Enter(path)()
	if data, ok := load(path); ok {
		return Image{data, true}, nil
	}
	data, err := k.Library.Compile(name, source, target, options)
	if err != nil {
		return Image{}, err
	}
	return Image{data, false}, save(path, data)
}

// load returns a kept image; one that is not what was kept counts as absent. The first line is a checksum of the rest.
func load(path string) ([]byte, bool) {
	text, err := cache.Read(path)
	if err != nil {
		return nil, false
	}
	sum, data, ok := strings.Cut(string(text), "\n")
	if !ok || sum != cache.Digest(data) {
		return nil, false
	}
	return []byte(data), true
}

// save keeps an image.
func save(path string, data []byte) error {
	if err := cache.Write(path, []byte(cache.Digest(string(data))+"\n"+string(data))); err != nil {
		return fmt.Errorf("keeping a compiled kernel: %w", err)
	}
	return nil
}
