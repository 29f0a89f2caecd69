package native

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CompileError is a compiler's refusal of generated code: a fault of weft or of the compiler, never of the user.
type CompileError struct {
	Kernels  []string // names of those in the unit
	Messages []string // the first lines that report an error
	Source   string   // file the source was saved in
	Err      error    // how the compiler ended
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("native: the C compiler failed on %s (%v)\n\t%s\n\tsource: %s",
		strings.Join(e.Kernels, ", "), e.Err, strings.Join(e.Messages, "\n\t"), e.Source)
}

func (e *CompileError) Unwrap() error { return e.Err }

// compileTimeout bounds a run of the compiler: kernels that ship take seconds. Tests shorten it.
var compileTimeout = 10 * time.Minute

// shown is how many lines of a compiler's complaint an error carries.
const shown = 5

// compile makes a shared object of the C file source at path object, which appears whole or not at all.
func (c *compiler) compile(ctx context.Context, flags []string, source, object string) error {
	return c.run(ctx, flags, source, object, "-shared", source, "-lm")
}

// optimises tells the flags that say how much the compiler optimises.
func optimises(flag string) bool { return strings.HasPrefix(flag, "-O") }

// arguments are those of the command and flags.
func (c *compiler) arguments(flags []string) []string {
	if slices.ContainsFunc(c.Command[1:], optimises) { // "gcc -O0" is meant
		flags = slices.DeleteFunc(slices.Clone(flags), optimises)
	}
	return slices.Concat(c.Command[1:], flags)
}

// run has the compiler write a file, which appears whole or not at all.
func (c *compiler) run(ctx context.Context, flags []string, source, object string, what ...string) error {
	temporary, err := os.CreateTemp(filepath.Dir(object), "tmp-*")
	if err != nil {
		return fmt.Errorf("native: %w", err)
	}
	temporary.Close()
	defer os.Remove(temporary.Name()) // gone already after the rename
	args := slices.Concat(c.arguments(flags), []string{"-fPIC", "-pipe", "-o", temporary.Name()}, what)
	var said bytes.Buffer
	limited, cancel := context.WithTimeoutCause(ctx, compileTimeout, fmt.Errorf("it took longer than %s", compileTimeout))
	defer cancel()
	if err := execute(limited, c.Command[0], args, &said, &said); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		return &CompileError{Messages: complaints(said.String()), Source: source, Err: err}
	}
	if err := os.Rename(temporary.Name(), object); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	return nil
}

// execute runs a program. It ends with the context together with all that it started: a compiler is often a script around another.
func execute(ctx context.Context, program string, args []string, out, said *bytes.Buffer) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = out, said
	cmd.Cancel = func() error { return end(cmd) }
	cmd.WaitDelay = time.Second // for what it started and left behind
	group(cmd)
	err := cmd.Run()
	if err != nil && cmd.Process != nil {
		_ = end(cmd) // nothing may be left of the group
	}
	return err
}

// complaints picks the lines that report errors, or the last ones where none does.
func complaints(said string) []string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	var errs []string
	for _, l := range lines {
		if strings.Contains(l, "error") && len(errs) < shown {
			errs = append(errs, l)
		}
	}
	if errs == nil {
		errs = lines[max(0, len(lines)-shown):]
	}
	return errs
}
