// Package numpytest holds programs made up at random against NumPy: the same operations in float64, with bounds on what rounding may do.
// Everything that must not matter is drawn as well: what is fused, tiles, threads, memory, instruction sets, the interpreter, devices.
//
// A few hundred programs run by default; WEFT_NUMPY_PROGRAMS says how many, WEFT_NUMPY_SEED which, and PYTHON names the interpreter.
package numpytest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/kernels/native"
)

const devices = `devices:
  - {name: small, memory: 300 KiB, flops: 1e12}
  - {name: large, flops: 3e12, bandwidth: 1e12}
  - {name: odd, flops: 5e11, max_grid: [7, 5, 3], max_threads: 128}
`

// together is how many programs stand in a file, and are compiled together.
const together = 20

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// counts are of programs.
type counts struct{ ran, native, written, refused, left, wrong, false0704 int }

func TestProgramsAgreeWithNumPy(t *testing.T) {
	peer := startPeer(t)
	seed, programs := fromEnv(t, "WEFT_NUMPY_SEED", 1), int(fromEnv(t, "WEFT_NUMPY_PROGRAMS", 300))
	t.Setenv("WEFT_CACHE", t.TempDir())
	t.Setenv("WEFT_PROFILE", "default")
	t.Chdir(t.TempDir())
	write(t, "devices.yaml", devices)
	isas := native.Available(native.Config{Compilers: []string{quick}, Cache: os.Getenv("WEFT_CACHE")})
	var n counts
	var elements, loose int
	first := int(fromEnv(t, "WEFT_NUMPY_BATCH", 0))
	for batch := first; n.ran+n.refused < programs; batch++ {
		r := rand.New(rand.NewPCG(seed, uint64(batch)))
		on := machineOf(r, batch, isas, programs)
		t.Setenv("WEFT_CC", on.cc)
		t.Setenv("WEFT_ISA", on.isa)
		made := make([]*program, together)
		inputs := makeInputs(t, r)
		for i := range made {
			made[i] = compose(r, fmt.Sprintf("p%d", i), inputs)
		}
		ran := on.run(t, made, &n)
		answer := peer.ask(ran)
		elements, loose = elements+answer.Elements, loose+answer.Loose
		for i, wrong := range answer.Wrong {
			p := ran[i]
			switch {
			case len(wrong) > 0 && strings.Contains(p.refused, "E0711"):
				n.left++
			case len(wrong) > 0:
				n.wrong++
				t.Errorf("seed %d, batch %d, %s: %s\n%s", seed, batch, on, strings.Join(wrong, "\n"), p.text.String())
			case p.refused != "" && !answer.Overflows[i]:
				n.false0704++
				t.Logf("seed %d, batch %d, %s: refused, but within bounds\n%s\n%s", seed, batch, on, p.refused, p.text.String())
			}
		}
		clean(t, results(t))
		if batch%100 == 99 {
			t.Logf("%d programs so far", n.ran)
		}
	}
	t.Logf("%d programs, %d of them compiled, %d run again from a plan in a file: %d do not agree, %d are refused for a result that is within bounds, %d are refused since whole numbers left their type, %d otherwise; %d elements, %.2g %% of them with wide bounds",
		n.ran, n.native, n.written, n.wrong, n.false0704, n.left, n.refused, elements, 100*float64(loose)/float64(elements))
	if 200*n.false0704 > n.ran {
		t.Errorf("%d of %d programs are refused for a result that is within bounds", n.false0704, n.ran)
	}
	if n.refused > (n.ran+n.refused)/20 {
		t.Errorf("%d of %d programs are refused: little is tested", n.refused, n.ran+n.refused)
	}
	if 4*loose > elements {
		t.Errorf("%d of %d elements have wide bounds: little is tested", loose, elements)
	}
}

// machine is what a batch runs on, and how it is planned.
type machine struct {
	cc, isa string
	native  bool
	written bool // the plan is written to a file and read as well
	flags   []string
}

func (m machine) String() string {
	return fmt.Sprintf("WEFT_CC=%s WEFT_ISA=%s %v", m.cc, m.isa, m.flags)
}

// quick is a compiler that optimises little, which takes half of the time.
const quick = "cc" + cachetest.Little

// machineOf draws one: compiling takes many times as long as the rest, so it is one batch of fifteen, of eight in a long run, and of twenty in one
// of a night; of these two of three optimise little.
func machineOf(r *rand.Rand, batch int, isas []string, programs int) machine {
	m := machine{flags: []string{fmt.Sprintf("--fuse-limit=%d", max(-1, r.IntN(20)-12)), "--threads", fmt.Sprint(1 + r.IntN(4))}}
	m.written = r.IntN(4) == 0
	if r.IntN(3) == 0 {
		m.flags = append(m.flags, "--memory", fmt.Sprintf("%dKiB", 200<<r.IntN(5)))
	}
	compiled := batch == 1
	if programs > 1000 {
		compiled = r.IntN(min(20, 8+programs/2000)) == 0
	}
	if len(isas) == 0 || !compiled {
		m.cc = "no-such-compiler"
		return m
	}
	m.native, m.isa = true, isas[r.IntN(len(isas))]
	if r.IntN(3) > 0 {
		m.cc = quick
	}
	if r.IntN(2) == 0 {
		m.flags = append(m.flags, "--devices", "devices.yaml", "--device", []string{"small", "large,odd", "small,large,odd", "cpu"}[r.IntN(4)])
	}
	return m
}

var problem = regexp.MustCompile(`(?m)^.*error\[.*$`)

var code = regexp.MustCompile(`error\[(E\d+)\]`)

// run runs programs, all together if that works, and returns those that ran.
func (m machine) run(t *testing.T, programs []*program, n *counts) (ran []*program) {
	var all strings.Builder
	for _, p := range programs {
		all.WriteString(p.text.String())
	}
	if said := m.weft(t, all.String()); said == "" {
		if m.written {
			m.again(t)
			n.written += len(programs)
		}
		n.ran += len(programs)
		if m.native {
			n.native += len(programs)
		}
		return programs
	}
	for _, p := range programs {
		said := m.weft(t, p.text.String())
		if strings.Contains(said, "error[E0601]") { // the budget is drawn, too
			said = machine{m.cc, m.isa, m.native, false, m.flags[:3]}.weft(t, p.text.String())
		}
		found := code.FindStringSubmatch(said)
		switch {
		case said == "":
			n.ran++
			if m.native {
				n.native++
			}
			ran = append(ran, p)
		case found != nil && (found[1] == "E0704" || found[1] == "E0711"):
			n.ran++
			p.refused = strings.Join(problem.FindAllString(said, -1), "\n")
			ran = append(ran, p)
		case strings.HasPrefix(said, "panic"):
			n.ran++
			n.wrong++
			t.Errorf("%s: %s\n%s", m, said, p.text.String())
		default:
			n.refused++
			t.Logf("refused: %s\n%s", said, p.text.String())
		}
	}
	return ran
}

// again has the plan of what just ran written to a file, and runs that: the results are the same to the bit.
func (m machine) again(t *testing.T) {
	direct := map[string][]byte{}
	for _, f := range results(t) {
		direct[f] = read(t, f)
	}
	clean(t, results(t))
	file := []string{"p.yaml", "p.json"}[len(direct)%2]
	for _, args := range [][]string{{"plan", "p.weft", "-o", file}, {"run", file}} {
		var out bytes.Buffer
		if code := cli.Run(t.Context(), append(args, m.flags...), nil, &out, &out); code != 0 || strings.Contains(out.String(), "made again") {
			t.Errorf("%s: %v: exit %d\n%s\n%s", m, args, code, out.String(), read(t, "p.weft"))
			return
		}
	}
	for f, want := range direct {
		if !bytes.Equal(read(t, f), want) {
			t.Errorf("%s: %s is another when the plan was written and read\n%s", m, f, read(t, "p.weft"))
		}
	}
}

// results are the files that programs wrote.
func results(t *testing.T) []string {
	files, err := filepath.Glob("p[0-9]*.npy")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t *testing.T, path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// weft runs a text and returns what it said if it failed.
func (m machine) weft(t *testing.T, text string) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	write(t, "p.weft", text)
	var out bytes.Buffer
	if cli.Run(t.Context(), append([]string{"run", "p.weft"}, m.flags...), nil, &out, &out) == 0 {
		return ""
	}
	return "failed: " + out.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func clean(t *testing.T, files []string) {
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}

// makeInputs writes files with a few scales, ties, zeros, NaN and infinities.
func makeInputs(t *testing.T, r *rand.Rand) []operand {
	extents := []int{1, 2, 3, 5, 7, 16, 17, 31, 33, 64}
	var dims []dim
	for _, name := range []string{"x", "y", "z"} {
		dims = append(dims, dim{name: name, n: extents[r.IntN(len(extents))]})
	}
	long := dim{name: "l", n: 4000 + r.IntN(6000)}
	var inputs []operand
	for i, k := range []kind{f32, f32, f32, f64, i32, i64, boolean, f32} {
		r.Shuffle(len(dims), func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
		in := operand{text: fmt.Sprintf("in%d.npy", i), kind: k, dims: slices.Clone(dims[:1+r.IntN(3)])}
		for size(in.dims) > mostElements/2 {
			in.dims = in.dims[1:]
		}
		if i == 7 {
			in.dims = []dim{long}
		}
		writeInput(t, r, in)
		inputs = append(inputs, in)
	}
	return inputs
}

func writeInput(t *testing.T, r *rand.Rand, in operand) {
	scale := []float64{1, 1, 3, 100, 1e-3}[r.IntN(5)]
	ties, special := r.IntN(3) == 0, r.IntN(6) == 0
	descr := map[kind]string{f32: "<f4", f64: "<f8", i32: "<i4", i64: "<i8", boolean: "|b1"}[in.kind]
	shape := strings.Join(strings.Fields(fmt.Sprint(extentsOf(in.dims))), ", ")
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", descr, strings.Trim(shape, "[]"))
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	put := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	put(uint16(len(header)))
	b.WriteString(header)
	for range size(in.dims) {
		v := r.NormFloat64() * scale
		switch {
		case ties:
			v = math.Round(2*r.NormFloat64()) / 2
		case special && r.IntN(10) == 0:
			v = []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), math.NaN(), 1e30, -1e-30}[r.IntN(7)]
		}
		switch in.kind {
		case f32:
			put(float32(v))
		case f64:
			put(v)
		case i32:
			put(int32(r.IntN(40) - 15))
		case i64:
			put(int64(r.IntN(4000) - 1500))
		case boolean:
			put(r.IntN(3) == 0)
		}
	}
	write(t, in.text, b.String())
}

// peer is NumPy.
type peer struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

// answer is what does not agree, a list for each program, and how much was compared.
type answer struct {
	Wrong    [][]string `json:"wrong"`
	Elements int        `json:"elements"`
	Loose    int        `json:"loose"`

	Overflows []bool `json:"overflows"` // float32, in a program
}

func startPeer(t *testing.T) *peer {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import numpy").CombinedOutput(); err != nil {
		t.Skipf("no NumPy: %s: %v %s(PYTHON names another interpreter)", python, err, out)
	}
	script, err := filepath.Abs("testdata/bounds.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, script)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", python, err)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	return &peer{t, in, lines}
}

// ask compares what programs wrote.
func (p *peer) ask(programs []*program) (a answer) {
	folder, err := os.Getwd()
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"folder": folder, "programs": programs})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		p.t.Fatal(err)
	}
	if !p.out.Scan() {
		p.t.Fatalf("NumPy does not answer: %v", p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}
