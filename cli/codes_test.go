package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/lang/diag"
	"weft/ops/problem"
)

// exampleFiles are what the examples of the table of codes read.
var exampleFiles = []struct{ name, descr, shape, damage string }{
	{"iq.npy", "<c8", "720,1024", ""},
	{"dsm.npy", "<f4", "64,64", ""},
	{"data/iq.npy", "<c8", "720,1024", ""},
	{"truncated.npy", "<f4", "8,8", "cut"},
	{"trailing.npy", "<f4", "8,8", "trailing"},
	{"bad_header.npy", "<f4", "8,8", "header"},
	{"huge_header.npy", "<f4", "8,8", "huge"},
	{"nan.npy", "<f4", "8,8", "nonfinite"},
	{"objects.npy", "|O", "8,", ""},
	{"strings.npy", "<U4", "8,", ""},
	{"empty.npy", "<f4", "0,8", ""},
}

// notShown are the codes whose examples are not run here, with the reason.
var notShown = map[string]string{
	problem.Unreadable:     "permissions do not bind root",
	problem.Unwritable:     "permissions do not bind root",
	problem.ReadFailed:     "needs a disk that fails",
	problem.DiskFull:       "bad_files.txtar fills a disk",
	problem.InputChanged:   "needs a file that changes while it is read",
	problem.StageFailed:    "needs a device that fails",
	problem.CompileFailed:  "needs a compiler that fails",
	problem.JournalForeign: "blocks.txtar has one",
	problem.DamagedTile:    "needs a disk that changes what it holds; TestChangedTilesAreFound has one",
	problem.OutOfMemory:    "needs a machine without memory",
	problem.ParityViolated: "needs a kernel that is wrong",
	problem.InternalError:  "needs a mistake in weft",
}

// TestExamplesOfCodes runs the examples of every code: the wrong one gives that code and no other, the right one gives none.
func TestExamplesOfCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("WEFT_CACHE", compiled)
	makeExampleFiles(t)
	makeExampleRasters(t)
	for _, c := range diag.Codes() {
		if notShown[c.Code] != "" {
			continue
		}
		t.Run(c.Code, func(t *testing.T) {
			if text, found := runExample(t, c.Wrong); len(found) != 1 || found[0] != c.Code {
				t.Errorf("the wrong example gives %v:\n%s\n%s", found, c.Wrong, text)
			}
			if text, found := runExample(t, c.Right); len(found) != 0 {
				t.Errorf("the right example gives %v:\n%s\n%s", found, c.Right, text)
			}
		})
	}
}

func makeExampleFiles(t *testing.T) {
	t.Helper()
	if err := os.Mkdir("data", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range exampleFiles {
		text, err := npyFile(f.descr, f.shape)
		if err != nil {
			t.Fatal(err)
		}
		if f.damage != "" {
			text = damages[f.damage](text)
		}
		writeExample(t, f.name, text)
	}
	writeExample(t, "text.npy", []byte("no array\n"))
	writeExample(t, "iq.doc", nil)
	writeExample(t, "archive.weft", []byte("iq = axis(element, 0 mm .. 1 mm in 8)\niq | write(\"arrays.npz\")\n"))
	run := []string{"run", "archive.weft"}
	var errOut bytes.Buffer
	if Run(context.Background(), run, nil, &bytes.Buffer{}, &errOut) != exitOK {
		t.Fatal(errOut.String())
	}
}

func writeExample(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.FromSlash(name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

var (
	commandLine = regexp.MustCompile(`^# ((?:[A-Z_]+=\S* )*)weft (.*)\n`)
	codeShown   = regexp.MustCompile(`(?m)(?:error|warning)\[(E\d{4})\]`)
)

// runExample checks a program, or does what the comment on its first line says, such as "# weft run file.weft -p c=3", and gives
// the codes that were reported.
func runExample(t *testing.T, program string) (text string, codes []string) {
	t.Helper()
	args := []string{"check", "file.weft"}
	if m := commandLine.FindStringSubmatch(program); m != nil {
		for _, v := range strings.Fields(m[1]) {
			name, value, _ := strings.Cut(v, "=")
			t.Setenv(name, value)
		}
		args = strings.Fields(m[2])
	}
	writeExample(t, "file.weft", []byte(program+"\n"))
	var errOut bytes.Buffer
	Run(context.Background(), args, nil, &bytes.Buffer{}, &errOut)
	for _, m := range codeShown.FindAllStringSubmatch(errOut.String(), -1) {
		codes = append(codes, m[1])
	}
	slices.Sort(codes)
	return errOut.String(), slices.Compact(codes)
}

// Where the arguments begin with a command, the grammar is that of this one alone.
func TestGrammarOfOneCommand(t *testing.T) {
	all := reflect.TypeFor[commands]().NumField()
	for args, fields := range map[string]int{"": all, "--help": all, "chek f": all, "check f": 1, "gpu-report": 1, "gpureport": all, "complete -- ex": all} {
		if got := reflect.TypeOf(grammar(strings.Fields(args))).Elem().NumField(); got != fields {
			t.Errorf("weft %s: a grammar of %d commands, not of %d", args, got, fields)
		}
	}
}
