package cuda

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/codegen/cuda"
	"weft/kernels/conformance"
	"weft/kernels/cuda/cubin"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/draw"
)

func library(t testing.TB) *nvrtc.Library {
	t.Helper()
	l, err := nvrtc.Open()
	if errors.Is(err, nvrtc.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// capabilities are what every kernel of the suite is compiled for.
var capabilities = []int{80, 90}

// suite are all kernels of the conformance suite.
func suite() (kernels []*ir.Kernel) {
	for _, c := range conformance.Cases() {
		kernels = append(kernels, c.Kernel)
	}
	return kernels
}

// TestSuiteCompiles has NVRTC compile every kernel of the conformance suite under the rules' schedule, some under what the rules choose seldom, and a third
// under a schedule drawn by chance, each for one architecture; WEFT_LONG=1 asks for all kernels under all schedules for all architectures.
func TestSuiteCompiles(t *testing.T) {
	lib, err := library(t).In(cachetest.Folder())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(lib)
	rng := rand.New(rand.NewPCG(3, 1))
	long := os.Getenv("WEFT_LONG") != ""
	named := func(prefixes ...string) func(k *ir.Kernel) bool {
		return func(k *ir.Kernel) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(k.Name, p) })
		}
	}
	over := func(k *ir.Kernel, s schedule.CUDA) schedule.CUDA {
		for a, n := len(k.Axes)-1, 32; a >= max(0, len(k.Axes)-2); a, n = a-1, 4 {
			s.Block = append(s.Block, schedule.AxisN{Axis: a, N: n})
		}
		return s
	}
	for _, set := range []struct {
		name       string
		choose     func(k *ir.Kernel) schedule.CUDA
		capability int
		only       func(k *ir.Kernel) bool
	}{
		{"rule", schedule.CUDADefault, 80, nil},
		{"shared by a block", func(k *ir.Kernel) schedule.CUDA { return schedule.CUDA{Fold: 128} }, 90, named("sum", "extremes", "any", "arg")},
		{"culled by warps", func(k *ir.Kernel) schedule.CUDA {
			return over(k, schedule.CUDA{Every: 4, Skip: true, Vote: true})
		}, 80, named("march", "sky", "any and all a row")},
		{"shared tiles", func(k *ir.Kernel) schedule.CUDA {
			return over(k, schedule.CUDA{}).WithSharedTiles(k, 0, gpu.Shared)
		}, 90, named("stencil", "coarser", "filter", "frames", "products", "guard", "storage")},
		{"random", func(k *ir.Kernel) schedule.CUDA { return draw.CUDA(rng, k) }, 90, func(*ir.Kernel) bool { return long || rng.IntN(3) == 0 }},
	} {
		t.Run(set.name, func(t *testing.T) {
			var kernels []*ir.Kernel
			var schedules []schedule.CUDA
			for _, k := range suite() {
				if set.only == nil || set.only(k) {
					kernels, schedules = append(kernels, k), append(schedules, set.choose(k))
				}
			}
			if len(kernels) == 0 {
				t.Fatal("no kernels")
			}
			for _, c := range capabilities {
				if c != set.capability && !long {
					continue
				}
				t.Run(fmt.Sprint("sm_", c), func(t *testing.T) {
					t.Parallel()
					compileAll(t, lib, kernels, schedules, c)
				})
			}
		})
	}
}

// compileAll compiles kernels in units, and checks what they say of registers where ptxas is at hand.
func compileAll(t *testing.T, lib nvrtc.Kept, kernels []*ir.Kernel, schedules []schedule.CUDA, capability int) {
	const unit = 40
	assembler := ""
	if testing.Verbose() {
		assembler = ptxas()
	}
	var sources []string
	flush := func() {
		if len(sources) == 0 {
			return
		}
		text := cuda.Prelude() + strings.Join(sources, "\n")
		sources = nil
		image, err := lib.Compile("suite", text, nvrtc.Target{Capability: capability}, cuda.Flags())
		if err != nil {
			t.Error(err)
		} else if assembler != "" {
			checkResources(t, lib, assembler, text, image.Data, capability)
		}
	}
	for i, k := range kernels {
		out, err := cuda.Render(k, schedules[i], fmt.Sprintf("k%d", i))
		for _, s := range schedule.CUDACandidates(k) { // smaller blocks, where threads set much aside
			if err == nil || !strings.Contains(err.Error(), "no room") {
				break
			}
			out, err = cuda.Render(k, s, fmt.Sprintf("k%d", i))
		}
		if err != nil {
			t.Errorf("%s under %s: %v", k.Name, schedules[i].Text(k), err)
			continue
		}
		if sources = append(sources, out.Source); len(sources) == unit {
			flush()
		}
	}
	flush()
}

// ptxas is NVIDIA's assembler where one lies beside NVRTC or in the path, else empty.
func ptxas() string {
	if dir, err := nvrtc.Folder(); err == nil {
		if path := filepath.Join(dir, "ptxas"); exec.Command(path, "--version").Run() == nil {
			return path
		}
	}
	path, err := exec.LookPath("ptxas")
	if err != nil {
		return ""
	}
	return path
}

// said is what ptxas -v prints of a kernel.
var said = regexp.MustCompile(`entry function '(\w+)'.*\n.*\n\s+(\d+) bytes stack frame.*\n.*Used (\d+) registers(?:.*?(\d+) bytes smem)?`)

// checkResources holds what machine code says of its kernels against ptxas, and reports the most that one takes.
func checkResources(t *testing.T, lib nvrtc.Kept, assembler, source string, image []byte, capability int) {
	found, err := cubin.Read(image)
	if err != nil {
		t.Error(err)
		return
	}
	ptx, err := lib.Compile("suite", source, nvrtc.Target{Capability: capability, PTX: true}, cuda.Flags())
	if err != nil {
		t.Error(err)
		return
	}
	path := filepath.Join(t.TempDir(), "suite.ptx")
	if err := os.WriteFile(path, []byte(strings.TrimRight(string(ptx.Data), "\x00")), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(assembler, "-v", "-O3", fmt.Sprintf("-arch=sm_%d", capability), "-o", path+".cubin", path).CombinedOutput()
	if err != nil {
		t.Errorf("ptxas: %v\n%s", err, text)
		return
	}
	var most cubin.Resources
	kernels := said.FindAllStringSubmatch(string(text), -1)
	for _, m := range kernels {
		var want cubin.Resources
		for i, to := range []*int{&want.Stack, &want.Registers, &want.Shared} {
			*to, _ = strconv.Atoi(m[2+i])
		}
		if found[m[1]] != want {
			t.Errorf("%s: %+v in the machine code, ptxas says %+v", m[1], found[m[1]], want)
		}
		most = cubin.Resources{Registers: max(most.Registers, want.Registers), Shared: max(most.Shared, want.Shared), Stack: max(most.Stack, want.Stack)}
	}
	if len(kernels) == 0 || len(kernels) != len(found) {
		t.Errorf("ptxas speaks of %d kernels of %d", len(kernels), len(found))
	}
	t.Logf("%d kernels, at most %+v", len(kernels), most)
}
