package look

import "time"

// Seldom is what is done now and then, so that it takes no more than a part of the time.
type Seldom struct {
	last time.Time
	took time.Duration
}

// Due reports whether it is time for it again, once more has passed: not before least, nor as many times what it took.
func (s *Seldom) Due(more, least time.Duration, times int) bool {
	return time.Since(s.last)+more > max(least, time.Duration(times)*s.took)
}

// Did notes that it was done since start.
func (s *Seldom) Did(start time.Time) { s.last, s.took = time.Now(), time.Since(start) }
