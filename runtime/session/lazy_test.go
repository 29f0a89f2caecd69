package session

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/lang/check"
)

// gpu is a device whose rates are known once those of all others are asked for.
type gpu struct {
	device.Device
	name string
	all  *sync.WaitGroup
	late *bool
}

func (g gpu) Info() device.Info { return device.Info{Name: g.name, Kind: "cuda"} }

func (g gpu) Rates() device.Rates {
	g.all.Done()
	met := make(chan struct{})
	go func() { g.all.Wait(); close(met) }()
	select {
	case <-met:
	case <-time.After(10 * time.Second):
		*g.late = true
	}
	return device.Rates{Flops: 1, LinkIn: 1}
}

// GPUs are opened by who plans, once, and measured at a time, and not at all where a run is asked to be elsewhere.
func TestGPUsAreOpenedWhenAsked(t *testing.T) {
	cachetest.Use(t)
	file := filepath.Join(t.TempDir(), "devices.yaml")
	if err := os.WriteFile(file, []byte("devices:\n  - {name: fast}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for asked, wanted := range map[string]int{"": 1, "gpu": 1, "cuda:1": 1, "nobody": 1, "cpu": 0, "fast:0": 0, "emulated": 0, "fast": 0} {
		opened, late := 0, false
		all := &sync.WaitGroup{}
		all.Add(2)
		s, err := Open(Config{Device: asked, Emulated: file, GPUs: func() ([]device.Device, error) {
			opened++
			host := interp.New(interp.Options{})
			return []device.Device{gpu{host, "cuda:0", all, &late}, gpu{host, "cuda:1", all, &late}}, errors.New("a third is missing")
		}})
		if err != nil {
			t.Fatal(err)
		}
		prog := CheckText("p.weft", []byte("show(2 * axis(x, 0 .. 1 in 10))"), check.Options{})
		if opened > 0 {
			t.Fatalf("%q: opened by who checks a program", asked)
		}
		_, err = s.Plan(t.Context(), prog, PlanOptions{})
		if bad := asked == "nobody"; bad != (err != nil) {
			t.Errorf("%q: %v", asked, err)
		}
		if opened != wanted || late {
			t.Errorf("%q: opened %d times, one after the other: %t", asked, opened, late)
		}
		if n := len(s.Accelerators()); n != 1+2*wanted || (s.NoCUDA() != "") != (wanted > 0) {
			t.Errorf("%q: %d devices, %q", asked, n, s.NoCUDA())
		}
	}
}
