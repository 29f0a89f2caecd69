package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"gopkg.in/yaml.v3"

	"weft/kernels/cache/cachetest"
	"weft/ops/files/npy"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// compiled is a cache for tests that do not look at it: what all kernels include is then prepared once.
var compiled string

// cached gives tests that cache while they run.
type cached struct{ *testing.M }

func (c cached) Run() int {
	dir, err := os.MkdirTemp("", "weft-cli-")
	if err != nil {
		panic(err)
	}
	if err := cachetest.New(dir); err != nil {
		panic(err)
	}
	compiled = dir
	defer os.RemoveAll(dir)
	return c.M.Run()
}

func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	if _, said := os.LookupEnv("WEFT_PROFILE"); !said {
		os.Setenv("WEFT_PROFILE", "default") // no test measures the machine unless it says so
	}
	testscript.Main(cached{m}, map[string]func(){"weft": Main, "weft-deaf": deaf, "weft-careful": careful})
}

func TestScripts(t *testing.T) {
	cache := t.TempDir() // one for all scripts, so that a kernel is compiled once
	if err := cachetest.New(cache); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("WEFT_CACHE", cache)
			e.Setenv("CC", os.Getenv("CC"))
			e.Setenv("GOGC", os.Getenv("GOGC"))
			pipelines, err := filepath.Abs("../pipelines")
			if err != nil {
				return err
			}
			e.Setenv("PIPELINES", pipelines)
			e.Setenv("WEFT_PROFILE", "default") // predictions that are the same on every machine
			return nil
		},
		Condition: condition,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"parses": parses, "has": has, "near": near, "exits": exits, "fixtures": fixtures, "npy": npyCommand, "rasters": rasters, "spoil": spoil, "hollow": hollow, "roundtrips": roundtrips},
	})
}

// decode reads a file as JSON or YAML, by its ending.
func decode(ts *testscript.TestScript, file string) any {
	var v any
	read := json.Unmarshal
	if strings.HasSuffix(file, ".yaml") {
		read = yaml.Unmarshal
	}
	if err := read([]byte(ts.ReadFile(file)), &v); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	return v
}

// parses FILE: the file is valid JSON or YAML.
func parses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: parses FILE")
	}
	decode(ts, args[0])
}

// has FILE PATH VALUE: what stands at a dotted path, such as kernels.0.device, prints as VALUE.
func has(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] has FILE PATH VALUE")
	}
	v := decode(ts, args[0])
	for part := range strings.SplitSeq(args[1], ".") {
		v = child(v, part)
	}
	if got := fmt.Sprint(v); (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s", args[0], args[1], got)
	}
}

// near A B TOLERANCE: two NPY files of float32 differ by at most that, relative to the largest magnitude of the first.
func near(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] near A B TOLERANCE")
	}
	a, shape, err := npy.Load[float32](ts.MkAbs(args[0]))
	ts.Check(err)
	b, other, err := npy.Load[float32](ts.MkAbs(args[1]))
	ts.Check(err)
	tolerance, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	if !slices.Equal(shape, other) {
		ts.Fatalf("shapes %v and %v", shape, other)
	}
	var peak, worst float64
	for i, v := range a {
		peak = max(peak, math.Abs(float64(v)))
		worst = max(worst, math.Abs(float64(v-b[i])))
	}
	if (worst <= tolerance*peak) == neg {
		ts.Fatalf("%s and %s differ by %g of the peak", args[0], args[1], worst/peak)
	}
}

// child is a member of an object, an element of a list, or the length of a list.
func child(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[name]
	case []any:
		var i int
		if name == "length" {
			return len(v)
		}
		if _, err := fmt.Sscan(name, &i); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}
