package profile

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/native"
)

func TestTry(t *testing.T) {
	d, err := native.New(native.Config{Cache: t.TempDir()})
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	d.Compile(context.Background(), []*ir.Kernel{fillKernel(77)}, device.Options{})
	for range 2 {
		p, err := Measure(context.Background(), d, d.Target().Lanes, os.Getenv("HOME"))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_ = start
		t.Logf("compile %v took %v noise %v", p.Compile, p.Took, p.Noise)
		t.Logf("%+v", p.Levels)
		t.Logf("touch %+v disk %v %v", p.Touch, p.DiskRead, p.DiskWrite)
	}
}
