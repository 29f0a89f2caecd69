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

	"weft/runtime/usage"
)

// A pipeline that takes the interpreter minutes.
const slow = `
u = axis(x, 0 mm .. 1 mm in 3000)
v = axis(y, 0 mm .. 1 mm in 3000)
w = axis(z, 0 mm .. 1 mm in 100)
sum(sin(u / (1 mm) + v / (1 mm)) * cos(w / (1 mm) + v / (1 mm)), over: z) | write("out.npy")
`

// watched calls a function when something is first written.
type watched struct {
	bytes.Buffer
	first func()
}

func (w *watched) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		w.first()
	}
	return w.Buffer.Write(p)
}

func TestCancelledRunStopsSoonAndLeavesWholeFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("WEFT_CACHE", compiled)
	t.Setenv("WEFT_CC", "no-such-compiler")
	if err := os.WriteFile("slow.weft", []byte(slow), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var out bytes.Buffer
	var stopped time.Duration         // processor time: under load, a tile may wait for its turn a minute
	errOut := watched{first: func() { // the run says that it falls back to the interpreter, which is when it begins
		time.AfterFunc(300*time.Millisecond, func() { stopped = usage.CPU(); stop() })
	}}
	code := Run(ctx, []string{"run", "slow.weft", "--trace", "trace.json", "--report", "report.json"}, nil, &out, &errOut)
	if code != exitCancelled || !strings.Contains(errOut.String(), "cancelled") {
		t.Errorf("exit code %d, stderr %q, stdout %q", code, &errOut, &out)
	}
	if took := usage.CPU() - stopped; took > 5*time.Second {
		t.Errorf("stopped after %s of the processor", took)
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
