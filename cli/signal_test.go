package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/ops/files/fileio"
)

// deaf is a command that never looks whether it should end, with a file under way.
func deaf() {
	os.Exit(untilSignal(func(context.Context) int {
		if _, err := fileio.Create("out.npy"); err != nil {
			panic(err)
		}
		fmt.Println("at work")
		select {}
	}))
}

func TestASignalEndsACommandWithinASecond(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		folder := t.TempDir()
		var said strings.Builder
		cmd := exec.Command("weft-deaf")
		cmd.Dir, cmd.Stderr = folder, &said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		asked := time.Now()
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		hung := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		_ = cmd.Wait() // its exit code tells
		hung.Stop()
		if code, took := cmd.ProcessState.ExitCode(), time.Since(asked); code != exitCancelled || took > 5*time.Second {
			t.Errorf("%v: exit code %d after %s, %q", sig, code, took, &said)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) > 0 {
			t.Errorf("%v: left behind: %s", sig, left)
		}
	}
}
