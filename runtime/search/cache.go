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

func path(folder, key string) string { return filepath.Join(folder, "precision", key+".yaml") }

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
func recall(folder, key string) (*plan.Search, bool) {
	if folder == "" {
		return nil, false
	}
	text, err := cache.Read(path(folder, key))
	if err != nil {
		return nil, false
	}
	s := new(plan.Search)
	return s, yaml.Unmarshal(text, s) == nil
}

// remember keeps what was found, for other processes too: the file appears as a whole. What was not tried may be tried when
// predictions are better.
func remember(folder, key string, s *plan.Search) error {
	if folder == "" || s.Skipped != "" {
		return nil
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return err
	}
	to := path(folder, key)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("cannot keep the precision that was found: %w", err)
	}
	if err := cache.Write(to, text); err != nil {
		return fmt.Errorf("cannot keep the precision that was found: %w", err)
	}
	return nil
}
