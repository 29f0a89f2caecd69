package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A pipeline that takes the interpreter minutes.
const slow = `
u = axis(x, 0 mm .. 1 mm in 3000)
v = axis(y, 0 mm .. 1 mm in 3000)
w = axis(z, 0 mm .. 1 mm in 100)
sum(sin(u / (1 mm) + v / (1 mm)) * cos(w / (1 mm) + v / (1 mm)), over: z) | write("out.npy")
`

func TestCancelledRunStopsSoonAndLeavesWholeFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("WEFT_CACHE", t.TempDir())
	t.Setenv("WEFT_CC", "no-such-compiler")
	if err := os.WriteFile("slow.weft", []byte(slow), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer time.AfterFunc(600*time.Millisecond, stop).Stop()
	var out, errOut bytes.Buffer
	start := time.Now()
	code := Run(ctx, []string{"run", "slow.weft", "--trace", "trace.json", "--report", "report.json"}, nil, &out, &errOut)
	if code != exitCancelled || !strings.Contains(errOut.String(), "cancelled") {
		t.Errorf("exit code %d, stderr %q, stdout %q", code, &errOut, &out)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("stopped after %s", took)
	}
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(files, " "); got != "report.json slow.weft trace.json" {
		t.Errorf("files left: %s", got)
	}
	for _, name := range []string{"trace.json", "report.json"} {
		text, err := os.ReadFile(name)
		if err != nil || !json.Valid(text) {
			t.Errorf("%s: %v, %d bytes that are no JSON", name, err, len(text))
		}
	}
}
