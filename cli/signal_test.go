package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// endsSoon sends a signal to a command, and wants it to end for that, with nothing left behind.
func endsSoon(t *testing.T, cmd *exec.Cmd, sig os.Signal, said *strings.Builder) {
	t.Helper()
	asked := time.Now()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	_ = cmd.Wait() // its exit code tells
	hung.Stop()
	if code, took := cmd.ProcessState.ExitCode(), time.Since(asked); code != exitCancelled || took > 5*time.Second {
		t.Errorf("%v %v: exit code %d after %s, %q", cmd.Args, sig, code, took, said)
	}
	if left, _ := filepath.Glob(filepath.Join(cmd.Dir, ".*.npy*")); len(left) > 0 {
		t.Errorf("%v %v: left behind: %s", cmd.Args, sig, left)
	}
}

func TestASignalEndsACommandWithinASecond(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		var said strings.Builder
		cmd := exec.Command("weft-deaf")
		cmd.Dir, cmd.Stderr = t.TempDir(), &said
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
		endsSoon(t, cmd, sig, &said)
	}
}

// awaitWork waits until a process has computed for a while, where the system tells: on a busy machine one that was started may not have come to
// its first line yet, and is ended by the system.
func awaitWork(pid int) {
	for range 1000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		const user = 11 // ticks of 10 ms, the 14th field in all
		if err != nil || len(fields) <= user {
			return
		}
		if ticks, err := strconv.Atoi(fields[user]); err != nil || ticks >= 10 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// It ends them wherever they are: while a program of many lines is checked, planned and compiled.
func TestASignalEndsEveryPhase(t *testing.T) {
	const lines = 1500
	var text strings.Builder
	text.WriteString("fn s(x) = x - 0.001 * mean(x * x) * x + sum(x) * 1e-9\nx0 = axis(t, 0 .. 1 in 3000) + axis(u, 0 .. 1 in 2000)\n")
	for i := range lines {
		fmt.Fprintf(&text, "x%d = x%d | s\n", i+1, i)
	}
	fmt.Fprintf(&text, "x%d | write(\"out.npy\")\n", lines)
	for _, command := range []string{"explain", "run", "verify"} {
		for _, wait := range []time.Duration{300 * time.Millisecond, 1500 * time.Millisecond} {
			var said strings.Builder
			cmd := exec.Command("weft", command, "long.weft")
			cmd.Dir, cmd.Stderr = t.TempDir(), &said
			cmd.Env = append(os.Environ(), "WEFT_CACHE="+filepath.Join(cmd.Dir, "cache"))
			if err := os.WriteFile(filepath.Join(cmd.Dir, "long.weft"), []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			awaitWork(cmd.Process.Pid)
			time.Sleep(wait)
			endsSoon(t, cmd, syscall.SIGTERM, &said)
		}
	}
}
