package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/launch"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/cuda/sass"
	"weft/kernels/device"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/place"
)

var update = flag.Bool("update", false, "write the counts of docs/gpu.md anew")

// counted is a kernel whose machine code is counted.
type counted struct {
	name, text string
	kernel     string // its name begins so
	unit       string
	aim        string
	part       func(k sass.Kernel) (p sass.Part, units float64) // what is counted, and how much work it is

	run func(t *testing.T, lib nvrtc.Kept, text string) (n sass.Counts, units float64, schedule string) // counts as it is executed instead
}

// city is one of 1000 x 1000 pixels with its sky view factors.
const city = "city = simulate.city(y: 1000, x: 1000, seed: 3, pixel: 1 m)\nsky = city.dsm | skyview(patches: 153)\nsky.total | write(\"sky.npy\")\n"

// turn is the longest of the innermost loops that hold an instruction; of which a unit has so many.
func turn(instruction string, each float64) func(sass.Kernel) (sass.Part, float64) {
	return func(k sass.Kernel) (sass.Part, float64) {
		for _, p := range k.Loops() {
			if n := p.Number(instruction); n > 0 {
				return p, float64(n) / each
			}
		}
		return nil, 0
	}
}

// loading is the longest of the innermost loops that load float32 from memory, of which a unit takes one.
func loading(k sass.Kernel) (sass.Part, float64) {
	for _, p := range k.Loops() {
		if n := p.Bytes("LDG"); n > 0 {
			return p, float64(n) / 4
		}
	}
	return nil, 0
}

// whole is all that a thread executes that stores as much as it can, of float32, where there are as many elements as in the table's cases.
func whole(k sass.Kernel) (p sass.Part, units float64) {
	at := k.Widest("STG")
	if at < 0 || k.Around(at) == nil {
		return nil, 0
	}
	p = k.Through(at)
	for range cuda.Turns - 1 {
		p = append(p, k.Around(at)...)
	}
	return p, cuda.Turns * float64(k.Code[at].Bytes()) / 4
}

// echoes are what a probe of 32 x 32 elements records, some frames of it.
func echoes(frames, then string) string {
	return `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm, width: 0.25 mm)
grid = box(x: -10 mm .. 10 mm in 64, y: -10 mm .. 10 mm in 64, z: 20 mm .. 40 mm in 128)
iq = simulate.echoes(probe, [point(z: 30 mm)], fc: 3 MHz, fs: 12 MHz, samples: 560, start: 15 us, noise: -60 dB, seed: 7)
iq` + frames + ` | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, start: 15 us)` + then + ` | envelope | write("volume.npy")
`
}

// severalGPUs ends the names of kernels that are planned for more than one: arrays lie in blocks then, of which each has whole ones.
const severalGPUs = ", several GPUs"

// counts are the kernels of docs/gpu.md's table.
var counts = []counted{
	{name: "delay-and-sum, one frame", text: echoes("", ""), kernel: "envelope", unit: "pair of point and element", aim: "33", part: turn("MUFU", 1)},
	{name: "delay-and-sum, 32 frames", text: echoes(" * axis(frame, 1 .. 2 in 32)", ""), kernel: "envelope", unit: "the same, and frame", aim: "16", part: turn("MUFU", 0.25)},
	{name: "delay-and-sum, 32 frames, echoes in f16", text: echoes(" * axis(frame, 1 .. 2 in 32)", " @precision(storage: f16)"), kernel: "envelope", unit: "the same, and frame", aim: "12", part: turn("MUFU", 0.0625)},
	{name: "delay-and-sum, 32 frames" + severalGPUs, text: echoes(" * axis(frame, 1 .. 2 in 32)", ""), kernel: "envelope", unit: "the same, and frame", aim: "16", part: turn("MUFU", 0.25)},
	{name: "march of a city of 1000 x 1000", text: city, kernel: "fold", unit: "load of its innermost loop", part: turn("LDG", 1)},
	{name: "the same, executed", text: city, unit: "warp of 32 points, 153 directions", aim: "80000", run: march},
	{name: "a * b", text: "a = axis(x, 0 .. 1 in 16777216) @keep\nb = 2 * axis(x, 0 .. 1 in 16777216) @keep\na * b | write(\"c.npy\")\n", kernel: "mul", unit: "element of 12 B", aim: "12", part: whole},
	{name: "a * b of four dims", text: `a = axis(t, 0 .. 1 in 64) * axis(z, 0 .. 1 in 64) * axis(y, 0 .. 1 in 64) * axis(x, 0 .. 1 in 64) @keep
b = 2 * axis(t, 0 .. 1 in 64) * axis(z, 0 .. 1 in 64) * axis(y, 0 .. 1 in 64) * axis(x, 0 .. 1 in 64) @keep
a * b | write("c.npy")
`, kernel: "mul", unit: "element of 12 B", aim: "12", part: whole},
	{name: "sum of all", text: "a = axis(y, 0 .. 1 in 4096) * axis(x, 0 .. 1 in 4096) @keep\nsum(a) | write(\"s.npy\")\n", kernel: "sum", unit: "element of 4 B", part: loading},
	{name: "sum of rows", text: "a = axis(y, 0 .. 1 in 4096) * axis(x, 0 .. 1 in 4096) @keep\nsum(a, over: x) | write(\"s.npy\")\n", kernel: "sum", unit: "element of 4 B", part: loading},
	{name: "sum of many rows", text: "a = axis(y, 0 .. 1 in 65536) * axis(x, 0 .. 1 in 1024) @keep\nsum(a, over: x) | write(\"s.npy\")\n", kernel: "sum", unit: "element of 4 B", part: loading},
	{name: "matrix product", text: "a = axis(i, 0 .. 1 in 2048) * axis(k, 0 .. 1 in 2048) @keep\nb = axis(k, 0 .. 1 in 2048) * axis(j, 0 .. 1 in 2048) @keep\ndot(a, b, over: k) | write(\"c.npy\")\n", kernel: "dot", unit: "product and sum", aim: "1.18", part: turn("FFMA", 1)},
}

// onGPU is a device that arrays are laid out for.
func onGPU(name string) place.DeviceModel {
	return place.DeviceModel{Info: device.Info{Name: name, Kind: "emulated"}, Rates: device.Rates{Flops: 1e13, Bandwidth: 4e12, LinkIn: 5e10, LinkOut: 5e10}}
}

// worse is by how much a figure may exceed the table's.
const worse = 1.03

var row = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| ([\d.]+) \|`)

const countsBegin, countsEnd = "<!-- counted -->\n", "<!-- end of what is counted -->\n"

// TestInstructionsOfGPUs counts the instructions that NVIDIA's compiler makes of kernels, and holds them against the table of docs/gpu.md, which -update writes.
func TestInstructionsOfGPUs(t *testing.T) {
	open, lib := compiler(t)
	if major, minor := open.Version(); major != 12 || minor != 9 {
		t.Skipf("the table is of code by NVRTC 12.9, and this is %s", open)
	}
	page, err := os.ReadFile("docs/gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), countsBegin)
	table, after, ends := strings.Cut(rest, countsEnd)
	if !ok || !ends {
		t.Fatal("docs/gpu.md has no table of counts")
	}
	said := map[string]float64{}
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		said[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	var made strings.Builder
	made.WriteString("| kernel | unit | instructions a unit | float | integer | special | memory | other | aim | schedule |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n")
	for _, c := range counts {
		n, units, schedule := countOf(t, lib, c)
		if c.run != nil {
			t.Run(c.name, func(t *testing.T) { n, units, schedule = c.run(t, lib, c.text) })
		}
		if units == 0 {
			continue // this machine cannot
		}
		a := func(n int) string { return fmt.Sprintf("%.2f", float64(n)/units) }
		fmt.Fprintf(&made, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.name, c.unit, a(n.Total()), a(n.Float), a(n.Integer), a(n.Special), a(n.Memory), a(n.Double+n.Other), c.aim, schedule)
		was, found := said[c.name]
		now, _ := strconv.ParseFloat(a(n.Total()), 64)
		switch {
		case *update:
		case !found:
			t.Errorf("%s is not in docs/gpu.md: go test -run %s . -update", c.name, t.Name())
		case now > worse*was:
			t.Errorf("%s takes %.2f instructions a unit, and %.2f by docs/gpu.md", c.name, now, was)
		case was > worse*now:
			t.Errorf("%s takes %.2f instructions a unit, fewer than the %.2f of docs/gpu.md: go test -run %s . -update", c.name, now, was, t.Name())
		}
	}
	t.Log("\n" + made.String())
	if *update {
		if err := os.WriteFile("docs/gpu.md", []byte(before+countsBegin+made.String()+countsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// countOf compiles the longest of the kernels that a case means.
func countOf(t *testing.T, lib nvrtc.Kept, c counted) (n sass.Counts, units float64, schedule string) {
	t.Helper()
	if c.run != nil {
		return n, 0, ""
	}
	p, found := check.File("counted.weft", []byte(c.text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(c.name, found.Sorted())
	}
	gpus := []place.DeviceModel{onGPU("gpu:0")}
	if strings.HasSuffix(c.name, severalGPUs) {
		gpus = append(gpus, onGPU("gpu:1"))
	}
	plan, err := planner.Build(p.Sinks, device.Info{Name: "cpu", Threads: 1}, planner.Options{File: "counted.weft", Threads: 1, Accelerators: gpus, Device: "gpu"})
	if err != nil {
		t.Fatal(err)
	}
	longest := longestOf(t, plan, c)
	part, units := c.part(machineCode(t, lib, longest))
	if units == 0 {
		t.Fatalf("%s: nothing to count in its machine code", c.name)
	}
	return part.Count(), units, longest.Schedule.Text(longest.Kernel)
}

// longestOf is the longest of the kernels that a case means.
func longestOf(t *testing.T, plan *bound.Plan, c counted) (longest *launch.Code) {
	t.Helper()
	for _, s := range plan.Kernels() {
		if !strings.HasPrefix(s.Kernel.IR.Name, c.kernel) {
			continue
		}
		code, err := launch.New(s.Kernel.IR, nil, gpu)
		if err != nil {
			t.Fatal(err)
		}
		if longest == nil || len(code.Out.Source) > len(longest.Out.Source) {
			longest = code
		}
	}
	if longest == nil {
		for _, s := range plan.Kernels() {
			t.Log(s.Kernel.IR.Name)
		}
		t.Fatalf("%s: no kernel called %s", c.name, c.kernel)
	}
	return longest
}

// compiler is NVIDIA's, and the same with the tests' cache of what it makes; where there is none the test is left out.
func compiler(t *testing.T) (*nvrtc.Library, nvrtc.Kept) {
	t.Helper()
	open, err := nvrtc.Open()
	if errors.Is(err, nvrtc.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEFT_CACHE", cachetest.Folder())
	lib, err := open.In(cachetest.Folder())
	if err != nil {
		t.Fatal(err)
	}
	return open, lib
}

// machineCode is what NVIDIA's compiler makes of a kernel.
func machineCode(t *testing.T, lib nvrtc.Kept, code *launch.Code) sass.Kernel {
	t.Helper()
	image, _, err := code.Image(lib, nvrtc.Target{Capability: 90})
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := sass.Disassemble(image.Data)
	if errors.Is(err, sass.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels {
		if k.Name == code.Out.Name {
			return k
		}
	}
	t.Fatalf("no machine code of %s", code.Out.Name)
	return sass.Kernel{}
}
