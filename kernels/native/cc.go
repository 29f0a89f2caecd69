package native

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// shown is how many lines of a compiler's complaint an error carries.
const shown = 5

// compile makes a shared object of the C file source at path object, which appears whole or not at all.
func (c *compiler) compile(ctx context.Context, flags []string, source, object string) error {
	temporary, err := os.CreateTemp(filepath.Dir(object), "tmp-*.so")
	if err != nil {
		return fmt.Errorf("native: %w", err)
	}
	temporary.Close()
	defer os.Remove(temporary.Name()) // gone already after the rename
	args := append(append([]string(nil), c.Command[1:]...), flags...)
	args = append(args, "-shared", "-fPIC", "-pipe", "-o", temporary.Name(), source, "-lm")
	cmd := exec.CommandContext(ctx, c.Command[0], args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &CompileError{Messages: complaints(said.String()), Source: source, Err: err}
	}
	if err := os.Chmod(temporary.Name(), 0o755); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	if err := os.Rename(temporary.Name(), object); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	return nil
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
