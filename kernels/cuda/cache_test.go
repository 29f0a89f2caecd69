package cuda

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
)

var gpu = device.Limits{Grid: [3]int{1<<31 - 1, 65535, 65535}, Block: [3]int{1024, 1024, 64}, Threads: 1024, Shared: 48 << 10}

// Images are kept by source and architecture; one that was damaged is made again.
func TestImagesAreKept(t *testing.T) {
	lib := library(t)
	dir := t.TempDir()
	kept, err := lib.In(dir)
	c := compiler{kept}
	if err != nil {
		t.Fatal(err)
	}
	var codes []*launch.Code
	for _, k := range suite()[:3] {
		code, err := launch.New(k, nil, gpu)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, code)
	}
	build := func(target nvrtc.Target, cached ...bool) []nvrtc.Image {
		t.Helper()
		images, err := c.build(t.Context(), codes, target)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range cached {
			if images[i].Cached != want {
				t.Errorf("image %d: cached %t, want %t", i, images[i].Cached, want)
			}
		}
		return images
	}
	first := build(nvrtc.Target{Capability: 80}, false, false, false)
	if !bytes.HasPrefix(first[0].Data, []byte("\x7fELF")) {
		t.Errorf("a cubin that starts with %q", first[0].Data[:4])
	}
	again := build(nvrtc.Target{Capability: 80}, true, true, true)
	if !bytes.Equal(first[2].Data, again[2].Data) {
		t.Error("another image from the cache")
	}
	ptx := build(nvrtc.Target{Capability: 80, PTX: true}, false, false, false)
	if !strings.Contains(string(ptx[1].Data), ".visible .entry "+codes[1].Out.Name) {
		t.Errorf("PTX without the kernel's entry %s", codes[1].Out.Name)
	}
	files, err := filepath.Glob(filepath.Join(dir, "cuda", "*.bin"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build(nvrtc.Target{Capability: 80}, false, false, false)
}

// What a GPU lacks in the library's list is made as PTX for the nearest one before it.
func TestTargets(t *testing.T) {
	lib := library(t)
	for _, c := range []struct {
		capability int
		want       nvrtc.Target
	}{
		{80, nvrtc.Target{Capability: 80}}, {90, nvrtc.Target{Capability: 90}},
		{91, nvrtc.Target{Capability: 90, PTX: true}},
	} {
		if got := lib.Best(c.capability); got != c.want {
			t.Errorf("capability %d: %+v, want %+v", c.capability, got, c.want)
		}
	}
}

// NVRTC's words come through.
func TestCompileErrors(t *testing.T) {
	lib := library(t)
	_, err := lib.Compile("bad", cuda.Prelude()+"WEFT_KERNEL(1) bad() { undefined_function(); }", nvrtc.Target{Capability: 80}, cuda.Flags())
	if err == nil || !strings.Contains(err.Error(), "undefined_function") {
		t.Errorf("got %v", err)
	}
}

// A library that is not there is reported with what was tried.
func TestNoLibrary(t *testing.T) {
	t.Setenv("WEFT_NVRTC", "/nowhere/libnvrtc.so.12")
	_, err := nvrtc.Open()
	if err == nil || !strings.Contains(err.Error(), "/nowhere/libnvrtc.so.12") || !strings.Contains(err.Error(), "tools/nvrtc.sh") {
		t.Errorf("got %v", err)
	}
}
