package planner

import (
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
)

// Tiles are cut so that every thread gets several (the last ones even out), but none is so short that starting it shows,
// nor so long that a run which is stopped between two tiles seems to hang.
const (
	tilesPerThread = 16
	shortestTile   = 200e-6 // seconds
	longestTile    = 0.25   // seconds
)

// cut divides a kernel's axes into tiles. step (nil: ones) is the granularity the compiled kernel likes; seconds is the
// predicted time of the whole. Outer axes are cut first, so that inner loops stay long and what they share is computed once.
// Extents that were asked for with @tile stand, and nothing else is then cut.
func cut(k *ir.Kernel, asked map[string]int, step []int, seconds float64, threads int) (size []int, tiles []device.Tile) {
	size = make([]int, len(k.Axes))
	for i, a := range k.Axes {
		size[i] = a.Extent
		if n := asked[a.Name]; n > 0 {
			size[i] = min(n, a.Extent)
		}
	}
	if asked != nil {
		return size, cover(k, size)
	}
	want := max(min(tilesPerThread*max(1, threads), int(seconds/shortestTile)), int(seconds/longestTile))
	have := 1
	for i := range size {
		if have >= want {
			break
		}
		s := 1
		if step != nil {
			s = max(1, step[i])
		}
		blocks := (size[i] + s - 1) / s
		parts := min(blocks, (want+have-1)/have)
		per := (blocks + parts - 1) / parts
		size[i] = min(size[i], per*s)
		have *= (k.Axes[i].Extent + size[i] - 1) / size[i]
	}
	return size, cover(k, size)
}

// cover lists the tiles of the given size, in order.
func cover(k *ir.Kernel, size []int) []device.Tile {
	tiles := []device.Tile{{}}
	for i, a := range k.Axes {
		var next []device.Tile
		for _, t := range tiles {
			for lo := 0; lo < a.Extent; lo += size[i] {
				next = append(next, append(append(device.Tile{}, t...), device.Range{Lo: lo, Hi: min(lo+size[i], a.Extent)}))
			}
		}
		tiles = next
	}
	return tiles
}

func (k *Kernel) setTiles(size []int, tiles []device.Tile) {
	k.Axes = k.Axes[:0]
	for i, a := range k.Ir.Axes {
		k.Axes = append(k.Axes, Axis{Name: a.Name, Extent: a.Extent, Tile: size[i]})
	}
	k.Tiles, k.TileSet = len(tiles), tiles
}

// askedTile is what @tile says of the stages a kernel stores; nil when it says nothing.
func askedTile(roots []*ops.Stage) map[string]int {
	var out map[string]int
	for _, r := range roots {
		for _, a := range r.Op.Notes {
			l, ok := a.Value.(ops.List)
			if a.Name != "tile" || !ok {
				continue
			}
			for _, v := range l {
				if p, ok := v.(ops.Pair); ok {
					if out == nil {
						out = map[string]int{}
					}
					n, _ := p.Value.(ops.Number)
					out[p.Name] = int(n.V)
				}
			}
		}
	}
	return out
}
