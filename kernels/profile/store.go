package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"

	"weft/kernels/cache"
)

// fileName of the profile in the cache folder; one for each kind of fingerprint would only collect stale ones.
const fileName = "profile.yaml"

// A profile is measured again when it is older than this; a provisional one when the machine may be idle again.
const (
	maxAge         = 30 * 24 * time.Hour
	retryAfter     = 10 * time.Minute
	driftLow       = 0.67 // measured over predicted
	driftHigh      = 1.5
	driftRuns      = 5
	driftSmoothing = 0.3
)

// Store keeps the profile of a machine in a folder that several processes may share.
type Store struct{ Dir string }

// Path of the profile.
func (s Store) Path() string { return filepath.Join(s.Dir, fileName) }

// Load reads the profile. Where there is none that holds for the fingerprint, p is nil and why says so: a file that cannot be
// read or does not parse is a reason to measure again, not an error.
func (s Store) Load(now Fingerprint) (p *Profile, why string) {
	text, err := cache.Read(s.Path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "never measured"
	case err != nil:
		return nil, err.Error()
	}
	p = new(Profile)
	if err := yaml.Unmarshal(text, p); err != nil {
		return nil, "the file is damaged: " + err.Error()
	}
	if err := p.Check(); err != nil {
		return nil, err.Error()
	}
	if p.Fingerprint != now {
		return nil, changed(p.Fingerprint, now)
	}
	if age := time.Since(p.Created); age > maxAge || age < -time.Hour {
		return nil, fmt.Sprintf("measured %s ago", age.Round(time.Hour))
	}
	return p, ""
}

// changed names what is not as it was.
func changed(was, is Fingerprint) string {
	for _, f := range []struct{ name, was, is string }{
		{"processor", was.CPU + was.Flags, is.CPU + is.Flags},
		{"number of cores", fmt.Sprint(was.Cores), fmt.Sprint(is.Cores)},
		{"memory", fmt.Sprint(was.RAM), fmt.Sprint(is.RAM)},
		{"operating system", was.System, is.System},
	} {
		if f.was != f.is {
			return "the " + f.name + " is another one"
		}
	}
	return "the compiler or its target is another one"
}

// Stale says why a profile that holds should be measured again all the same, or nothing.
func (p *Profile) Stale(d Drift) string {
	switch {
	case p.Default:
		return "never measured"
	case p.Provisional && time.Since(p.Created) > retryAfter:
		return "measured while the machine was busy"
	case d.Runs >= driftRuns && d.Since.After(p.Created):
		return fmt.Sprintf("the last %d runs took %.2f times what it predicts", d.Runs, d.Ratio)
	}
	return ""
}

// Save writes the profile, whole or not at all.
func (s Store) Save(p *Profile) error {
	text, err := yaml.Marshal(p)
	if err != nil {
		return err
	}
	return cache.Write(s.Path(), text)
}

// Drift follows how far runs are from what the profile predicts.
type Drift struct {
	Ratio float64   `json:"ratio"` // of measured to predicted time, smoothed
	Runs  int       `json:"runs"`  // how many in a row were out of bounds
	Since time.Time `json:"since"` // the first of these
}

// Add takes in a run.
func (d Drift) Add(ratio float64, at time.Time) Drift {
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		return d
	}
	if d.Ratio == 0 {
		d.Ratio = 1
	}
	d.Ratio = math.Exp((1-driftSmoothing)*math.Log(d.Ratio) + driftSmoothing*math.Log(ratio))
	if d.Ratio >= driftLow && d.Ratio <= driftHigh {
		d.Runs = 0
		return d
	}
	if d.Runs == 0 {
		d.Since = at
	}
	d.Runs++
	return d
}
