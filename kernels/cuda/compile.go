package cuda

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
)

// compiler makes code that a driver loads.
type compiler struct{ kept nvrtc.Kept }

var _ builder = compiler{}

// builder compiles each kernel to an image of its own; in their order.
type builder interface {
	build(ctx context.Context, codes []*launch.Code, target nvrtc.Target) ([]nvrtc.Image, error)
	// source compiles text behind the prelude of kernels.
	source(name, text string, target nvrtc.Target) (nvrtc.Image, error)
}

// build compiles several kernels at a time.
func (c compiler) build(ctx context.Context, codes []*launch.Code, target nvrtc.Target) ([]nvrtc.Image, error) {
	images, problems := make([]nvrtc.Image, len(codes)), make([]error, len(codes))
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

func (c compiler) source(name, text string, target nvrtc.Target) (nvrtc.Image, error) {
	return c.kept.Compile(name, cuda.Prelude()+text, target, cuda.Flags())
}

func (c compiler) one(code *launch.Code, target nvrtc.Target) (nvrtc.Image, error) {
	image, _, err := code.Image(c.kept, target)
	if errors.Is(err, launch.ErrUnread) {
		return image, nil
	}
	return image, err
}
