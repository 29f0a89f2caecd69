package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"weft/kernels/native"
	"weft/kernels/profile"
	"weft/ops/amount"
	"weft/runtime/session"
)

type devicesCommand struct {
	deviceFlags
	Benchmark bool `help:"Measure this machine again: half a second."`
}

// Run lists the devices and what is known of their speed, which it measures if asked to or if nothing is known.
func (c devicesCommand) Run(ctx context.Context, s *streams) error {
	se, err := session.Open(c.config(s))
	if err != nil {
		return err
	}
	listDevices(s, se)
	listAccelerators(s, se)
	if se.CPU == nil {
		fmt.Fprintln(s.out, "\nrates: none, since only compiled kernels are measured")
		return nil
	}
	if c.Benchmark || se.Model.Profile.Default && se.Unmeasured != "" {
		if err := se.Measure(ctx, c.Benchmark); err != nil {
			return err
		}
	}
	return showProfile(s, se)
}

// listDevices lists all devices by name and kind, and why others cannot be had.
func listDevices(s *streams, m *session.Session) {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, d := range m.Hosts {
		i := d.Info()
		fmt.Fprintf(w, "%s\t%s\t%s\n", i.Name, i.Kind, cmp.Or(i.Detail, "the definition of the kernel language"))
	}
	if m.CPU != nil {
		best := m.CPU.Target().ISA
		others := slices.DeleteFunc(native.Available(native.FromEnv()), func(isa string) bool { return isa == best })
		fmt.Fprintf(w, "\t\t%d threads; instruction set %s (WEFT_ISA chooses; also %s)\n",
			runtime.GOMAXPROCS(0), best, strings.Join(others, ", "))
	}
	for _, d := range m.Accelerators() {
		i := d.Info()
		fmt.Fprintf(w, "%s\t%s\t%s\n", i.Name, i.Kind, i.Detail)
	}
	for _, missing := range m.Missing {
		fmt.Fprintf(w, "%s:\tnone (%s)\n", missing.Kind, missing.Reason)
	}
	if m.NoCUDA() != "" {
		fmt.Fprintf(w, "cuda:\tnone (%s)\n", m.NoCUDA())
	}
	w.Flush() // what it writes to reports its own errors
}

// listAccelerators prints what devices with memory of their own can hold and do.
func listAccelerators(s *streams, m *session.Session) {
	if len(m.Accelerators()) == 0 {
		return
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	figure := func(f float64, write func(float64) string) { fmt.Fprintf(w, "\t%s", known(f, write)) }
	fmt.Fprintln(w, "\ndevice\tmemory\tgrid\tblock\tthreads\tshared\tflop/s\tf64 flop/s\tmemory B/s\t"+
		"link B/s in\tout\tlaunch\tlatency\trates are\t")
	for _, d := range m.Models() {
		l, r := d.Info.Limits, d.Rates
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s", d.Info.Name, amount.Bytes(l.Memory), extents(l.Grid), extents(l.Block), l.Threads,
			amount.Bytes(int64(l.Shared)))
		for _, f := range []float64{r.Flops, cmp.Or(r.Flops64, r.Flops), r.Bandwidth, r.LinkIn, r.LinkOut} {
			figure(f, func(f float64) string { return amount.Of(f, "") })
		}
		figure(r.Launch, amount.Seconds)
		figure(r.LinkLatency, amount.Seconds)
		fmt.Fprintf(w, "\t%s\t\n", origins[d.Info.Kind])
	}
	w.Flush() // what it writes to reports its own errors
}

// origins say where the rates of a kind of device come from.
var origins = map[string]string{"emulated": "described", "cuda": "from attributes, link measured"}

func extents(e [3]int) string { return fmt.Sprintf("%d x %d x %d", e[0], e[1], e[2]) }

// known writes a figure; 0 is not known, and counts for nothing.
func known(figure float64, write func(float64) string) string {
	if figure <= 0 {
		return "-"
	}
	return write(figure)
}

func showProfile(s *streams, m *session.Session) error {
	p := m.Model.Profile
	fmt.Fprintln(s.out)
	switch {
	case p.Default:
		fmt.Fprintf(s.out, "rates: built in, not measured\n")
	default:
		age := time.Since(p.Created).Round(time.Minute)
		fmt.Fprintf(s.out, "rates: measured %s (%s ago) in %.2g s", p.Created.Local().Format("2006-01-02 15:04"), age, p.Took)
		if p.Provisional {
			fmt.Fprintf(s.out, "; provisional: the machine was busy (%.2f s passed for each second of work)", p.Noise)
		}
		fmt.Fprintln(s.out)
		if m.Cache != "" {
			fmt.Fprintf(s.out, "kept in %s\n", profile.Store{Dir: m.Cache}.Path())
		}
	}
	if m.Unmeasured != "" {
		fmt.Fprintf(s.out, "to be measured again: %s\n", m.Unmeasured)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\noperation\tns\tG/s a core\t\n")
	for _, c := range profile.Classes() {
		fmt.Fprintf(w, "%s\t%.3g\t%.3g\t\n", c, p.Ops[c], 1/p.Ops[c])
	}
	fmt.Fprintf(w, "\nmemory\tcopy, GB/s a core\tall\ttriad, GB/s a core\tall\t\n")
	for _, l := range p.Levels {
		name := l.Name
		if l.Bytes > 0 {
			name += " to " + amount.Bytes(l.Bytes)
		}
		fmt.Fprintf(w, "%s\t%.3g\t%.3g\t%.3g\t%.3g\t\n", name, l.Copy.Core/1e9, l.Copy.All/1e9, l.Triad.Core/1e9, l.Triad.All/1e9)
	}
	fmt.Fprintf(w, "new pages\t%.3g\t%.3g\t\n", p.Touch.Core/1e9, p.Touch.All/1e9)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "\nlaunch %.3g us, step %.3g us, compile %.3g ms a kernel, disk reads %.3g and writes %.3g MB/s\n",
		p.Launch*1e6, p.Dispatch*1e6, p.Compile*1e3, p.DiskRead/1e6, p.DiskWrite/1e6)
	return err
}
