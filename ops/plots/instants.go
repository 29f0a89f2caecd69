package plots

import (
	"time"

	"gonum.org/v1/plot"

	"weft/ops"
	"weft/ops/files/units"
)

// instants marks round times of day, days, months or years, in UTC.
type instants struct{ most int }

// paces between marks: a time of the clock, or months.
var paces = []struct {
	every  time.Duration
	months int
	label  string // as package time writes it
}{
	{every: time.Second, label: clock + ":05"}, {every: 2 * time.Second, label: clock + ":05"}, {every: 5 * time.Second, label: clock + ":05"},
	{every: 10 * time.Second, label: clock + ":05"}, {every: 30 * time.Second, label: clock + ":05"},
	{every: time.Minute, label: clock}, {every: 2 * time.Minute, label: clock}, {every: 5 * time.Minute, label: clock}, {every: 10 * time.Minute, label: clock},
	{every: 30 * time.Minute, label: clock}, {every: time.Hour, label: clock}, {every: 2 * time.Hour, label: clock}, {every: 3 * time.Hour, label: clock},
	{every: 6 * time.Hour, label: clock}, {every: 12 * time.Hour, label: clock},
	{every: day, label: date}, {every: 2 * day, label: date}, {every: 5 * day, label: date}, {every: 10 * day, label: date},
	{months: 1, label: "Jan 2006"}, {months: 2, label: "Jan 2006"}, {months: 3, label: "Jan 2006"}, {months: 6, label: "Jan 2006"},
	{months: 12, label: "2006"}, {months: 24, label: "2006"}, {months: 60, label: "2006"}, {months: 120, label: "2006"}, {months: 600, label: "2006"},
}

const (
	day   = 24 * time.Hour
	clock = "15:04"
	date  = "2 Jan"
)

// Ticks implements plot.Ticker: a time of the clock at midnight is the day that begins.
func (m instants) Ticks(lo, hi float64) (out []plot.Tick) {
	from, to := units.Time(lo), units.Time(hi)
	for _, p := range paces {
		out = out[:0]
		first := from.Truncate(p.every) // of the clock: days begin at multiples of a day in UTC
		if p.months > 0 {
			first = time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
			first = first.AddDate(-first.Year()%max(p.months/12, 1), 0, 0)
		}
		for at := first; !at.After(to) && len(out) <= m.most; at = at.Add(p.every).AddDate(0, p.months, 0) {
			label := p.label
			if p.every < day && p.months == 0 && at.Equal(at.Truncate(day)) {
				label = date
			}
			if !at.Before(from) {
				out = append(out, plot.Tick{Value: float64(at.UnixMicro()) / 1e6, Label: at.Format(label)})
			}
		}
		if len(out) <= m.most {
			return out
		}
	}
	return out
}

// whenHeading names an axis of instants by what its ends have in common.
func whenHeading(d ops.Dim) string {
	from, to := units.Time(d.Coords[0]), units.Time(d.Coords[len(d.Coords)-1])
	for _, common := range []string{"2006-01-02", "January 2006", "2006"} {
		if from.Format(common) == to.Format(common) {
			return d.Name + ", " + from.Format(common) + " (UTC)"
		}
	}
	return d.Name + " (UTC)"
}
