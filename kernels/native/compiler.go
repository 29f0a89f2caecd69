package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"weft/kernels/cache"
)

// ErrNoCompiler is matched by the error New returns on a machine without a usable C compiler.
var ErrNoCompiler = errors.New("no usable C compiler")

// NoCompilerError says what was tried. It matches ErrNoCompiler.
type NoCompilerError struct{ Tried []Attempt }

// Attempt is a compiler command that did not do, and why.
type Attempt struct {
	Command string
	Reason  string
}

func (e *NoCompilerError) Error() string {
	var b strings.Builder
	b.WriteString("native: no usable C compiler (gcc 10 or clang 12, or newer); tried")
	for i, a := range e.Tried {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " %s: %s", a.Command, a.Reason)
	}
	b.WriteString(". Install gcc or clang, or set WEFT_CC to one")
	return b.String()
}

// Is makes errors.Is(err, ErrNoCompiler) hold.
func (e *NoCompilerError) Is(target error) bool { return target == ErrNoCompiler }

// compiler is a C compiler as it was found on this machine.
type compiler struct {
	Command []string          `json:"-"` // path and leading arguments
	Version string            // as the compiler calls itself
	CPU     string            // what it makes of -march=native, empty where it does not know the flag
	Macros  map[string]string // those of interest that it defines under -march=native
	ID      string            // digest of version, CPU and all macros: what code for the native processor depends on
}

// probeTimeout bounds each run of a compiler that is being tried; tests shorten it.
var probeTimeout = 20 * time.Second

// findCompiler returns the first command that answers as a GNU C compiler new enough, from the cache where possible.
func findCompiler(ctx context.Context, commands []string, cache probeCache) (*compiler, error) {
	e := &NoCompilerError{}
	for _, command := range commands {
		c, err := cache.lookup(ctx, command)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.Tried = append(e.Tried, Attempt{command, err.Error()})
	}
	return nil, e
}

// resolve finds the program of a command line such as "ccache gcc".
func resolve(command string) ([]string, error) {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return nil, errors.New("empty command")
	}
	path, err := exec.LookPath(fields[0])
	if err != nil {
		return nil, errors.New("not found")
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	return append([]string{path}, fields[1:]...), nil
}

// probe asks a compiler for its version, its name for this processor and its macros, in one run.
func probe(ctx context.Context, command []string) (*compiler, error) {
	macros, said, err := preprocess(ctx, command, "-march=native")
	if err != nil { // some compilers do not know native on some processors
		if macros, said, err = preprocess(ctx, command); err != nil {
			return nil, err
		}
	}
	c := &compiler{Command: command, Macros: map[string]string{}, Version: firstMatch(versionLine(), said), CPU: firstMatch(resolvedCPU(), said)}
	parts := []string{c.Version, c.CPU}
	for _, name := range slices.Sorted(maps.Keys(macros)) {
		parts = append(parts, name, macros[name])
	}
	c.ID = cache.Digest(parts...)
	for _, name := range interesting() {
		if v, ok := macros[name]; ok {
			c.Macros[name] = v
		}
	}
	return c, c.check()
}

// interesting are the macros that decide something.
func interesting() (names []string) {
	for _, l := range levels {
		names = append(names, l.macros...)
	}
	for _, d := range dialects {
		names = append(names, d.macro)
	}
	return names
}

var (
	// gcc says "gcc version 12.2.0 (Debian ...)", clang "Debian clang version 14.0.6"; both with -v.
	versionLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(.*(?:gcc|clang) version .*?)\s*$`) })
	// The command line of the compiler proper: -march=znver4, or "-target-cpu" "znver4".
	resolvedCPU = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:cc1.* -march=|"?-target-cpu"? "?)([A-Za-z0-9._+-]+)`)
	})
)

func firstMatch(r *regexp.Regexp, text string) string {
	if m := r.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// preprocess runs the preprocessor on nothing and returns the macros defined and what -v printed.
func preprocess(ctx context.Context, command []string, flags ...string) (map[string]string, string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	args := append(append(append([]string(nil), command[1:]...), flags...), "-v", "-dM", "-E", "-x", "c", os.DevNull)
	var out, said bytes.Buffer
	if err := execute(ctx, command[0], args, &out, &said); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("no answer within %s", probeTimeout)
		}
		return nil, "", fmt.Errorf("%w: %s", err, lastLine(said.String()))
	}
	macros := map[string]string{}
	for line := range strings.Lines(out.String()) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) < 2 || f[0] != "#define" {
			continue
		}
		macros[f[1]] = strings.Join(f[2:], "")
	}
	return macros, said.String(), nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// dialects are the compilers that know GNU vectors well enough, by the macro that holds their major version.
var dialects = []struct {
	macro, name string
	least       int
	flags       []string // that it alone knows
	first       []string // and at the first level
}{
	{"__clang_major__", "clang", 12, nil, nil}, // clang claims to be gcc 4, so it comes first
	// Registers are shared out over whole functions: region by region takes a quarter of the compiler's time for long kernels. Of twelve
	// workloads none became more than 5 % slower or 4 % faster.
	// Among the optimisations that are called expensive is that vectors are put away before functions of the C library are called, which take twenty
	// times as long else: they are on at every level.
	// At the first level it does not follow what pointers may point to, nor looks for stores that nothing reads: in long kernels that takes an eighth of its
	// time, and finds nothing.
	{"__GNUC__", "gcc", 10, []string{"-fira-region=one", "-fexpensive-optimizations"}, []string{"-fno-tree-pta", "-fno-dse"}},
}

// flags are those that only this compiler knows.
func (c *compiler) flags() []string {
	for _, d := range dialects {
		if _, ok := c.Macros[d.macro]; ok {
			return d.flags
		}
	}
	return nil
}

// optimised are the flags of a level.
func (c *compiler) optimised(level string) []string {
	out := []string{level}
	for _, d := range dialects {
		if _, ok := c.Macros[d.macro]; ok && level == firstLevel {
			return append(out, d.first...)
		} else if ok {
			break
		}
	}
	return out
}

// check reports why a compiler cannot build generated code.
func (c *compiler) check() error {
	for _, d := range dialects {
		text, ok := c.Macros[d.macro]
		if !ok {
			continue
		}
		if major, err := strconv.Atoi(text); err != nil || major < d.least {
			return fmt.Errorf("%s %s is older than %d", d.name, text, d.least)
		}
		return nil
	}
	return errors.New("not a GNU C compiler")
}

// trial needs what generated code needs besides the compiler proper: the C library's headers, an assembler and a linker.
const trial = "#include <stdlib.h>\n#include <math.h>\ndouble weft_trial(double x) { return sin(x); }\n"

// try builds a small object in a folder of its own inside dir.
func (c *compiler) try(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	dir, err := os.MkdirTemp(dir, "trial-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, object := filepath.Join(dir, "trial.c"), filepath.Join(dir, "trial.so")
	if err := cache.Write(source, []byte(trial)); err != nil {
		return err
	}
	err = c.compile(ctx, nil, source, object)
	if ce, ok := errors.AsType[*CompileError](err); ok {
		return fmt.Errorf("cannot build a shared object: %s", ce.Messages[0])
	}
	if err != nil {
		return err
	}
	_, err = load(object, "weft_trial")
	return err
}
