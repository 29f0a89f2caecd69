package emulated

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"weft/kernels/device"
)

// Description describes one device, or Count equal ones. Speeds of zero cost no time on the device's clock.
type Description struct {
	Name       string    `yaml:"name"`        // default emulated
	Count      int       `yaml:"count"`       // default 1
	Capability string    `yaml:"capability"`  // as 9.0, which is the default; decides what kernels are said to take of a GPU
	Memory     Bytes     `yaml:"memory"`      // default 8 GiB
	MaxGrid    [3]int    `yaml:"max_grid"`    // blocks of a launch
	MaxBlock   [3]int    `yaml:"max_block"`   // threads of a block
	MaxThreads int       `yaml:"max_threads"` // of a block in all
	Shared     Bytes     `yaml:"shared"`      // memory that a block's threads share
	Streams    int       `yaml:"streams"`     // how many launches it runs at once; default 2
	Flops      float64   `yaml:"flops"`       // float32 operations a second
	Flops64    float64   `yaml:"flops64"`     // float64 operations a second; default as many
	Bandwidth  float64   `yaml:"bandwidth"`   // of memory, bytes a second
	Launch     Duration  `yaml:"launch"`      // latency of a launch
	Graph      *Launches `yaml:"graph"`       // what launches take that go in line together; absent: none do
	SMs        int       `yaml:"sms"`         // multiprocessors that blocks go to; 0: work takes time by its amount, however few blocks there are
	Resident   int       `yaml:"resident"`    // threads that a multiprocessor has at a time; default 2048
	Shortest   Duration  `yaml:"shortest"`    // that a kernel takes at least
	Sync       Duration  `yaml:"sync"`        // from the end of a launch or copy until the host goes on
	Link       Link      `yaml:"link"`        // to the host
	Pace       float64   `yaml:"pace"`        // hold calls until so many host seconds a device second have passed; 0: do not
	Failures   []Failure `yaml:"failures"`
}

// Link is the way between host and device. Pageable memory goes at half its rate.
type Link struct {
	Rate    float64  `yaml:"rate"`   // bytes a second each way
	Peer    float64  `yaml:"peer"`   // bytes a second from another device of the description; 0: copies between them go by way of the host
	Shared  float64  `yaml:"shared"` // bytes a second of all devices of the description together; 0: each has its rate
	Latency Duration `yaml:"latency"`
	Pinned  *bool    `yaml:"pinned"` // whether page-locked memory is given; default true
}

// limits that a CUDA device of capability 8.0 has.
var usual = device.Limits{
	Grid: [3]int{math.MaxInt32, 65535, 65535}, Block: [3]int{1024, 1024, 64}, Threads: 1024, Shared: 48 << 10, Memory: 8 << 30,
}

// usualResident is how many threads a multiprocessor of capability 8.0 or 9.0 has at a time.
const usualResident = 2048

// Read reads descriptions from a YAML file: a list under the key devices. Mistakes in it are Problems, joined.
func Read(path string) ([]Description, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("emulated devices: %w", err)
	}
	d, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("emulated devices, %s: %w", path, err)
	}
	return d, nil
}

// Parse is Read of a file's text.
func Parse(text []byte) ([]Description, error) {
	var file struct {
		Devices []Description `yaml:"devices"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		return nil, problemsOf(err)
	}
	if len(file.Devices) == 0 {
		return nil, Problem{Text: "no devices: list them under the key devices"}
	}
	lines := linesOf(text)
	var problems []error
	for i := range file.Devices {
		d := &file.Devices[i]
		d.complete()
		for _, what := range d.check() {
			problems = append(problems, Problem{Line: lines[i], Text: fmt.Sprintf("device %d (%s): %s", i+1, d.Name, what)})
		}
	}
	return file.Devices, errors.Join(problems...)
}

// complete fills in what a description leaves out.
func (d *Description) complete() {
	or := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	if d.Name == "" {
		d.Name = "emulated"
	}
	if d.Memory == 0 {
		d.Memory = Bytes(usual.Memory)
	}
	if d.Shared == 0 {
		d.Shared = Bytes(usual.Shared)
	}
	or(&d.Count, 1)
	or(&d.Streams, 2)
	or(&d.MaxThreads, usual.Threads)
	or(&d.Resident, usualResident)
	for i := range 3 {
		or(&d.MaxGrid[i], usual.Grid[i])
		or(&d.MaxBlock[i], usual.Block[i])
	}
}

// check lists what is wrong.
func (d *Description) check() (problems []string) {
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	name := nameProblem(d.Name)
	wrong(name != "", "%s", name)
	wrong(d.Count < 1 || d.Count > 64, "count %d; from 1 to 64", d.Count)
	wrong(d.Memory < 0 || d.Shared < 0, "memory cannot be negative")
	wrong(d.Streams < 1, "streams %d; at least 1", d.Streams)
	wrong(d.MaxThreads < 1 || d.MaxThreads > usual.Threads, "max_threads %d; from 1 to %d", d.MaxThreads, usual.Threads)
	for i := range 3 {
		wrong(d.MaxGrid[i] < 1 || d.MaxGrid[i] > math.MaxInt32, "max_grid %v; each from 1 to %d", d.MaxGrid, math.MaxInt32)
		wrong(d.MaxBlock[i] < 1, "max_block %v; each at least 1", d.MaxBlock)
	}
	for _, v := range []struct {
		name string
		v    float64
	}{{"flops", d.Flops}, {"flops64", d.Flops64}, {"bandwidth", d.Bandwidth}, {"link rate", d.Link.Rate}, {"shared link rate", d.Link.Shared}, {"peer rate", d.Link.Peer}, {"pace", d.Pace}} {
		wrong(v.v < 0 || math.IsNaN(v.v) || math.IsInf(v.v, 0), "%s %v; a positive number, or 0", v.name, v.v)
	}
	_, known := d.capability()
	wrong(!known, "capability %q; as \"9.0\"", d.Capability)
	wrong(d.Launch < 0 || d.Link.Latency < 0 || d.Shortest < 0 || d.Sync < 0, "latencies cannot be negative")
	wrong(d.Graph != nil && min(d.Graph.Launch, d.Graph.Node, d.Graph.Make) < 0, "what a graph takes cannot be negative")
	wrong(d.SMs < 0 || d.Resident < 0, "sms and resident cannot be negative")
	for i, f := range d.Failures {
		if err := f.check(); err != nil {
			problems = append(problems, fmt.Sprintf("failure %d: %s", i+1, err))
		}
	}
	return problems
}

func (d *Description) limits() device.Limits {
	return device.Limits{Memory: int64(d.Memory), Grid: d.MaxGrid, Block: d.MaxBlock, Threads: d.MaxThreads, Shared: int(d.Shared)}
}

// Bytes is a size, written as a number or with a unit: 24 GiB, 500 MB.
type Bytes int64

var byteUnits = map[string]float64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// UnmarshalYAML reads a size.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error {
	text := strings.TrimSpace(n.Value)
	at := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.eE+-_", r) })
	if at < 0 {
		at = len(text)
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text[:at]), 64)
	unit, ok := byteUnits[strings.ToLower(strings.TrimSpace(text[at:]))]
	if err != nil || !ok || v < 0 || v*unit > 1<<50 {
		return fmt.Errorf("line %d: %q is not a size such as 24 GiB", n.Line, n.Value)
	}
	*b = Bytes(v * unit)
	return nil
}

// Duration is a time such as 5us.
type Duration time.Duration

// UnmarshalYAML reads a time.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %q is not a time such as 5us", n.Line, n.Value)
	}
	*d = Duration(v)
	return nil
}
