package native

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"weft/kernels/ir"
)

// script writes an executable shell script.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNoCompilerSaysWhatWasTried(t *testing.T) {
	dir := t.TempDir()
	old := script(t, dir, "gcc-4", "echo '#define __GNUC__ 4'\n")
	other := script(t, dir, "othercc", "echo '#define __TINYC__ 1'\n")
	broken := script(t, dir, "brokencc", "echo 'cannot execute cc1' >&2; exit 1\n")
	headless := script(t, dir, "headlesscc", `case "$*" in *-dM*) echo '#define __GNUC__ 12';; *) echo 'stdlib.h: fatal error: no such file' >&2; exit 1;; esac`)
	_, err := New(Config{Compilers: []string{"no-such-compiler", old, other, broken, headless, " "}, Cache: dir})
	if !errors.Is(err, ErrNoCompiler) {
		t.Fatalf("got %v, want ErrNoCompiler", err)
	}
	for _, want := range []string{"no-such-compiler: not found", "gcc 4 is older than 10", "not a GNU C compiler", "cannot execute cc1", "cannot build a shared object: stdlib.h", "empty command", "WEFT_CC"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	var e *NoCompilerError
	if !errors.As(err, &e) || len(e.Tried) != 6 {
		t.Errorf("got %d attempts, want 6", len(e.Tried))
	}
}

// TestWarmStartRunsNoCompiler counts the runs of a compiler through a script in front of it.
func TestWarmStartRunsNoCompiler(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no cc: ", err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	wrapper := script(t, dir, "cc", "echo run >> "+log+"\nexec "+cc+" \"$@\"\n")
	runs := func() int {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "run\n")
	}
	config := Config{Compilers: []string{wrapper}, Cache: dir}
	first, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	cold := runs()
	if cold != 2 {
		t.Fatalf("a cold start ran the compiler %d times, want 2: the question and the trial", cold)
	}
	second, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if runs() != cold {
		t.Errorf("a warm start ran the compiler")
	}
	if a, b := first.Info(), second.Info(); a != b {
		t.Errorf("warm start: %+v, cold start: %+v", b, a)
	}
	if err := os.Chtimes(wrapper, time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := New(config); err != nil {
		t.Fatal(err)
	}
	if runs() == cold {
		t.Errorf("a replaced compiler was not asked again")
	}
}

// TestCommandsSayHowMuchToOptimise: -O0 in a command holds for kernels and other text, whatever these are compiled with otherwise.
func TestCommandsSayHowMuchToOptimise(t *testing.T) {
	for _, own := range []string{"", " -O0"} {
		d := openWith(t, Config{Compilers: []string{"cc" + own}, Cache: t.TempDir()})
		text := "#ifdef __OPTIMIZE__\nint level = 1;\n#else\nint level = 0;\n#endif\nint asked(void *to) { return level; }\n"
		addresses, _, err := d.CompileText(t.Context(), text, "asked")
		if err != nil {
			t.Fatal(err)
		}
		if got := Invoke(addresses[0], 0) == 0; got != (own != "") {
			t.Errorf("%q: not optimised is %t", own, got)
		}
	}
}

func TestDamagedProbeIsReplaced(t *testing.T) {
	d := fresh(t)
	dir := filepath.Dir(d.store.dir)
	files, err := filepath.Glob(filepath.Join(dir, "compiler-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"Command":[]`), 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := New(Config{Compilers: FromEnv().Compilers, Cache: dir})
	if err != nil {
		t.Fatal(err)
	}
	if again.compiler.ID != d.compiler.ID {
		t.Error("the compiler's identity changed")
	}
	if _, ok := readProbe(files[0], d.compiler.Command); !ok {
		t.Error("the damaged file was not replaced")
	}
}

// TestRememberedCommandsAreNotExecuted: what the cache holds of a compiler says nothing of what is run.
func TestRememberedCommandsAreNotExecuted(t *testing.T) {
	dir := t.TempDir()
	d := openIn(t, "", dir)
	files, err := filepath.Glob(filepath.Join(dir, "compiler-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), d.compiler.Command[0]) {
		t.Errorf("a command is kept: %s", text)
	}
	bad := strings.Replace(string(text), "{", `{"Command":["/bin/false"],`, 1)
	if err := os.WriteFile(files[0], []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := openIn(t, "", dir); !slices.Equal(again.compiler.Command, d.compiler.Command) {
		t.Errorf("the compiler is %v", again.compiler.Command)
	}
}

// TestCompilerWhoseChildHangs: the limit of a trial holds for what a compiler starts, too.
func TestCompilerWhoseChildHangs(t *testing.T) {
	was := probeTimeout
	probeTimeout = 100 * time.Millisecond
	t.Cleanup(func() { probeTimeout = was })
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	hangs := script(t, dir, "cc", "sleep 60 &\necho $! > "+pid+"\nwait\n")
	start := time.Now()
	if _, err := New(Config{Compilers: []string{hangs}, Cache: dir}); !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Skip("the compiler was not started within the limit")
	}
	if exec.Command("kill", "-0", strings.TrimSpace(string(text))).Run() == nil && !ended(t, strings.TrimSpace(string(text))) {
		t.Error("what the compiler started still runs")
	}
}

// ended waits for a process to go, which takes a moment after it was killed.
func ended(t *testing.T, pid string) bool {
	t.Helper()
	for range 50 {
		if state, err := os.ReadFile("/proc/" + pid + "/stat"); err != nil || strings.Contains(string(state), ") Z ") {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

func TestISAErrors(t *testing.T) {
	d := open(t, "")
	if _, _, err := chooseTarget("sse9", d.compiler.Macros); err == nil || !strings.Contains(err.Error(), "avx512, avx2, portable") {
		t.Errorf("unknown instruction set: %v", err)
	}
	if _, _, err := chooseTarget("avx512", map[string]string{"__AVX2__": "1"}); err == nil || !strings.Contains(err.Error(), "__AVX512F__") {
		t.Errorf("missing instruction set: %v", err)
	}
	target, march, err := chooseTarget("", map[string]string{"__AVX2__": "1", "__FMA__": "1", "__F16C__": "1", "__BMI2__": "1", "__AVX512F__": "1"})
	if err != nil || target.ISA != "avx2" || march[0] != "-march=native" {
		t.Errorf("half an AVX-512: got %v %v %v, want avx2", target, march, err)
	}
}

func TestCompileErrorSaysWhere(t *testing.T) {
	d := open(t, "")
	dir := t.TempDir()
	source := filepath.Join(dir, "bad.c")
	if err := os.WriteFile(source, []byte("int f(void) { return no_such_name; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := d.compiler.compile(context.Background(), nil, source, filepath.Join(dir, "bad.so"))
	var ce *CompileError
	if !errors.As(err, &ce) {
		t.Fatalf("got %v, want a CompileError", err)
	}
	ce.Kernels = []string{"beam"}
	for _, want := range []string{"beam", "no_such_name", source} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.so")); len(left) > 0 {
		t.Errorf("a failed run left %v", left)
	}
}

// TestCompilerThatDoesNotEnd: a unit that the compiler cannot finish is an error that says so, not a run that hangs.
func TestCompilerThatDoesNotEnd(t *testing.T) {
	was := compileTimeout
	compileTimeout = 50 * time.Millisecond
	t.Cleanup(func() { compileTimeout = was })
	dir := t.TempDir()
	c := compiler{Command: []string{script(t, dir, "cc", "sleep 60\n")}}
	err := c.compile(context.Background(), nil, dir+"/a.c", dir+"/a.so")
	if _, ok := errors.AsType[*CompileError](err); !ok || !strings.Contains(err.Error(), "longer than 50ms") {
		t.Errorf("got %v", err)
	}
}

// TestUnitsAreBounded: no unit of several kernels is heavier than the bound, and none holds too many.
func TestUnitsAreBounded(t *testing.T) {
	var variants []*variant
	for i := range 100 {
		variants = append(variants, &variant{kernel: &ir.Kernel{}, weight: (i%10 + 1) * unitWeight / 20})
	}
	for _, parts := range []int{1, 2, 64} {
		for _, u := range divide(variants, parts) {
			if len(u) > unitSize || len(u) > 1 && u.weight() > 2*unitWeight {
				t.Errorf("%d parts: a unit of %d kernels weighs %d", parts, len(u), u.weight())
			}
		}
	}
}

func TestCancelledCompile(t *testing.T) {
	d := open(t, "")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte("int f;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.compiler.compile(ctx, nil, dir+"/a.c", dir+"/a.so"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
