package cuda

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
)

// compiler makes code that a driver loads, and keeps it in a folder by what it is made from.
type compiler struct {
	lib *nvrtc.Library
	dir string
}

var _ builder = (*compiler)(nil)

func newCompiler(lib *nvrtc.Library, folder string) (*compiler, error) {
	if folder == "" {
		var err error
		if folder, err = cache.Folder(); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(folder, "cuda")
	if err := errors.Join(cache.Use(dir), cache.Trusted(folder)); err != nil {
		return nil, err
	}
	return &compiler{lib, dir}, nil
}

// builder compiles each kernel to an image of its own; in their order.
type builder interface {
	build(ctx context.Context, codes []*launch.Code, target nvrtc.Target) ([]image, error)
}

// image is compiled code: a cubin or PTX.
type image struct {
	data   []byte
	cached bool
}

// build compiles several kernels at a time.
func (c *compiler) build(ctx context.Context, codes []*launch.Code, target nvrtc.Target) ([]image, error) {
	images, problems := make([]image, len(codes)), make([]error, len(codes))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, code := range codes {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if problems[i] = ctx.Err(); problems[i] == nil {
				images[i], problems[i] = c.one(code, target)
			}
		})
	}
	group.Wait()
	return images, errors.Join(problems...)
}

func (c *compiler) one(code *launch.Code, target nvrtc.Target) (image, error) {
	source := cuda.Prelude() + code.Out.Source
	options := cuda.Flags(code.Kernel.Contract)
	path := filepath.Join(c.dir, cache.Digest(append([]string{source, c.lib.String(), fmt.Sprint(target)}, options...)...)+".bin")
	if data, ok := load(path); ok {
		return image{data, true}, nil
	}
	data, err := c.lib.Compile(code.Kernel.Name, source, target, options)
	if err != nil {
		return image{}, err
	}
	return image{data, false}, save(path, data)
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
