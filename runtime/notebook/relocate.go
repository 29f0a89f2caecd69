package notebook

import "weft/lang/diag"

// piece is a part of the text of a program, and where it was entered: an offset in a text, which is negative where something was put before it.
type piece struct {
	from, to int
	in       *diag.Source // nil: nobody entered it
	at       int
}

// relocate makes what was found in the text of the program point into what was entered, a line of which somebody sees.
func (e *Entry) relocate() {
	move := func(s *diag.Span) {
		if s.Source != e.Source || s.IsZero() {
			return
		}
		for _, p := range e.pieces {
			if s.Start < p.from || s.Start > p.to || p.in == nil {
				continue
			}
			clip := func(offset int) int { return max(0, min(offset-p.from+p.at, len(p.in.Text))) }
			*s = diag.Span{Source: p.in, Start: clip(s.Start), End: clip(s.End)}
			return
		}
	}
	for _, d := range e.Found.Sorted() {
		move(&d.Span)
		for i := range d.Related {
			move(&d.Related[i].Span)
		}
	}
}
