//go:build cuda

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/codegen/c"
	"weft/runtime/result"
)

// Variables of test processes that play parts.
const (
	actAsWeft  = "WEFT_TEST_ACT_AS_WEFT" // arguments, one a line
	sourceFile = "FAKE_NVRTC_SOURCE"
	objectFile = "FAKE_NVRTC_OBJECT"
)

// onFakeGPU is the command line of the program that is built for GPUs, on a driver and an NVRTC made for tests, and the folder that these are in. It is given a folder to
// run in, and variables.
func onFakeGPU(t *testing.T) (dir string, weft func(t *testing.T, folder, setting string, args ...string) (string, error)) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler on this machine")
	}
	dir = t.TempDir()
	for source, object := range map[string]string{"driver.c": "libcuda.so.1", "nvrtc.c": "libnvrtc.so.12"} {
		if out, err := exec.Command(cc, "-O1", "-shared", "-fPIC", "-o", filepath.Join(dir, object), "kernels/cuda/testdata/"+source, "-ldl").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	weft = func(t *testing.T, folder, setting string, args ...string) (string, error) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestActAsWeft$")
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "WEFT_NVRTC="+filepath.Join(dir, "libnvrtc.so.12"), "WEFT_CACHE="+dir, "WEFT_PROFILE=default",
			"FAKE_NVRTC="+os.Args[0]+" -test.run '^TestActAsNVRTC$'", "FAKE_NVRTC_FOLDER="+dir, "FAKE_NVRTC_ROOT="+root(t), actAsWeft+"="+strings.Join(args, "\n"))
		cmd.Env = append(cmd.Env, strings.Fields(setting)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	return dir, weft
}

// TestOnFakeGPU runs the pipelines that ship, made small, through the command line of the program that is built for GPUs: driver and NVRTC are
// made for tests and run the CUDA source on the CPU, all else is what runs on a GPU.
func TestOnFakeGPU(t *testing.T) {
	dir, weft := onFakeGPU(t)
	if out, err := weft(t, dir, "", "devices"); err != nil || !strings.Contains(out, "cuda:0") || !strings.Contains(out, "Fake GPU; capability 9.0") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		file    string
		replace []string
		setting string // of the driver
		falls   bool
		out     bool // the GPU is left out in the end
	}{
		{"beamform/volume.weft", []string{"in 64", "in 14", "in 128", "in 20", "nx: 32, ny: 32", "nx: 12, ny: 12"}, "", false, false},
		{"beamform/plane_wave.weft", []string{"in 257", "in 33", "in 513", "in 51", "n: 128", "n: 32"}, "", false, false},
		{"skyview/city.weft", []string{"size    = 400", "size    = 48"}, "", false, false},
		{"skyview/city.weft", []string{"size    = 400", "size    = 48"}, "FAKE_CUDA_FAILS=6", true, false}, // it is opened once more
		{"skyview/city.weft", []string{"size    = 400", "size    = 48"}, "FAKE_CUDA_GONE=6", true, true},
		{"skyview/city.weft", []string{"size    = 400", "size    = 48"}, "FAKE_CUDA_MEMORY=3000000", false, false},
		{"skyview/city.weft", []string{"size    = 400", "size    = 48"}, "WEFT_CC=/nonexistent", false, false}, // nothing is compiled for the processor, and nothing falls back for that
	} {
		t.Run(c.file+" "+c.setting, func(t *testing.T) {
			folder := t.TempDir()
			text, err := os.ReadFile("pipelines/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "p.weft"), []byte(strings.NewReplacer(c.replace...).Replace(string(text))), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "p.weft", "--device", "gpu", "--report", "report.json"}
			if !c.falls {
				args = append(args, "--strict")
			}
			out, err := weft(t, folder, c.setting, args...)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			data, err := os.ReadFile(filepath.Join(folder, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			var r result.Result
			if err := json.Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			if len(r.Devices) != 1 || r.Devices[0].Kind != "cuda" || (r.Devices[0].Quarantined != "") != c.out || (len(r.Fallbacks) > 0) != c.falls {
				t.Errorf("%+v, %+v", r.Devices, r.Fallbacks)
			}
			for _, k := range r.Kernels {
				if !c.falls && len(k.Shares) != 1 {
					t.Errorf("kernel %s ran on %s", k.ID, k.Device)
				}
			}
			for _, p := range r.Parity {
				if !p.OK {
					t.Errorf("%+v", p)
				}
			}
			if c.falls && !regexp.MustCompile(`(?m)^\[GPU\] .* failed: .*device lost.* CPU fallback\.$`).MatchString(out) {
				t.Errorf("%s", out)
			}
		})
	}
}

// However many ranges a kernel is cut into, because its arrays are larger than the GPU's memory, the driver is asked for memory, to give it back and to clear it as often.
func TestOnFakeGPURangesNeedNoMemoryOfTheirOwn(t *testing.T) {
	_, weft := onFakeGPU(t)
	count := func(rows int) map[string]int {
		folder := t.TempDir()
		text := fmt.Sprintf("y = axis(y, 0 mm .. 95 mm in %d)\nx = axis(x, 0 mm .. 49 mm in 500)\na = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep @device(cpu)\nb = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm @tile(y: 8) @device(gpu)\nwrite(b, \"b.npy\")\n", rows)
		if err := os.WriteFile(filepath.Join(folder, "p.weft"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := weft(t, folder, "FAKE_CUDA_MEMORY=150000 FAKE_CUDA_TELLS=1 FAKE_CUDA_CALLS="+filepath.Join(folder, "calls"), "run", "p.weft", "--strict"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		calls, err := os.ReadFile(filepath.Join(folder, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, name := range strings.Fields(string(calls)) {
			out[name]++
		}
		return out
	}
	few, many := count(96), count(960)
	t.Logf("%v, %v", few, many)
	if few["cuLaunchKernel"] < 12 || many["cuLaunchKernel"] < 120 {
		t.Errorf("%v, %v: the kernel was not cut", few, many)
	}
	for _, name := range []string{"cuMemAlloc", "cuMemFree", "cuMemset"} {
		if few[name] != many[name] {
			t.Errorf("%s: %d calls, and %d for ten times as many ranges", name, few[name], many[name])
		}
	}
	if n := many["cuMemHostAlloc"]; n > 7 { // two for each slot that finds something to do, and one that the link is measured with
		t.Errorf("page-locked memory is taken %d times", n)
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestActAsWeft is the program.
func TestActAsWeft(t *testing.T) {
	args, ok := os.LookupEnv(actAsWeft)
	if !ok {
		t.Skip("TestOnFakeGPU runs this")
	}
	os.Exit(cli.Run(t.Context(), strings.Split(args, "\n"), os.Stdin, os.Stdout, os.Stderr))
}

var (
	kernelHead = regexp.MustCompile(`WEFT_KERNEL\(\d+\)\s+(\w+)\(([^)]*)\)`)
	together   = regexp.MustCompile(`__sync|__shfl|WEFT_SHARED|WEFT_XOR|s_warp_|s_block_`)
)

// TestActAsNVRTC compiles CUDA source for the driver made for tests: with the emulated devices' shim before and a runner after it.
func TestActAsNVRTC(t *testing.T) {
	file, ok := os.LookupEnv(sourceFile)
	if !ok {
		t.Skip("TestOnFakeGPU runs this")
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	shim, err := os.ReadFile(filepath.Join(os.Getenv("FAKE_NVRTC_ROOT"), "kernels/emulated/shim.h"))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	text.Write(shim)
	text.Write(source)
	at := kernelHead.FindSubmatchIndex(source)
	if at == nil {
		t.Fatal("no kernel")
	}
	name, params := string(source[at[2]:at[3]]), strings.Split(string(source[at[4]:at[5]]), ",")
	var values []string
	for i, p := range params {
		kind := "void *"
		if !strings.Contains(p, "*") {
			kind = strings.TrimSpace(p[:strings.LastIndex(strings.TrimSpace(p), " ")+1])
		}
		values = append(values, fmt.Sprintf("*(%s *)&p[%d]", kind, i))
	}
	fmt.Fprintf(&text, "int %s_params = %d;\nstatic void %s_entry(void **p) { %s(%s); }\n", name, len(params), name, name, strings.Join(values, ", "))
	run := fmt.Sprintf("void **p = l->params;\nweft_dims(l);\nWEFT_BLOCKS(l) WEFT_ALONE(l) %s_entry(p);\nreturn 0;", name)
	if together.Match(source[at[0]:]) {
		run = fmt.Sprintf("return weft_run_together(l, %s_entry);", name)
	}
	fmt.Fprintf(&text, "int %s_run(const weft_launch *l) {\n%s\n}\n", name, run)
	object := os.Getenv(objectFile)
	cmd := exec.CommandContext(t.Context(), "cc", append(c.Flags(), "-shared", "-fPIC", "-o", object, "-x", "c", "-", "-lm")...)
	cmd.Stdin = &text
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
