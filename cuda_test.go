package main

import (
	"errors"
	"os"
	"regexp"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/lang/check"
	"weft/lang/diag/diagtest"
	"weft/ops/catalogue"
	"weft/ops/problem"
	"weft/planner"
)

// gpu is what every GPU since capability 3.0 allows.
var gpu = device.Limits{Grid: [3]int{1<<31 - 1, 65535, 65535}, Block: [3]int{1024, 1024, 64}, Threads: 1024, Shared: 48 << 10}

// mostRegisters lets two blocks of 256 threads run on a multiprocessor with its 65536 registers.
const mostRegisters = 128

// mostFrame is how many bytes of local memory a kernel may take: scratch of sines of large angles, frames of the functions that NVIDIA's compiler calls
// for quotients and roots beyond the usual, and a few of the dozen states that a day's climate carries through its hours. What does not fit registers takes more.
const mostFrame = 96

// registersOf is how many registers a kernel may take: all that a thread has where it holds a system of equations, which is hundreds of operations.
func registersOf(k *ir.Kernel) int {
	var roots []*ir.Node
	for _, s := range k.Stores {
		roots = append(roots, s.Value)
	}
	n := 0
	ir.WalkNodes(roots, func(*ir.Node) { n++ })
	if n < 400 {
		return mostRegisters
	}
	return 255
}

// compiled are the sources, apart from their numbers, that tests have had compiled.
var compiled = map[string]bool{}

var numbers = regexp.MustCompile(`weft_[0-9a-f]+|[0-9]+`)

// architectures are the capabilities that a kernel is still to be compiled for: one in turn, and none for what differs from another in numbers alone, as half
// of a pipeline's kernels do. NVIDIA's compiler takes minutes for all of them on all, which WEFT_LONG=1 asks for.
func architectures(source string) []int {
	all := []int{80, 90}
	if os.Getenv("WEFT_LONG") != "" {
		return all
	}
	text := numbers.ReplaceAllString(source, "0")
	if compiled[text] {
		return nil
	}
	compiled[text] = true
	return all[len(compiled)%len(all):][:1]
}

// TestPipelinesCompileForGPUs has NVIDIA's compiler compile the kernels of the pipelines that ship. It needs no GPU.
func TestPipelinesCompileForGPUs(t *testing.T) {
	_, err := nvrtc.Open()
	if errors.Is(err, nvrtc.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEFT_CACHE", cachetest.Folder())
	files := diagtest.Pipelines(t, "pipelines")
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			for _, k := range pipelineKernels(t, f) {
				code, err := launch.New(k, nil, gpu)
				if err != nil {
					t.Error(err)
					continue
				}
				for _, c := range architectures(code.Out.Source) {
					r, err := code.Described(c)
					if err != nil || r.Registers == 0 {
						t.Errorf("%s under %s: %v %s", k.Name, r.Schedule, err, r.Unknown)
						continue
					}
					if most := registersOf(k); r.Registers > most || r.Spill > mostFrame {
						t.Errorf("%s under %s takes %d registers and %d B of local memory on %s", k.Name, r.Schedule, r.Registers, r.Spill, r.Architecture)
					}
					t.Logf("%s: %s: %s: %d registers, %d B shared, %d B local", k.Name, r.Schedule, r.Architecture, r.Registers, r.Shared, r.Spill)
				}
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
	for _, d := range found.Sorted() {
		if d.Code == problem.MissingFile {
			t.Skip("it reads a file that is not part of the repository: ", d.Message)
		}
	}
	if found.HasErrors() {
		t.Fatal(found)
	}
	plan, err := planner.Build(p.Sinks, device.Info{Name: "cpu", Threads: 1}, planner.Options{File: file, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Kernels() {
		kernels = append(kernels, s.Kernel.IR)
	}
	if len(kernels) == 0 {
		t.Error("no kernels")
	}
	return kernels
}
