package search

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"weft/kernels/cache"
	"weft/ops/files/fileio"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
)

// key identifies a search: what is computed, on what, and what it is held to.
func (f *finder) key() string {
	h := sha256.New()
	fmt.Fprintln(h, f.base.Weft, f.base.Identity(), f.opt.Device.Info(), f.opt.Seed, safety, noise)
	for _, o := range f.outputs {
		fmt.Fprintln(h, graph.Key(f.base.Buffer(o.id).Array), o.rule)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// path is where what was found by a search of some kind is kept; empty without a folder.
func path(folder, kind, key string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, kind, key+".yaml")
}

// inputs tells the files that a plan reads from others.
func inputs(p *bound.Plan) string {
	var out []string
	for _, s := range p.Steps {
		if s.Kind != plan.ReadStep {
			continue
		}
		file := s.Op.File()
		if bytes, changed, err := fileio.Stamp(file); file != "" && err == nil {
			out = append(out, fmt.Sprintf("%s %d %d", file, bytes, changed))
		}
	}
	return strings.Join(out, "; ")
}

// recall reads what an earlier search found; a file that does not read counts as absent.
func recall[T any](from string) (*T, bool) {
	if from == "" {
		return nil, false
	}
	text, err := cache.Read(from)
	if err != nil {
		return nil, false
	}
	s := new(T)
	return s, yaml.Unmarshal(text, s) == nil
}

// remember keeps what was found, for other processes too: the file appears as a whole.
func remember(to string, s any) error {
	if to == "" {
		return nil
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("cannot keep what was measured: %w", err)
	}
	if err := cache.Write(to, text); err != nil {
		return fmt.Errorf("cannot keep what was measured: %w", err)
	}
	return nil
}
