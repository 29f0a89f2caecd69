package bound

import (
	"cmp"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/planner/graph"
	"weft/planner/plan"
)

// Tiles are cut so that every thread gets several (the last ones even out), but none is so short that starting it shows,
// nor so long that a run which is stopped between two tiles seems to hang, nor so many that
// a list of them is long: predictions of what is counted when it runs go by the most there can be.
const (
	tilesPerThread = 16
	shortestTile   = 100e-6 // seconds
	evenTile       = 25e-6  // of few tiles, where longer ones leave threads idle
	fewTiles       = 4      // for each thread: of more, threads wait for a small part of one
	idleShare      = 0.05   // of the time of threads, which tiles may leave idle
	longestTile    = 0.25   // seconds
	shortestPart   = 64     // points of an axis that a granularity is halved to: more than one vector in flight
	evenPart       = 16     // of which it then has a multiple
)

// cut divides axes into tiles. step (nil: ones) is the granularity the compiled kernel likes; seconds is the predicted time of
// the whole. Outer axes are cut first, so that inner loops stay long and what they share is computed once. Extents that were
// asked for with @tile stand, and nothing else is then cut.
func cut(axes []plan.Axis, asked map[string]int, step []int, seconds float64, threads int) (size []int) {
	size = make([]int, len(axes))
	for i, a := range axes {
		size[i] = a.Extent
		if n := asked[a.Name]; n > 0 {
			size[i] = min(n, a.Extent)
		}
	}
	if asked != nil {
		return size
	}
	want := max(min(tilesPerThread*max(1, threads), int(seconds/shortestTile)), int(min(seconds/longestTile, mostTiles/16)))
	if want > 0 { // as many for each thread, which takes so long if all work
		want = (want + threads - 1) / max(1, threads) * max(1, threads)
	}
	likes := step
	step = finer(axes, step, min(want, 2*threads))
	size = parts(axes, step, want)
	waits := idle(cover(axes, size, step), threads)
	for most := min(int(seconds/evenTile), fewTiles*threads); want > 1 && 2*want <= most && waits > idleShare; {
		want *= 2
		finer := parts(axes, step, want)
		if less := idle(cover(axes, finer, step), threads); less < waits-idleShare {
			size, waits = finer, less
		}
	}
	if waits = idle(cover(axes, size, likes), threads); waits > idleShare { // since there are few steps
		if same := alike(axes, size, step); idle(cover(axes, same, likes), threads) < waits-idleShare {
			size = same
		}
	}
	return size
}

// alike are tiles of about the same size, as many as there are, where steps are so long that what is left shows.
func alike(axes []plan.Axis, size, step []int) []int {
	size = slices.Clone(size)
	for i, s := range step {
		if n := max(1, axes[i].Extent/max(1, size[i])); s >= shortestPart && n > 1 {
			size[i] = ((axes[i].Extent+n-1)/n + evenPart - 1) / evenPart * evenPart
		}
	}
	return size
}

// parts cuts axes into so many tiles, or a few more.
func parts(axes []plan.Axis, step []int, want int) []int {
	size := make([]int, len(axes))
	have := 1
	for i, a := range axes {
		if size[i] = a.Extent; have >= want {
			continue
		}
		s := 1
		if step != nil {
			s = max(1, step[i])
		}
		blocks := max(1, size[i]/s) // what is left goes to the last one
		parts := min(blocks, (want+have-1)/have)
		per := (blocks + parts - 1) / parts
		size[i] = min(size[i], per*s)
		have *= (axes[i].Extent + size[i] - 1) / size[i]
	}
	return size
}

// idle is the share of the time of all threads in which some wait for the others, if each takes the next of the largest tiles when it is done.
func idle(tiles []region.Region, threads int) float64 {
	slices.SortStableFunc(tiles, func(a, b region.Region) int { return cmp.Compare(b.Points(), a.Points()) })
	busy, sum := make([]int64, max(1, threads)), int64(0)
	for _, t := range tiles {
		i := slices.Index(busy, slices.Min(busy))
		busy[i] += t.Points()
		sum += t.Points()
	}
	return 1 - float64(sum)/float64(max(1, int64(len(busy))*slices.Max(busy)))
}

// finer makes a granularity finer, half by half along the axis where it is coarsest, until there are as many tiles as wanted or its
// parts are short.
func finer(axes []plan.Axis, step []int, want int) []int {
	step = slices.Clone(step)
	tiles, parts := 1, make([]int, len(step))
	for i, s := range step {
		parts[i] = max(1, axes[i].Extent/max(1, s))
		tiles *= parts[i]
	}
	for ; tiles < want; tiles *= 2 {
		i, longest := -1, 0
		for x := range step { // where a step is longer than the axis, that is how long it is
			if n := min(step[x], axes[x].Extent); n > longest {
				i, longest = x, n
			}
		}
		if longest < 2*shortestPart {
			break
		}
		parts[i] *= 2
		step[i] = ((axes[i].Extent+parts[i]-1)/parts[i] + evenPart - 1) / evenPart * evenPart
	}
	return step
}

// cover lists the tiles of the given size, in order. What would be left of an axis for a tile shorter than a step, for which
// compiled kernels have slower code, goes to the tile before.
func cover(axes []plan.Axis, size, step []int) []region.Region {
	tiles := []region.Region{{}}
	for i, a := range axes {
		least := 1
		if step != nil && step[i] <= size[i] {
			least = step[i]
		}
		var next []region.Region
		for _, t := range tiles {
			for r := (region.Interval{}); r.Lo < a.Extent; r.Lo = r.Hi {
				r.Hi = min(r.Lo+size[i], a.Extent)
				if a.Extent-r.Hi < least {
					r.Hi = a.Extent
				}
				next = append(next, append(append(region.Region{}, t...), r))
			}
		}
		tiles = next
	}
	return tiles
}

// axesOf are a kernel's axes, not yet cut.
func axesOf(k *ir.Kernel) []plan.Axis {
	axes := make([]plan.Axis, len(k.Axes))
	for i, a := range k.Axes {
		axes[i] = plan.Axis{Name: a.Name, Extent: a.Extent}
	}
	return axes
}

// Over is the part of the kernel's domain between two indices of its first axis.
func (k *Kernel) Over(rows region.Interval) region.Region {
	all := k.IR.Domain()
	if len(all) == 0 {
		return all
	}
	return all.Along(0, rows)
}

// TilesOf cuts a part of the kernel's domain into tiles.
func (k *Kernel) TilesOf(over region.Region, threads int) []region.Region {
	axes := axesOf(k.IR)
	for i, along := range over {
		axes[i].Extent = along.Len()
	}
	tiles := cover(axes, cut(axes, graph.AskedTile(k.Roots), k.Step, k.Seconds()*k.Share(over), threads), k.Step)
	for _, t := range tiles {
		for i, along := range over {
			t[i] = t[i].Shift(along.Lo)
		}
	}
	return tiles
}

// Tiled are the tiles of a part of the kernel's domain: of all of it, those that the plan has.
func (k *Kernel) Tiled(over region.Region, threads int) []region.Region {
	if over.Equal(k.IR.Domain()) {
		return k.TileSet
	}
	return k.TilesOf(over, threads)
}

// ByRows reports whether the kernel runs over a few indices of its first axis as well as over all of them: no loop is around that axis, no lanes lie along it,
// and nothing is packed or goes by parts for many points.
func (k *Kernel) ByRows() bool {
	l := k.layout
	return l != nil && !k.Asked() && !l.Parts && len(l.Packed) == 0 && !slices.Contains(l.Lanes, 0) && (len(l.Order) == 0 || l.Order[0] == 0)
}

// ForMany reports whether what the kernel reads is laid out for many indices of its first axis, along which lanes lie: of few, that takes most of the time.
func (k *Kernel) ForMany() bool {
	return k.layout == nil || len(k.layout.Packed) > 0 && slices.Contains(k.layout.Lanes, 0)
}

// Block is how many points an axis the kernel's code likes to have at least, nil where that is not known, and whether it lays what it reads out anew wherever
// it is launched.
func (k *Kernel) Block() (step []int, packed bool) {
	if k.layout == nil {
		return nil, false
	}
	return k.layout.Step, len(k.layout.Packed) > 0
}

// Shares cuts some indices of the kernel's first axis into as many tiles as there are threads, or fewer where that likes no less.
func (k *Kernel) Shares(rows region.Interval, threads int) (out []region.Region) {
	step := 1
	if len(k.Step) > 0 {
		step = max(1, k.Step[0])
	}
	each := max(1, (rows.Len()+threads*step-1)/(threads*step)) * step
	for lo := rows.Lo; lo < rows.Hi; {
		hi := min(lo+each, rows.Hi)
		if rows.Hi-hi < step {
			hi = rows.Hi
		}
		out = append(out, k.Over(region.Interval{Lo: lo, Hi: hi}))
		lo = hi
	}
	return out
}

// Elements are those, as references count them, that a region of the kernel's axes makes. Of axes that are none of an array's, all is made.
func (k *Kernel) Elements(over region.Region) region.Region {
	if k.IR.Pointwise() {
		return over
	}
	all := k.Roots[0].Type.Whole()
	switch {
	case k.IR.Each() > 0:
		each := k.IR.Each()
		all[0] = region.Interval{Lo: over[0].Lo * each, Hi: min(over[0].Hi*each, all[0].Hi)}
	case k.IR.Columnwise():
		copy(all[1:], over)
	}
	return all
}

// Share is how much of the kernel a part of its domain is.
func (k *Kernel) Share(over region.Region) float64 {
	return float64(over.Points()) / float64(max(1, k.IR.Points()))
}

// Asked reports whether the user fixed the tiles of a kernel with @tile.
func (k *Kernel) Asked() bool { return graph.AskedTile(k.Roots) != nil }

// TileShapes are divisions of the kernel worth measuring, the one in use first: coarser, finer, and with inner axes cut before
// outer ones. None where the user asked for the tiles.
func (k *Kernel) TileShapes(threads int) [][]int {
	if k.Asked() || len(k.Axes) == 0 {
		return nil
	}
	shapes := [][]int{k.TileSize()}
	add := func(size []int) {
		if !slices.ContainsFunc(shapes, func(s []int) bool { return slices.Equal(s, size) }) {
			shapes = append(shapes, size)
		}
	}
	axes, step := axesOf(k.IR), k.Step
	for _, times := range []float64{0.25, 4} {
		add(cut(axes, nil, step, k.Seconds()*times, max(1, int(float64(threads)*times))))
	}
	slices.Reverse(axes)
	step = slices.Clone(step)
	slices.Reverse(step)
	inner := cut(axes, nil, step, k.Seconds(), threads)
	slices.Reverse(inner)
	add(inner)
	return shapes
}

// Retile cuts the kernel into tiles of the given size.
func (k *Kernel) Retile(size []int) {
	k.Axes = axesOf(k.IR)
	for i := range k.Axes {
		k.Axes[i].Tile = min(max(1, size[i]), max(1, k.Axes[i].Extent))
		size[i] = k.Axes[i].Tile
	}
	k.TileSet = cover(k.Axes, size, k.Step)
	k.Tiles = len(k.TileSet)
	k.Predict()
}

// TileSize is the extent of a tile along each axis.
func (k *Kernel) TileSize() []int {
	size := make([]int, len(k.Axes))
	for i, a := range k.Axes {
		size[i] = a.Tile
	}
	return size
}
