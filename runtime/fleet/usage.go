package fleet

import (
	"time"

	"weft/kernels/device"
)

// Usage is what a device did in a run. Times are the device's own where it keeps a clock, and those of the calls otherwise.
type Usage struct {
	Name        string  `json:"name"`
	Kind        string  `json:"kind"`
	Kernels     int     `json:"kernels"` // that it took a part of
	Ranges      int     `json:"ranges"`  // of rows, done
	Launches    int64   `json:"launches"`
	Waits       int64   `json:"waits"` // of the host, for launches and copies; 0 where the device does not count them
	BytesIn     int64   `json:"bytes_in"`
	BytesOut    int64   `json:"bytes_out"`
	BytesAcross int64   `json:"bytes_across"` // copied from other devices
	Compute     float64 `json:"compute_s"`
	Upload      float64 `json:"upload_s"`
	Download    float64 `json:"download_s"`
	Memory      int64   `json:"memory_bytes"`      // it has; 0: not known
	Peak        int64   `json:"peak_memory_bytes"` // most that was allocated at once
	Failures    int     `json:"failures"`          // ranges and compilations that failed on it
	Retries     int     `json:"retries"`           // with less, after it was out of memory
	PinsRefused int     `json:"pins_refused"`      // slots that copied without page-locked memory
	// Quarantined is why it was left out for the rest of the run.
	Quarantined string `json:"quarantined,omitempty"`
}

// add counts a piece of work on a lane.
func (u *Usage) add(lane int, took time.Duration, bytes int, err error) {
	switch lane {
	case upload:
		u.Upload += took.Seconds()
	case download:
		u.Download += took.Seconds()
	case compute:
		u.Compute += took.Seconds()
	}
	if err != nil {
		return
	}
	switch lane {
	case upload:
		u.BytesIn += int64(bytes)
	case download:
		u.BytesOut += int64(bytes)
	case compute:
		u.Launches++
	}
}

// Usage of each device so far.
func (f *Fleet) Usage() []Usage {
	if f == nil {
		return nil
	}
	var out []Usage
	for _, m := range f.members {
		out = append(out, m.report())
	}
	return out
}

func (m *Member) report() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.usage
	u.Quarantined = m.left
	if d, ok := m.dev.(device.Metered); ok {
		now := d.Usage()
		u.Launches, u.BytesIn, u.BytesOut = now.Launches-m.before.Launches, now.BytesIn-m.before.BytesIn, now.BytesOut-m.before.BytesOut
		u.Waits, u.BytesAcross = now.Waits-m.before.Waits, now.BytesAcross-m.before.BytesAcross
		u.Compute, u.Upload = (now.Compute - m.before.Compute).Seconds(), (now.Upload - m.before.Upload).Seconds()
		u.Download = (now.Download - m.before.Download).Seconds()
		u.Peak = now.Peak
	}
	return u
}
