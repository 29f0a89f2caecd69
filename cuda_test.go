package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/render"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
)

// TestPipelinesCompileForGPUs has NVIDIA's compiler compile every kernel of the pipelines that ship, for several
// architectures. It needs no GPU.
func TestPipelinesCompileForGPUs(t *testing.T) {
	lib, err := nvrtc.Open()
	if errors.Is(err, nvrtc.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("pipelines/*/*.weft")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pipelines: %v", err)
	}
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			for i, k := range pipelineKernels(t, f) {
				out, err := render.CUDA(k, render.CUDADefault(k), fmt.Sprint("kernel", i))
				if err != nil {
					t.Error(err)
					continue
				}
				for _, c := range []int{80, 90} {
					if _, err := lib.Compile(k.Name, render.CUDAPrelude()+out.Source, nvrtc.Target{Capability: c}, render.CUDAFlags(k.Contract)); err != nil {
						t.Errorf("%s under %s: %v", k.Name, render.CUDADefault(k).Text(k), err)
					}
				}
				t.Logf("%s: %s", k.Name, render.CUDADefault(k).Text(k))
			}
		})
	}
}

// pipelineKernels are the kernels of a pipeline's plan.
func pipelineKernels(t *testing.T, file string) (kernels []*ir.Kernel) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, found := check.File(file, text, catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(found)
	}
	plan, err := planner.Build(p.Sinks, device.Info{Name: "cpu", Threads: 1}, planner.Options{File: file, FuseLimit: -1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Steps {
		if s.Kernel != nil {
			kernels = append(kernels, s.Kernel.Ir)
		}
	}
	if len(kernels) == 0 {
		t.Error("no kernels")
	}
	return kernels
}
