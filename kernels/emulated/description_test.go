package emulated

import (
	"strings"
	"testing"
	"time"

	"weft/kernels/ir"
)

func TestDescriptions(t *testing.T) {
	list, err := Parse([]byte(`
devices:
  - name: big
    count: 2
    capability: 9.0
    memory: 24 GiB
    max_grid: [1000, 100, 10]
    flops: 60e12
    bandwidth: 3e12
    launch: 5us
    link: {rate: 25e9, latency: 10us}
    failures:
      - {on: launch, at: 3, kind: lost}
  - {memory: 500MB, pace: 0.5}
`))
	if err != nil {
		t.Fatal(err)
	}
	big, small := list[0], list[1]
	if big.Memory != 24<<30 || small.Memory != 500e6 || time.Duration(big.Launch) != 5*time.Microsecond || big.MaxThreads != 1024 {
		t.Errorf("%+v\n%+v", big, small)
	}
	devices := New(host(t), list, Options{})
	if len(devices) != 3 || devices[1].Info().Name != "big:1" || devices[2].Info().Name != "emulated:2" {
		t.Fatalf("%d devices", len(devices))
	}
	if l := devices[0].Info().Limits; l.Grid != [3]int{1000, 100, 10} || l.Memory != 24<<30 || l.Shared != 48<<10 {
		t.Errorf("limits %+v", l)
	}
	b := &ir.Buffer{Name: "b", Type: ir.F32, Shape: []int{4}}
	m, err := devices[0].Alloc(b)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	if m.Host() != nil {
		t.Error("the host addresses device memory")
	}
}

func TestWrongDescriptions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"devices: []", "no devices"},
		{"devices: [{colour: red}]", "colour"},
		{"devices: [{memory: 3 apples}]", "not a size"},
		{"devices: [{launch: 5}]", "not a time"},
		{"devices: [{count: 0}, {count: -1}]", "device 2 (emulated): count -1"},
		{"devices: [{max_grid: [0, -1, 5]}]", "max_grid"},
		{"devices: [{max_threads: 2000}]", "max_threads"},
		{"devices: [{flops: -1}]", "flops"},
		{"devices: [{bandwidth: .nan}]", "bandwidth"},
		{"devices: [{failures: [{on: launch}]}]", "at 0"},
		{"devices: [{failures: [{on: lunch, at: 1}]}]", `on "lunch"`},
		{"devices: [{failures: [{on: alloc, at: 1, kind: wrong}]}]", "kind wrong takes one of launch"},
		{"devices: [{failures: [{on: launch, at: 1, kind: odd}]}]", `kind "odd"`},
		{"devices: [{failures: [{on: launch, at: 1, kind: slow}]}]", "positive factor"},
		{"devices: [{failures: [{on: launch, at: 5, until: 2}]}]", "before"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := Read("/nowhere/devices.yaml"); err == nil {
		t.Error("a file that is not there")
	}
}
