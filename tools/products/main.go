// Products measures how fast pipelines multiply matrices, in alternation with NumPy, whose products are those of OpenBLAS with its best
// kernels (set OPENBLAS_CORETYPE where it misjudges the machine: SkylakeX on one with AVX-512):
//
//	go run -C tools ./products [-sizes 1000,1024] [-types f32,f64] [-forms dot,sum,AtB] [-clock cpu] [-rounds 9]
//
// A ratio is the median, over rounds, of NumPy's time to that of the pipeline's kernel next to it; by -clock cpu NumPy has one thread, as
// the threads that it would have wait for each other on the processor.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed products.py
var script string

// forms are the pipelines, by what they do to the matrices a and b.
var forms = map[string]string{
	"dot":     pipeline("[x, k]", "[k, y]", "dot(a, b, over: k)"),
	"sum":     pipeline("[x, k]", "[k, y]", "sum(a * b, over: k)"),
	"AtB":     pipeline("[k, x]", "[k, y]", "dot(a, b, over: k)"),
	"ABt":     pipeline("[x, k]", "[y, k]", "dot(a, b, over: k)"),
	"scale":   pipeline("[x, k]", "[k, y]", "dot(a, b, over: k) * 0.37"),
	"bias":    "bias = read(\"bias.npy\", dims: [y])\n" + pipeline("[x, k]", "[k, y]", "dot(a, b, over: k) + bias"),
	"exp":     pipeline("[x, k]", "[k, y]", "exp(dot(a, b, over: k) * 0.001)"),
	"batched": pipeline("[z, x, k]", "[z, k, y]", "dot(a, b, over: k)"),
}

func pipeline(a, b, product string) string {
	return fmt.Sprintf("a = read(\"a.npy\", dims: %s)\nb = read(\"b.npy\", dims: %s)\n%s | write(\"out.npy\")\n", a, b, product)
}

// idle is for how long NumPy's threads go on looking for work on the processor.
const idle = 300 * time.Millisecond

type bench struct {
	dir, weft, clock, threads string
	in                        io.Writer
	out                       *bufio.Reader
}

func main() {
	weft := flag.String("weft", "", "the weft to measure (default: this one, built)")
	sizes := flag.String("sizes", "1000,1009,1024,2000,4000,4096", "rows of the matrices")
	types := flag.String("types", "f32,f64", "their types")
	names := flag.String("forms", "dot", "forms of the product: dot, sum, AtB, ABt, scale, bias, exp, batched")
	clock := flag.String("clock", "cpu", "cpu or wall")
	threads := flag.String("threads", "2", "of the pipelines, and of NumPy by the wall")
	python := flag.String("python", "python3", "a Python with NumPy")
	rounds := flag.Int("rounds", 9, "runs of each")
	flag.Parse()
	if err := measure(*weft, *sizes, *types, *names, *clock, *threads, *python, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "products:", err)
		os.Exit(1)
	}
}

func measure(weft, sizes, types, names, clock, threads, python string, rounds int) error {
	dir, err := os.MkdirTemp("", "products")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if weft == "" {
		weft = filepath.Join(dir, "weft")
		if out, err := exec.Command("go", "build", "-C", "..", "-o", weft, ".").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	if weft, err = filepath.Abs(weft); err != nil {
		return err
	}
	b := &bench{dir: dir, weft: weft, clock: clock, threads: threads}
	peer := exec.Command(python, "-P", "-c", script)
	peer.Dir, peer.Stderr = dir, os.Stderr
	peer.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+map[bool]string{true: threads, false: "1"}[clock == "wall"])
	if b.in, err = peer.StdinPipe(); err != nil {
		return err
	}
	pipe, err := peer.StdoutPipe()
	if err != nil {
		return err
	}
	b.out = bufio.NewReader(pipe)
	if err := peer.Start(); err != nil {
		return err
	}
	defer peer.Process.Kill()
	fmt.Printf("medians of %d, by the %s clock; error: root mean square to NumPy's\n| form | type | n | GF/s | NumPy | ratio | error |\n|---|---|---|---|---|---|---|\n", rounds, clock)
	for _, form := range strings.Split(names, ",") {
		for _, kind := range strings.Split(types, ",") {
			for _, size := range strings.Split(sizes, ",") {
				if err := b.row(form, kind, size, rounds); err != nil {
					return fmt.Errorf("%s %s %s: %w", form, kind, size, err)
				}
			}
		}
	}
	return nil
}

// row measures one product, after a run that compiles it.
func (b *bench) row(form, kind, size string, rounds int) error {
	text, ok := forms[form]
	if !ok {
		return fmt.Errorf("there is no such form")
	}
	if err := os.WriteFile(filepath.Join(b.dir, "product.weft"), []byte(text), 0o644); err != nil {
		return err
	}
	what := kind + " " + size + " " + form
	var mine, theirs, ratio []float64
	for round := range rounds + 1 {
		peer, err := b.ask(what)
		if err != nil {
			return err
		}
		if b.clock == "wall" {
			time.Sleep(idle)
		}
		t, err := b.once()
		if err != nil {
			return err
		}
		if other := peer[map[bool]int{true: 0, false: 1}[b.clock == "wall"]]; round > 0 {
			mine, theirs, ratio = append(mine, t), append(theirs, other), append(ratio, other/t)
		}
	}
	errors, err := b.ask("error " + what)
	if err != nil {
		return err
	}
	var n float64
	if _, err := fmt.Sscan(size, &n); err != nil {
		return err
	}
	flop := 2 * n * n * n / 1e9
	if form == "batched" {
		flop *= 1000
	}
	fmt.Printf("| %s | %s | %s | %.1f | %.1f | %.3f | %.2f |\n", form, kind, size, flop/median(mine), flop/median(theirs), median(ratio), errors[0]/errors[1])
	return nil
}

func (b *bench) ask(what string) (x [2]float64, err error) {
	if _, err := fmt.Fprintln(b.in, what); err != nil {
		return x, err
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return x, err
	}
	_, err = fmt.Sscan(line, &x[0], &x[1])
	return x, err
}

// once is how long the kernels of a run take.
func (b *bench) once() (sum float64, err error) {
	cmd := exec.Command(b.weft, "run", "product.weft", "--no-verify", "--threads", b.threads, "--report", "report.json")
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "WEFT_CACHE="+filepath.Join(b.dir, "cache"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "report.json"))
	if err != nil {
		return 0, err
	}
	var report struct {
		Kernels []struct {
			Wall float64 `json:"wall_s"`
			CPU  float64 `json:"cpu_s"`
		} `json:"kernels"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return 0, err
	}
	for _, k := range report.Kernels {
		sum += map[bool]float64{true: k.Wall, false: k.CPU}[b.clock == "wall"]
	}
	return sum, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}
