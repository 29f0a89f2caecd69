package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"weft/runtime/trace"
)

// Sizes of the timeline, in pixels.
const (
	timelineWidth = 1080
	laneHeight    = 22
	laneLabel     = 110
	axisHeight    = 24
	leastVisible  = 0.4 // spans of a lane closer than this are drawn as one
)

// palette tells the steps of a run apart.
var palette = []string{"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#edc948", "#76b7b2", "#e15759", "#9c755f", "#86bcb6", "#d37295"}

// drawTimeline draws what ran when: the steps of the run above, the tiles of each worker below.
func drawTimeline(spans []trace.Span, names map[int]string) string {
	if len(spans) == 0 {
		return ""
	}
	end := 0.0
	rows := lanesOf(spans)
	colours := map[string]string{}
	for _, s := range spans {
		end = max(end, s.Start+s.Seconds)
		if _, ok := colours[s.Name]; !ok && s.Category != "tile" {
			colours[s.Name] = palette[len(colours)%len(palette)]
		}
	}
	begin := slices.MinFunc(spans, func(a, b trace.Span) int { return int(math.Copysign(1, a.Start-b.Start)) }).Start
	scale := (timelineWidth - laneLabel - 10) / max(end-begin, 1e-9)
	at := func(t float64) float64 { return laneLabel + (t-begin)*scale }
	height := axisHeight + len(rows)*laneHeight + 6
	var d svg
	d.add(`<svg viewBox="0 0 %d %d" width="100%%" role="img" aria-label="timeline">`, timelineWidth, height)
	step := tickStep(end - begin)
	for t := 0.0; t <= end-begin; t += step {
		d.add(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>`, at(begin+t), at(begin+t), axisHeight-4, height)
		d.add(`<text x="%.1f" y="%d" class="small" text-anchor="middle">%s</text>`, at(begin+t), axisHeight-9, text(seconds(t)))
	}
	for _, lane := range slices.Sorted(maps.Keys(rows)) {
		name := cmp.Or(names[lane], fmt.Sprintf("worker %d", lane))
		if lane == 0 {
			name = "steps"
		}
		d.add(`<text x="4" y="%d" class="small">%s</text>`, axisHeight+rows[lane]*laneHeight+15, text(name))
	}
	for _, s := range merged(spans, scale) {
		what := s.Category + " " + s.Name
		colour, ok := colours[s.Name]
		if !ok {
			colour = "#bbb"
		}
		opacity := 1.0
		if s.Category == "verify" || s.Category == "compile" {
			opacity = 0.45
		}
		width := max(0.8, s.Seconds*scale)
		d.add(`<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s" fill-opacity="%.2f"><title>%s: %s</title></rect>`,
			at(s.Start), axisHeight+rows[s.Lane]*laneHeight+2, width, laneHeight-4, colour, opacity, text(what), text(seconds(s.Seconds)))
		if n := int(width / 6.5); s.Lane == 0 && n >= 4 {
			d.add(`<text x="%.2f" y="%d" class="bar">%s</text>`, at(s.Start)+4, axisHeight+rows[s.Lane]*laneHeight+15, text(clip(what, n-1)))
		}
	}
	d.WriteString(`</svg>`)
	return d.String()
}

// lanesOf gives each lane that has a span a row, in order.
func lanesOf(spans []trace.Span) map[int]int {
	used := map[int]bool{0: true}
	for _, s := range spans {
		used[s.Lane] = true
	}
	rows := map[int]int{}
	for i, lane := range slices.Sorted(maps.Keys(used)) {
		rows[lane] = i
	}
	return rows
}

// merged joins neighbours of one name in a lane that the eye cannot tell apart, so that a run of many tiles stays a small page.
func merged(spans []trace.Span, scale float64) []trace.Span {
	all := slices.Clone(spans)
	slices.SortStableFunc(all, func(a, b trace.Span) int {
		if a.Lane != b.Lane {
			return a.Lane - b.Lane
		}
		return int(math.Copysign(1, a.Start-b.Start))
	})
	var out []trace.Span
	for _, s := range all {
		if n := len(out) - 1; n >= 0 {
			last := &out[n]
			gap := (s.Start - last.Start - last.Seconds) * scale
			if last.Lane == s.Lane && last.Name == s.Name && last.Category == s.Category && gap < leastVisible && s.Seconds*scale < 2 {
				last.Seconds = max(last.Seconds, s.Start+s.Seconds-last.Start)
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// tickStep is 1, 2 or 5 times a power of ten that divides a length into about eight parts.
func tickStep(length float64) float64 {
	raw := length / 8
	power := math.Pow(10, math.Floor(math.Log10(max(raw, 1e-9))))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= raw {
			return f * power
		}
	}
	return 10 * power
}
