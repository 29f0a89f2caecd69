package fleet

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"weft/kernels/region"
)

// Many slots need overlapping rows at once: each row is copied once, also where a copy fails in between, and is there when bring returns.
func TestRowsAreBroughtOnce(t *testing.T) {
	const n = 200
	r := &replica{}
	var copied [n]atomic.Int32
	var fails atomic.Int32
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			rows := region.Region{{Lo: 3 * i, Hi: 3*i + 50}}
			for {
				err := r.bring(rows, func(part region.Region) error {
					if i%7 == 0 && fails.Add(1) < 5 {
						return errors.New("a copy fails")
					}
					for at := part[0].Lo; at < part[0].Hi; at++ {
						copied[at].Add(1)
					}
					return nil
				})
				if err == nil {
					break
				}
			}
			for at := rows[0].Lo; at < rows[0].Hi; at++ {
				if copied[at].Load() != 1 {
					t.Errorf("row %d was copied %d times", at, copied[at].Load())
				}
			}
		})
	}
	group.Wait()
	r.forget(region.Region{{Lo: 10, Hi: 20}})
	if missing := r.valid.Missing(region.Whole(197)); len(missing) != 1 || !missing[0].Equal(region.Region{{Lo: 10, Hi: 20}}) {
		t.Errorf("missing %v", missing)
	}
}
