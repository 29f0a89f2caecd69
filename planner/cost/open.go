package cost

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"gopkg.in/yaml.v3"

	"weft/kernels/device"
	"weft/kernels/profile"
)

// Pinned is the value of WEFT_PROFILE for which predictions are made from built-in rates, the same on every machine, and nothing
// is learned. Any other value names a profile to plan with.
const Pinned = "default"

// Open gives the model of a device. The profile comes from dir, the cache folder, where one holds; otherwise from built-in rates, and
// why says what is wrong with the cached one. Nothing is measured.
func Open(dev device.Info, threads int, dir string) (m *Model, why string, err error) {
	m = &Model{Kind: dev.Kind, Rules: dev.Rules, Threads: threads, Profile: profile.Default(runtime.GOMAXPROCS(0))}
	switch named := os.Getenv("WEFT_PROFILE"); named {
	case Pinned:
		return m, "", nil
	case "":
	default:
		m.Profile, err = readProfile(named)
		return m, "", err
	}
	if dir == "" {
		return m, "there is no cache folder", nil // a machine without a home still runs
	}
	store := profile.Store{Dir: dir}
	p, why := store.Load(profile.FingerprintOf(dev))
	if p == nil {
		return m, why, nil
	}
	m.Profile, m.History = p, OpenHistory(dir, p)
	return m, p.Stale(m.History.Drift()), nil
}

func readProfile(path string) (*profile.Profile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("WEFT_PROFILE: %w", err)
	}
	p := new(profile.Profile)
	if err := yaml.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("WEFT_PROFILE: %s is no profile: %w", path, err)
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("WEFT_PROFILE: %s: %w", path, err)
	}
	return p, nil
}

// Measure measures the device and keeps the profile. Processes that measure at the same time wait for each other, since they
// would measure each other, and the later ones take what the first one found unless again is set.
func Measure(ctx context.Context, dev device.Device, lanes int, again bool, dir string) (*profile.Profile, error) {
	defer profile.Lock(dir)()
	store := profile.Store{Dir: dir}
	if !again {
		if p, _ := store.Load(profile.FingerprintOf(dev.Info())); p != nil && p.Stale(OpenHistory(dir, p).Drift()) == "" {
			return p, nil
		}
	}
	p, err := profile.Measure(ctx, dev, lanes, dir)
	if err != nil {
		return nil, err
	}
	return p, store.Save(p)
}
