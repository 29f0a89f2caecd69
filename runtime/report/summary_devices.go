package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"weft/runtime/fleet"
)

// summarizeDevices says in a line an accelerator what it did, and names those that had nothing to do.
func (r summary) summarizeDevices(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	var idle []string
	for _, u := range r.Devices {
		if u.Ranges == 0 && u.Failures == 0 && u.Quarantined == "" {
			idle = append(idle, u.Name)
			continue
		}
		fmt.Fprintf(w, "device\t%s\t%d ranges of %d kernels\tin %s, %s\tcompute %s\tout %s, %s\tpeak memory %s%s\n", u.Name, u.Ranges, u.Kernels,
			size(u.BytesIn), seconds(u.Upload), seconds(u.Compute), size(u.BytesOut), seconds(u.Download),
			size(u.Peak), troubles(u))
	}
	w.Flush() // to a Builder, which never fails
	if idle != nil {
		fmt.Fprintf(b, "idle      %s\n", strings.Join(idle, ", "))
	}
}

// troubles are what went wrong on an accelerator.
func troubles(u fleet.Usage) string {
	var out string
	if u.Memory > 0 {
		out += " of " + size(u.Memory)
	}
	if u.Failures > 0 {
		out += fmt.Sprintf("; %d failures", u.Failures)
	}
	if u.Retries > 0 {
		out += fmt.Sprintf("; %d retries in smaller ranges", u.Retries)
	}
	if u.PinsRefused > 0 {
		out += "; without page-locked memory"
	}
	if u.Quarantined != "" {
		out += "; left out: " + u.Quarantined
	}
	return out
}
