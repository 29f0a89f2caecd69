// Speeds measures how many CPU seconds the heavy kernels and the common commands of this weft take, in alternation with those of another
// binary, and beside hand-written programs where there are any. It prints the table that tools/speeds.md records:
//
//	go run -C tools ./speeds -other /path/to/weft [-rounds 7] [-bench ../../shared/bench] [-o speeds.md]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// workload is a row: a command of weft, and what of it is counted.
type workload struct {
	name string
	args []string // of weft; files are those of texts, of pipelines, or fixtures
	op   string   // the kernels of this operator, or function, count; empty: the whole process
	peer peer
}

// peer is a hand-written program that does the same: a line of what a script beside the comparators prints.
type peer struct{ script, line string }

var texts = map[string]string{
	"skyview.weft":    "param size = 400\ncity = simulate.city(y: size, x: size, seed: 3, pixel: 1 m)\nsky = city.dsm | skyview\nsky.total | write(\"out.npy\")\n",
	"vegetation.weft": "city = simulate.city(y: 400, x: 400, seed: 3, pixel: 1 m)\nsky = city.dsm | skyview(canopy: city.canopy, trunk: city.trunk)\nsky.veg.total | write(\"out.npy\")\n",
	"dsm.weft":        "param path = \"dsm.npy\"\nsky = read(path, dims: [y, x], pixel: 1 m) | skyview\nsky.total | write(\"out.npy\")\n",
	"decibel.weft":    "a = sin(axis(x, 0 .. 90 in 4000) * axis(y, 0 .. 1 in 1000)) @keep\na | decibel(range: 60 dB) | write(\"out.npy\")\n",
	"product.weft":    "a = sin(axis(x, 0 .. 9 in 1024) * axis(k, 0 .. 9 in 1024)) @keep\nb = cos(axis(k, 0 .. 9 in 1024) * axis(y, 0 .. 9 in 1024)) @keep\nsum(a * b, over: k) | write(\"out.npy\")\n",
	"large.weft":      "a = sin(axis(x, 0 .. 9 in 3000) * axis(k, 0 .. 9 in 3000)) @keep\nb = cos(axis(k, 0 .. 9 in 3000) * axis(y, 0 .. 9 in 3000)) @keep\nsum(a * b, over: k) | write(\"out.npy\")\n",
	"tiny.weft":       "axis(x, 0 .. 1 in 100) * 3 | write(\"out.npy\")\n",
}

var workloads = []workload{
	{"beamform 64 x 64 x 128, 1024 elements", []string{"run", "volume.weft"}, "beamform", peer{"beamform", "c_avx512_permute+prepare"}},
	{"skyview 400", []string{"run", "skyview.weft"}, "skyview", peer{}},
	{"skyview 1000", []string{"run", "skyview.weft", "-p", "size=1000"}, "skyview", peer{}},
	{"skyview 400 with vegetation", []string{"run", "vegetation.weft"}, "skyview", peer{}},
	{"skyview, fixture 400", []string{"run", "dsm.weft", "-p", "path=dsm400.npy"}, "skyview", peer{"skyview", "c_avx512_tile+maxtable_400"}},
	{"skyview, fixture 1000", []string{"run", "dsm.weft", "-p", "path=dsm1000.npy"}, "skyview", peer{"skyview", "c_avx512_tile+maxtable_1000"}},
	{"decibel, 4 M elements", []string{"run", "decibel.weft"}, "decibel", peer{}},
	{"matrix product 1024", []string{"run", "product.weft"}, "sum", peer{}},
	{"matrix product 3000", []string{"run", "large.weft"}, "sum", peer{}},
	{"check", []string{"check", "volume.weft"}, "", peer{}},
	{"warm run of a small pipeline", []string{"run", "tiny.weft"}, "", peer{}},
}

func main() {
	other := flag.String("other", "", "the weft to compare with")
	rounds := flag.Int("rounds", 7, "runs of each")
	bench := flag.String("bench", "../../shared/bench", "folder of hand-written programs; their rows are left out where it is not there")
	output := flag.String("o", "", "write to a file instead of standard output")
	only := flag.String("only", "", "rows whose names contain this")
	flag.Parse()
	if *other == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := measure(*other, *bench, *only, *output, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "speeds:", err)
		os.Exit(1)
	}
}

func measure(other, bench, only, output string, rounds int) error {
	dir, err := os.MkdirTemp("", "speeds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if other, err = filepath.Abs(other); err != nil {
		return err
	}
	weft := filepath.Join(dir, "weft")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", weft, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := prepare(dir, bench); err != nil {
		return err
	}
	peers := map[string]float64{}
	var table strings.Builder
	fmt.Fprintf(&table, "| %s | CPU s | before | ratio | by hand | ratio |\n|---|---|---|---|---|---|\n", "workload")
	for _, w := range workloads {
		if !strings.Contains(w.name, only) || !present(dir, w) {
			continue
		}
		mine, theirs, ratio, err := alternate(weft, other, dir, w, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if w.peer.script != "" && peers[w.peer.line] == 0 {
			if err := runPeer(bench, w.peer.script, peers); err != nil {
				return err
			}
		}
		byHand := "| |"
		if p := peers[w.peer.line]; p > 0 {
			byHand = fmt.Sprintf("%.4g | %.2f |", p, mine/p)
		}
		fmt.Fprintf(&table, "| %s | %.4g | %.4g | %.3f | %s\n", w.name, mine, theirs, ratio, byHand)
		fmt.Fprintln(os.Stderr, w.name, mine, theirs, ratio)
	}
	text := header(weft, other, rounds) + table.String()
	if output == "" {
		_, err = io.WriteString(os.Stdout, text)
		return err
	}
	return os.WriteFile(output, []byte(text), 0o644)
}

func header(weft, other string, rounds int) string {
	revision := func(binary string) string {
		out, err := exec.Command(binary, "version").Output()
		if err != nil {
			return err.Error()
		}
		first, _, _ := strings.Cut(string(out), "\n")
		return first
	}
	return fmt.Sprintf("# Speeds\n\n<!-- Written by `go run -C tools ./speeds -other WEFT -o speeds.md`, see there. -->\n\n"+
		"CPU seconds, medians of %d runs in alternation with the weft before, and of the ratios of neighbours; two threads; by hand: the best C program for the same, on one thread. %s, %s: %s; before: %s.\n\n",
		rounds, time.Now().Format("2006-01-02"), processor(), revision(weft), revision(other))
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	_, rest, _ := strings.Cut(string(text), "model name\t: ")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}

// prepare puts pipelines and fixtures into the folder of the runs.
func prepare(dir, bench string) error {
	volume, err := os.ReadFile("../pipelines/beamform/volume.weft")
	if err != nil {
		return err
	}
	texts["volume.weft"] = string(volume)
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	raster, err := os.ReadFile(filepath.Join(bench, "../data/skyview/athens_dsm.npy"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "dsm400.npy"), raster, 0o644); err != nil {
		return err
	}
	out, err := exec.Command(filepath.Join(bench, "skyview/run.sh"), "--mirror", filepath.Join(dir, "dsm1000.npy")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// present reports that the files a workload reads are there.
func present(dir string, w workload) bool {
	i := slices.IndexFunc(w.args, func(a string) bool { return strings.HasPrefix(a, "path=") })
	if i < 0 {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, w.args[i][len("path="):]))
	return err == nil
}

// alternate gives the median CPU seconds of the two, after a run of each that fills its cache, and the median of the ratios of runs that
// followed each other.
func alternate(weft, other, dir string, w workload, rounds int) (mine, theirs, ratio float64, err error) {
	var times [2][]float64
	for round := range rounds + 1 {
		for i := range 2 {
			at := (i + round) % 2
			t, err := once([]string{weft, other}[at], dir, fmt.Sprintf("cache%d", at), w)
			if err != nil {
				return 0, 0, 0, err
			}
			if round > 0 {
				times[at] = append(times[at], t)
			}
		}
	}
	var ratios []float64
	for i, t := range times[0] {
		ratios = append(ratios, t/times[1][i])
	}
	return median(times[0]), median(times[1]), median(ratios), nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}

// once runs a workload and gives the CPU seconds that count.
func once(weft, dir, cache string, w workload) (float64, error) {
	args := slices.Clone(w.args)
	if args[0] == "run" {
		args = append(args, "--threads", "2", "--no-verify", "--report", "report.json")
	}
	cmd := exec.Command(weft, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WEFT_PROFILE=default", "WEFT_CACHE="+filepath.Join(dir, cache))
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	if w.op == "" {
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return 0, err
	}
	var report struct {
		Kernels []struct {
			Name string   `json:"name"`
			Ops  []string `json:"ops"`
			CPU  float64  `json:"cpu_s"`
		} `json:"kernels"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, k := range report.Kernels {
		if strings.HasPrefix(k.Name, w.op) || slices.Contains(k.Ops, w.op) {
			sum += k.CPU
		}
	}
	if sum == 0 {
		return 0, fmt.Errorf("no kernel of %s in the report", w.op)
	}
	return sum, nil
}

// runPeer takes the CPU seconds of the programs of a script, all its lines; nothing where there is no such script.
func runPeer(bench, script string, into map[string]float64) error {
	path := filepath.Join(bench, script, "run.sh")
	if _, err := os.Stat(path); script == "" || err != nil {
		return nil
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "BENCH_CLOCK=cpu", "BENCH_CLOCK_THREADS=1", "THREADS=1", "REPEATS=3", "PYTHON=false")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		if s, err := strconv.ParseFloat(f[1], 64); err == nil {
			into[f[0]] = s
		}
	}
	return nil
}
