package cli

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"weft/kernels/profile"
	"weft/ops/files/npy"
	"weft/runtime/journal"
)

// twice reads every element of b two times over, so whether b is computed again is weighed.
const twice = `
a = read("in.npy", dims: [y, x])
b = sin(a) + 1
(b[y: 0 .. 5998] + b[y: 1 .. 5999]) | write("sum.npy")
(a * 2) | write("double.npy")
`

var planHash = regexp.MustCompile(`plan ([0-9a-f]{32})`)

// A run whose machine is measured, or found to be another, between its kill and its resumption goes on by the plan it began with,
// though it would be planned otherwise by then.
func TestResumeAfterTheMachineWasMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process")
	}
	folder := t.TempDir()
	slow := profile.Default(2)
	for c := range slow.Ops {
		slow.Ops[c] *= 300 // so that computing again never pays
	}
	text, err := yaml.Marshal(slow)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "slow.yaml"), text, 0o666))
	const rows, columns = 6000, 200
	values := make([]float32, rows*columns)
	for i := range values {
		values[i] = float32(10 + 8*math.Sin(float64(i)*0.013)*math.Cos(float64(i/columns)*0.07))
	}
	must(t, npy.Save(filepath.Join(folder, "in.npy"), []int{rows, columns}, values))
	must(t, os.WriteFile(filepath.Join(folder, "p.weft"), []byte(twice), 0o666))
	outputs := []string{"sum.npy", "double.npy"}
	cache := t.TempDir()
	on := func(name string) *restarter {
		return &restarter{t: t, folder: folder, env: append(os.Environ(), "WEFT_CACHE="+cache, "WEFT_PROFILE="+name)}
	}
	before, after := on("default"), on("slow.yaml")
	if a, b := before.plan(), after.plan(); a == b {
		t.Fatalf("plan %s on both machines: nothing is tested", a)
	}
	before.run("--memory", "2GiB")
	want := before.outputs(outputs)
	for _, name := range outputs {
		must(t, os.Remove(filepath.Join(folder, name)))
	}
	budget := before.little()
	c, _ := before.command("--memory", budget)
	must(t, c.Start())
	for deadline := time.Now().Add(20 * time.Second); before.journalled(outputs) <= 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	must(t, c.Process.Kill())
	if err := c.Wait(); err == nil {
		t.Skip("the run was done before it could be killed")
	}
	for _, name := range outputs {
		if r, err := journal.Read(filepath.Join(folder, name)); err != nil || r.Rows() == 0 {
			t.Fatalf("%s: the journal has %d rows, %v", name, r.Rows(), err)
		}
	}
	if said := after.run("--memory", budget, "--resume"); !strings.Contains(said, "goes on") {
		t.Errorf("it says %q", said)
	}
	if !same(after.outputs(outputs), want) {
		t.Error("other bytes")
	}
}

// plan is the hash of the plan that would run.
func (r *restarter) plan() string {
	r.t.Helper()
	c := exec.Command("weft", "explain", "--verbose", "p.weft")
	c.Dir, c.Env = r.folder, r.env
	out, err := c.Output()
	must(r.t, err)
	m := planHash.FindSubmatch(out)
	if m == nil {
		r.t.Fatalf("no plan is named:\n%s", out)
	}
	return string(m[1])
}

// inTwoWays makes turns of an array in one of two ways, which round otherwise.
const inTwoWays = `i = axis(i, 0 .. 1 in 5000)
k = axis(k, 0 .. 1 in 256)
ways = [(name: "apart", of: x -> mean(x * sin(k) ^ 2 + x * cos(k) ^ 2, over: k)), (name: "together", of: x -> 1.000001 * mean(x * (sin(k) ^ 2 + cos(k) ^ 2), over: k))]
trials = each(ways, w -> i | iterate(w.of, at_most: 4))
best = x -> fastest(each(ways, w -> w.of(x)), trials, each(ways, w -> w.name))
e = i | iterate(x -> 0.5 * best(x) + 0.25 * best(i), at_most: 100000, every: 1, until: (old, new) -> max(abs(new - old)) < 0.002)
e.value | write("v.npy")
`

// A run that is killed before its first checkpoint goes on in the way to an array that it took, though another is the fastest by then; one
// that is not to go on takes that.
func TestResumeTakesTheSameWay(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("nothing is measured without a C compiler")
	}
	folder, cache := t.TempDir(), t.TempDir()
	r := &restarter{t: t, folder: folder, env: append(os.Environ(), "WEFT_CACHE="+cache, "CC=")}
	must(t, os.WriteFile(filepath.Join(folder, "p.weft"), []byte(inTwoWays), 0o666))
	output := filepath.Join(folder, "v.npy")
	r.run()
	remembered, err := filepath.Glob(filepath.Join(cache, "ways", "*"))
	if err != nil || len(remembered) != 1 {
		t.Fatalf("ways that were measured: %v, %v", remembered, err)
	}
	chosen := regexp.MustCompile(`(?m)^chosen: (.*)$`)
	choose := func(way string) {
		text, err := os.ReadFile(remembered[0])
		must(t, err)
		if !chosen.Match(text) {
			t.Fatalf("nothing is chosen:\n%s", text)
		}
		must(t, os.WriteFile(remembered[0], chosen.ReplaceAll(text, []byte("chosen: "+way)), 0o600))
	}
	bits := map[string][][]byte{}
	for _, way := range []string{"apart", "together"} {
		choose(way)
		r.run()
		bits[way] = r.outputs([]string{"v.npy"})
	}
	if same(bits["apart"], bits["together"]) {
		t.Fatal("both ways give the same bits: nothing is tested")
	}
	for _, resume := range []bool{true, false} {
		must(t, os.Remove(output))
		choose("apart")
		c, _ := r.command()
		must(t, c.Start())
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(journal.BegunOf(output)); err == nil || time.Now().After(deadline) {
				break
			}
		}
		must(t, c.Process.Kill())
		if err := c.Wait(); err == nil {
			t.Fatal("the run was done before anything was there that tells of it")
		}
		left, err := filepath.Glob(filepath.Join(folder, ".v.npy*"))
		if err != nil || len(left) != 1 {
			t.Fatalf("there is more than what says how it began: %v, %v", left, err)
		}
		choose("together")
		want, flags := bits["together"], []string{}
		if resume {
			want, flags = bits["apart"], []string{"--resume"}
		}
		r.run(flags...)
		if !same(r.outputs([]string{"v.npy"}), want) {
			t.Errorf("resume %t: other bytes", resume)
		}
		if left, err := filepath.Glob(filepath.Join(folder, ".v.npy*")); err != nil || len(left) != 0 {
			t.Errorf("left %v, %v", left, err)
		}
	}
}
