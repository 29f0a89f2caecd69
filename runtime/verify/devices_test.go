package verify

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/interp"
	"weft/kernels/native"
	"weft/runtime"
)

// Devices with memory of their own are compared like all others: in as many rows as fit, wrong results are found, and what fails says so
// while the others go on.
func TestAccelerators(t *testing.T) {
	host, err := native.New(native.FromEnv())
	if err != nil {
		t.Skip(err)
	}
	list, err := emulated.Parse([]byte(`
devices:
  - {name: good}
  - {name: small, memory: 8KiB}
  - {name: tiny, memory: 256}
  - {name: liar, failures: [{on: launch, at: 1, until: 99, kind: wrong}]}
  - {name: broken, failures: [{on: compile, at: 1}]}
  - {name: lost, failures: [{on: upload, at: 1, kind: lost}, {on: download, at: 1, kind: lost}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	var subjects []Subject
	for _, d := range emulated.New(host, list, emulated.Options{}) {
		subjects = append(subjects, Accelerator(d))
	}
	dev := interp.New(interp.Options{})
	r, err := Run(context.Background(), planned(t, bump, dev), Options{Run: runtime.Options{Devices: []device.Device{dev}, Threads: 1}, Subjects: subjects, Seconds: 20, Samples: 200})
	if err != nil {
		t.Fatal(err)
	}
	row := func(subject string) Row {
		at := slices.IndexFunc(r.Rows, func(r Row) bool { return r.Subject == subject && r.Value == "level" })
		if at < 0 {
			t.Fatalf("%s is not in the table", subject)
		}
		return r.Rows[at]
	}
	if r.OK {
		t.Error("all is well in spite of faults")
	}
	for _, name := range []string{"good:0", "small:1"} {
		if x := row(name); !x.OK || x.Compared != 160*160 || x.Samples == 0 || x.Variant == "" {
			t.Errorf("%+v", x)
		}
	}
	if x := row("liar:3"); x.OK || x.Skipped != "" {
		t.Errorf("%+v", x)
	}
	for name, why := range map[string]string{"tiny:2": "memory", "broken:4": "compile 1 fails", "lost:5": "lost"} {
		if x := row(name); x.OK || !strings.Contains(x.Skipped, why) {
			t.Errorf("%s: %+v", name, x)
		}
	}
}
