package stream

import (
	"math"
	"time"
)

// delays counts how long frames took, by lengths of which each is 1 % above the one before: a stream goes on for days.
type delays struct {
	counts      [2100]int // from a microsecond to 20 minutes; what is beyond counts as the end
	all         int
	last, worst time.Duration
}

// finer is the ratio of neighbouring lengths.
const finer = 1.01

func (d *delays) add(took time.Duration) {
	i := int(math.Log(max(float64(took)/float64(time.Microsecond), 1)) / math.Log(finer))
	d.counts[min(i, len(d.counts)-1)]++
	d.all++
	d.last, d.worst = took, max(d.worst, took)
}

// within is how long that share of the frames took at most, or up to 1 % more.
func (d *delays) within(share float64) time.Duration {
	left := int(share * float64(d.all))
	for i, n := range d.counts {
		if left -= n; left < 0 {
			return min(time.Duration(float64(time.Microsecond)*math.Pow(finer, float64(i+1))), d.worst)
		}
	}
	return d.worst
}
