package cost

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/kernels/cache"
	"weft/kernels/profile"
)

// What is learned: the logarithm of measured over predicted time, of each kernel and, as a first guess for others, of its
// kind.
const (
	historyFile  = "learned.json"
	mostKernels  = 4000 // entries kept, the last used
	smoothing    = 0.3  // weight of a new observation once there are a few
	sooner       = 0.7  // that of one that took less than is known, of work beside kernels and of kernels little known: other programs, and memory that is new, only ever lengthen it
	farthest     = 16.0 // factors are kept within this and its inverse
	leastSeconds = 20e-6
	trusted      = 3 // observations after which a kernel that is far off counts as drift
)

// Observation is a kernel that ran: what the model alone predicted, and what it took, in seconds.
type Observation struct {
	Hash      string
	Kind      string // of the device; empty: the model's
	Ops       []string
	Bound     string  // what limits it
	Predicted float64 // without what was learned
	Measured  float64
	// Beside says that it is no kernel but what Kind says, done beside them, of the kind in Bound, in a run of the plan whose hash it is. How fast
	// the machine computes does not show in it.
	Beside bool
}

// entry is what is known of a kernel or a kind of them.
type entry struct {
	N    int     `json:"n"`
	Log2 float64 `json:"log2"` // of measured over predicted
	Used int64   `json:"used"` // day, counted from 1970
}

// take in an observation: a mean at first, then a smoothed value.
func (e entry) add(log2 float64, day int64) entry { return e.toward(log2, smoothing, day) }

func (e entry) toward(log2, weight float64, day int64) entry {
	return entry{e.N + 1, e.Log2 + max(weight, 1/float64(e.N+1))*(log2-e.Log2), day}
}

// History is what runs on this machine taught.
type History struct {
	mu   sync.Mutex
	dir  string
	data historyData
}

type historyData struct {
	Model   string             `json:"model"`   // version of the model that the factors correct
	Profile string             `json:"profile"` // digest of the fingerprint it was learned on
	Made    time.Time          `json:"made"`    // of the profile the factors multiply
	Drift   profile.Drift      `json:"drift"`
	Kernels map[string]entry   `json:"kernels"`
	Ops     map[string]entry   `json:"ops"`
	Tiles   map[string][]int   `json:"tiles,omitempty"`  // sizes measured fastest
	Counts  map[string]float64 `json:"counts,omitempty"` // of what is counted when it runs, the share of the most there can be that there was, by what counts it
}

// OpenHistory reads what was learned with a profile. A file that is missing, damaged, of another machine or of another model is an empty history.
func OpenHistory(dir string, p *profile.Profile) *History {
	h := &History{dir: dir}
	h.data = readHistory(dir, p)
	return h
}

func readHistory(dir string, p *profile.Profile) historyData {
	empty := historyData{Model: version(), Profile: digest(p.Fingerprint), Made: p.Created,
		Kernels: map[string]entry{}, Ops: map[string]entry{}}
	text, err := os.ReadFile(filepath.Join(dir, historyFile))
	if err != nil {
		return empty
	}
	var d historyData
	if json.Unmarshal(text, &d) != nil || d.Model != empty.Model || d.Profile != empty.Profile || d.Kernels == nil || d.Ops == nil {
		return empty
	}
	if !d.Made.Equal(p.Created) { // factors of other rates say nothing
		return empty
	}
	return d
}

// Drift is how far runs are from what the profile and the factors say.
func (h *History) Drift() profile.Drift {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.data.Drift
}

// own is what is known of a kernel, or of something that a plan does, itself.
func (h *History) own(key string) (entry, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, ok := h.data.Kernels[key]
	return e, ok
}

// factor is what a prediction is multiplied by, and where that comes from.
func (h *History) factor(key, kin string) (float64, string) {
	if e, ok := h.own(key); ok {
		return bounded(e.Log2), fmt.Sprintf("learned from %d runs of it", e.N)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.data.Ops[kin]
	if e.N == 0 {
		return 1, "model"
	}
	n := float64(min(e.N, 10)) // few observations count in part
	return bounded(e.Log2 * n / (n + 1)), "learned from other kernels of its kind"
}

// kin is what kernels that are off in the same way have in common: their operators, what limits them, and the device where that
// is not the model's.
func (m *Model) kin(ops []string, bound, kind string) string {
	k := strings.Join(ops, "+") + "/" + bound
	if kind != "" && kind != m.Kind {
		k += "@" + kind
	}
	return k
}

func bounded(log2 float64) float64 { return min(farthest, max(1/farthest, math.Exp2(log2))) }

// Learn takes in the kernels of a run and saves what was learned, together with what other processes learned meanwhile.
// Kernels too short to time teach nothing.
func (m *Model) Learn(seen []Observation) error {
	return m.update(func(d *historyData) { m.learn(d, seen) })
}

func (m *Model) learn(d *historyData, seen []Observation) {
	day := time.Now().Unix() / 86400
	off, weight := 0.0, 0.0 // of kernels known well
	for _, o := range seen {
		if o.Beside { // of which a short one is as good as none, which must be known too
			o.Measured = max(o.Measured, leastSeconds)
		}
		if o.Measured < leastSeconds || !(o.Predicted > 0) {
			continue
		}
		log2 := math.Log2(o.Measured / o.Predicted)
		key := m.key(o.Hash, o.Kind)
		e := d.Kernels[key]
		if o.Beside {
			weight := smoothing
			if log2 < e.Log2 {
				weight = sooner
			}
			d.Kernels[key] = e.toward(log2, weight, day)
			kin := besideKin + "/" + o.Bound
			d.Ops[kin] = d.Ops[kin].add(log2, day)
			continue
		}
		if e.N >= trusted {
			w := math.Sqrt(o.Measured)
			off += w * (log2 - e.Log2)
			weight += w
			if math.Exp2(math.Abs(log2-e.Log2)) > 1.5 {
				continue // the machine is not itself, or has changed: Drift decides which
			}
		}
		if e.N > 0 && e.N < trusted && log2 < e.Log2 { // a first run takes memory that a virtual machine may have to be given first, at a hundredth of the rate
			d.Kernels[key] = e.toward(log2, sooner, day)
		} else {
			d.Kernels[key] = e.add(log2, day)
		}
		k := m.kin(o.Ops, o.Bound, o.Kind)
		d.Ops[k] = d.Ops[k].add(log2, day)
	}
	if weight > 0 {
		d.Drift = d.Drift.Add(math.Exp2(off/weight), time.Now().UTC())
	}
}

// Tiles are the sizes of tiles that were measured fastest for a kernel with as many threads; nil: none were measured.
func (m *Model) Tiles(hash, kind string) []int {
	h := m.History
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.data.Tiles[m.tileKey(hash, kind)]
}

func (m *Model) tileKey(hash, kind string) string {
	return fmt.Sprintf("%s/%d", m.key(hash, kind), m.Threads)
}

// RememberTiles keeps the sizes that were measured fastest, for as long as the profile holds.
func (m *Model) RememberTiles(hash, kind string, size []int) error {
	return m.update(func(d *historyData) {
		if d.Tiles == nil || len(d.Tiles) > mostKernels {
			d.Tiles = map[string][]int{}
		}
		d.Tiles[m.tileKey(hash, kind)] = size
	})
}

// Counted is the share of the most there can be of what is counted when it runs that there was in the last run.
func (m *Model) Counted(identity string) (share float64, ok bool) {
	h := m.History
	if h == nil {
		return 0, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	share, ok = h.data.Counts[identity]
	return share, ok
}

// RememberCounts keeps how much there was of what is counted.
func (m *Model) RememberCounts(counts map[string]float64) error {
	return m.update(func(d *historyData) {
		if d.Counts == nil || len(d.Counts) > mostKernels {
			d.Counts = map[string]float64{}
		}
		maps.Copy(d.Counts, counts)
	})
}

// update changes what is known, together with what other processes learned meanwhile, and saves it.
func (m *Model) update(change func(*historyData)) error {
	h := m.History
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	defer profile.Lock(h.dir)()
	h.data = readHistory(h.dir, m.Profile)
	change(&h.data)
	h.trim()
	text, err := json.Marshal(h.data)
	if err != nil {
		return err
	}
	return cache.Write(filepath.Join(h.dir, historyFile), text)
}

// trim forgets the kernels that were not used for longest.
func (h *History) trim() {
	if len(h.data.Kernels) <= mostKernels {
		return
	}
	keys := slices.SortedFunc(maps.Keys(h.data.Kernels), func(a, b string) int {
		return cmp.Or(cmp.Compare(h.data.Kernels[b].Used, h.data.Kernels[a].Used), cmp.Compare(a, b))
	})
	for _, k := range keys[mostKernels:] {
		delete(h.data.Kernels, k)
	}
}

func digest(f profile.Fingerprint) string { return fmt.Sprintf("%+v", f) }
