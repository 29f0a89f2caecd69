package native

import (
	"context"
	"strings"

	"weft/kernels/cache"
)

// making is what devices compile: several emulated ones have the same text.
var making cache.Alone

// CompileText compiles C text that is no kernel of this device with the device's compiler, for this processor and by the
// rules of generated code, and returns the addresses of functions in it. Nobody waits for such code to be fast, so the compiler takes
// less time. Objects are cached like those of kernels; cached reports one that was found.
func (d *Device) CompileText(ctx context.Context, text string, symbols ...string) (addresses []uintptr, cached bool, err error) {
	return d.compileText(ctx, text, append(d.flags(), d.compiler.optimised(firstLevel)...), symbols)
}

func (d *Device) compileText(ctx context.Context, text string, flags, symbols []string) (addresses []uintptr, cached bool, err error) {
	name := cache.Digest(append(append([]string{text, d.compiler.ID, strings.Join(d.compiler.Command, " ")}, flags...), symbols...)...)
	defer making.Enter(name)()
	object, _, cached := d.store.find(name)
	if cached {
		if addresses, err = loadAll(object, symbols); err == nil {
			return addresses, true, nil
		}
	}
	path := d.store.path(name, ".c")
	if err := cache.Write(path, []byte(text)); err != nil {
		return nil, false, err
	}
	object = d.store.path(name, ".so")
	if err := d.compiler.compile(ctx, flags, path, object); err != nil {
		return nil, false, err
	}
	if err := d.store.refer(name, map[string]string{name: symbols[0]}); err != nil {
		return nil, false, err
	}
	if err := d.store.tidy(); err != nil {
		return nil, false, err
	}
	addresses, err = loadAll(object, symbols)
	return addresses, false, err
}

func loadAll(object string, symbols []string) ([]uintptr, error) {
	addresses := make([]uintptr, len(symbols))
	for i, s := range symbols {
		a, err := load(object, s)
		if err != nil {
			return nil, err
		}
		addresses[i] = a
	}
	return addresses, nil
}

// Invoke calls a function of one pointer, which must stay where it is meanwhile, and returns the int it returns.
func Invoke(function, argument uintptr) int32 { return invoke(function, argument) }
