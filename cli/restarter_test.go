package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"weft/ops/files/tiff"
	"weft/ops/files/words"
	"weft/runtime/journal"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(a, b [][]byte) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// restarter runs weft in a folder.
type restarter struct {
	weft   string // the program, if another
	t      *testing.T
	folder string
	env    []string
}

func (r *restarter) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	c := exec.Command(cmp.Or(r.weft, "weft"), append([]string{"run", "p.weft", "--no-verify"}, args...)...)
	c.Dir, c.Env = r.folder, r.env
	errOut := new(bytes.Buffer)
	c.Stderr = errOut
	return c, errOut
}

func (r *restarter) run(args ...string) string {
	r.t.Helper()
	c, errOut := r.command(args...)
	if err := c.Run(); err != nil {
		r.t.Fatalf("weft %v: %v\n%s", args, err, errOut)
	}
	return errOut.String()
}

var atLeast = regexp.MustCompile(`--memory at least ([0-9]+)([KMGi]*B)`)

// little is a budget a little above the smallest that does, as weft says: by that one, blocks are single rows, each waited for until it
// is on the disk.
func (r *restarter) little() string {
	r.t.Helper()
	c, errOut := r.command("--memory", "1KiB")
	if err := c.Run(); err == nil {
		r.t.Fatal("1 KiB did")
	}
	m := atLeast.FindStringSubmatch(errOut.String())
	if m == nil {
		r.t.Fatalf("no budget is named:\n%s", errOut)
	}
	least, err := strconv.ParseFloat(m[1], 64)
	must(r.t, err)
	return fmt.Sprintf("%.0f%s", 1.05*least, m[2])
}

// killed runs weft for a time, counted from when something is so if that is given, and reports that it was done before.
func (r *restarter) killed(after time.Duration, begun func() bool, args ...string) (done bool) {
	r.t.Helper()
	c, errOut := r.command(args...)
	must(r.t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var err error
	for begun != nil && !done && !begun() {
		select {
		case err = <-ended:
			done = true
		case <-time.After(time.Millisecond):
		}
	}
	if !done {
		select {
		case err = <-ended:
		case <-time.After(after):
			_ = c.Process.Kill()
			err = <-ended
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		r.t.Fatalf("weft %v: %v\n%s", args, err, errOut)
	}
	return err == nil
}

// checkpointed reports whether a drive has left how far it is.
func (r *restarter) checkpointed() bool {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.folder, journal.CheckpointOf("*", "*")))
	must(r.t, err)
	return slices.ContainsFunc(paths, func(path string) bool {
		c, err := journal.ReadCheckpoint(path)
		return err == nil && c.Calls > 0
	})
}

// journalled is the first row that some output lacks.
func (r *restarter) journalled(outputs []string) int {
	from := -1
	for _, name := range outputs {
		rec, err := journal.Read(filepath.Join(r.folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			return 0
		}
		must(r.t, err)
		if from < 0 || rec.Rows() < from {
			from = rec.Rows()
		}
	}
	return from
}

func (r *restarter) outputs(names []string) [][]byte {
	r.t.Helper()
	var out [][]byte
	for _, name := range names {
		path := filepath.Join(r.folder, name)
		if filepath.Ext(name) == ".zarr" {
			out = append(out, r.chunks(path))
			continue
		}
		b, err := os.ReadFile(path)
		must(r.t, err)
		out = append(out, b)
	}
	return out
}

// chunks are the names and bytes of the files of a store, but for its description, in which the budget stands.
func (r *restarter) chunks(path string) (all []byte) {
	r.t.Helper()
	about := filepath.Join(path, "zarr.json")
	must(r.t, filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == about {
			return err
		}
		b, err := os.ReadFile(name)
		all = append(append(all, name...), b...)
		return err
	}))
	_, err := os.Stat(about)
	must(r.t, err)
	return all
}

// pixels are the elements of outputs.
func (r *restarter) pixels(names []string) [][]byte {
	r.t.Helper()
	var out [][]byte
	for _, name := range names {
		path := filepath.Join(r.folder, name)
		if filepath.Ext(name) != ".tif" {
			out = append(out, r.outputs([]string{name})...)
			continue
		}
		values, _, err := tiff.Load[float64](path)
		must(r.t, err)
		out = append(out, words.Raw(values))
	}
	return out
}

// clean reports anything that is neither input nor output.
func (r *restarter) clean(outputs []string) {
	r.t.Helper()
	entries, err := os.ReadDir(r.folder)
	must(r.t, err)
	if len(entries) != len(outputs)+3 {
		r.t.Fatalf("left over: %v", entries)
	}
}
