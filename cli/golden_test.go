package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"weft/planner/plan"
)

// TestGoldens compares what explain says of every pipeline that ships, and of small programs chosen for their verdicts, with what
// is on record: kernels, edges, bytes, tiles and schedules, for one machine that is on record too. Whatever plans differently
// shows here; -update writes it down.
func TestGoldens(t *testing.T) {
	profile, err := filepath.Abs("testdata/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/golden",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("WEFT_CACHE", filepath.Join(e.WorkDir, ".cache"))
			e.Setenv("WEFT_PROFILE", profile)
			return os.CopyFS(filepath.Join(e.WorkDir, "pipelines"), os.DirFS("../pipelines"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"plan": explained, "npy": npyCommand},
	})
}

// timed are the parts of an explanation that are times, or follow from times alone.
var timed = []struct {
	where *regexp.Regexp
	what  *regexp.Regexp // within it; it is left out
}{
	{regexp.MustCompile(`(?m)^ +\S.* would win if .*\n`), regexp.MustCompile(`(?s).*`)},
	{regexp.MustCompile(`(?m)^  [FS]\d+ .*$`), regexp.MustCompile(`; (fused \S+ \S+( \S+)?, stored \S+ \S+|the kernel takes .*)$`)},
	{regexp.MustCompile(`(?m)^device .*$`), regexp.MustCompile(`; predicted [^;]*|; plan .*`)},
	{regexp.MustCompile(`(?m)^ +\S+ +at most .*$`), regexp.MustCompile(`: predicted .*`)},
	{regexp.MustCompile(`(?m)^ +cost .*$`), regexp.MustCompile(`: predicted .*`)},
	{regexp.MustCompile(`(?m)^ +place .*$`), regexp.MustCompile(`[:;]? [0-9][0-9.]* (ns|us|ms|s)\b.*`)},
}

// explained FILE ARGUMENTS: what explain says with the arguments, on the machine of the goldens, is written to the file, without times.
func explained(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: plan FILE ARGUMENTS")
	}
	fixed := []string{"explain", "--verbose", "--isa", "avx2", "--threads", "4", "--memory", "2GiB"}
	ts.Check(ts.Exec("weft", append(fixed, args[1:]...)...))
	text := ts.ReadFile("stdout")
	for _, t := range timed {
		text = t.where.ReplaceAllStringFunc(text, func(part string) string { return t.what.ReplaceAllString(part, "") })
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// Every verdict there is stands in a golden.
func TestGoldensShowEveryVerdict(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	for code := range plan.Meaning {
		if !regexp.MustCompile(`(?m)^  ` + string(code) + ` .* -> `).MatchString(all) {
			t.Errorf("no golden shows the verdict %s", code)
		}
	}
}
