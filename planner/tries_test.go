package planner

import (
	"errors"
	"testing"

	"weft/planner/bound"
)

// What does not fit one way says what it takes at least: with less, it is not planned again, and with as much, it is.
func TestWaysThatNeedMoreAreNotPlannedAgain(t *testing.T) {
	tries, made, tight := newTries(), 0, errors.New("tight")
	plan := func(way string, memory int64, fits bool) error {
		_, err := tries.plan(Options{way: way, Memory: memory, beyond: &lack{given: map[string]int{"given": 1}[way]}}, func() (*bound.Plan, error) {
			if made++; fits {
				return &bound.Plan{}, nil
			}
			tries.need = 4 * memory
			return nil, tight
		})
		return err
	}
	for _, step := range []struct {
		way    string
		memory int64
		fits   bool
		made   int
	}{{"whole", 10, false, 1}, {"whole", 39, true, 1}, {"apart", 39, true, 2}, {"whole", 40, true, 3}, {"given", 10, false, 4}, {"given", 10, false, 5}} {
		tries.need = 0
		if err := plan(step.way, step.memory, step.fits); made != step.made || (err == nil) != (step.fits && made > 1) {
			t.Errorf("%s of %d bytes: %d plans, %v", step.way, step.memory, made, err)
		}
		if made == 1 && tries.need != 40 {
			t.Errorf("%s of %d bytes takes %d at least", step.way, step.memory, tries.need)
		}
	}
}
