package emulated

import (
	"fmt"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir/count"
)

// pageable is how much of the link's rate memory that is not page-locked gets.
const pageable = 0.5

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// launchTime is what the described device takes for a share of a kernel's work in some blocks, and how many times slower it is: after the
// latency, the longer of computing and of moving bytes. Where it has multiprocessors, blocks come in waves, of which one that is not full takes as
// long as one that is.
func (d *Device) launchTime(w count.Work, blocks, threads int, slow float64) time.Duration {
	took := d.Rates().Compute(w)
	if wave := d.wave(threads); wave > 0 && blocks > 0 {
		waves := (blocks + wave - 1) / wave
		took *= float64(waves*wave) / float64(blocks)
	}
	took = max(took, time.Duration(d.description.Shortest).Seconds())
	return seconds(slow * (time.Duration(d.description.Launch).Seconds() + took))
}

// wave is how many blocks of so many threads the device has at a time; 0: that is not described.
func (d *Device) wave(threads int) int {
	return d.description.SMs * max(1, d.description.Resident/max(1, threads))
}

func (d *Device) transferTime(n int, pinned bool) time.Duration {
	t := time.Duration(d.description.Link.Latency)
	if rate := d.description.Link.Rate; rate > 0 {
		if !pinned {
			rate *= pageable
		}
		t += seconds(float64(n) / rate)
	}
	return t
}

// meter accounts for a device's memory and time.
type meter struct {
	mu    sync.Mutex
	usage device.Usage
}

func (m *meter) take(bytes, limit int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.usage.Allocated+bytes > limit {
		return fmt.Errorf("%w: %d bytes wanted, %d of %d free", device.ErrMemory, bytes, limit-m.usage.Allocated, limit)
	}
	m.usage.Allocated += bytes
	m.usage.Peak = max(m.usage.Peak, m.usage.Allocated)
	return nil
}

func (m *meter) giveBack(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.Allocated -= bytes
}

func (m *meter) copied(on string, n int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if on == onUpload {
		m.usage.BytesIn += int64(n)
		m.usage.Upload += took
		return
	}
	m.usage.BytesOut += int64(n)
	m.usage.Download += took
}

func (m *meter) across(n int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.BytesAcross += int64(n)
	m.usage.Upload += took
}

func (m *meter) launched(took time.Duration) { m.launchedSeveral(1, took) }

func (m *meter) launchedSeveral(n int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.Launches += int64(n)
	m.usage.Compute += took
}

// waited counts the host's waiting for something.
func (m *meter) waited() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.Waits++
}

// Usage is what the device has done, in its own time.
func (d *Device) Usage() device.Usage {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	return d.meter.usage
}

// Rates are the described ones. Where page-locked memory is refused, those of the link are what is left without it.
func (d *Device) Rates() device.Rates {
	link := d.description.Link
	rate := link.Rate
	if link.Pinned != nil && !*link.Pinned {
		rate *= pageable
	}
	return device.Rates{
		Flops: d.description.Flops, Flops64: d.description.Flops64, Bandwidth: d.description.Bandwidth, Launch: time.Duration(d.description.Launch).Seconds(), Wait: time.Duration(d.description.Sync).Seconds(),
		LinkIn: rate, LinkOut: rate, LinkLatency: time.Duration(link.Latency).Seconds(),
	}
}
