package bound

import (
	"slices"

	"weft/planner/graph"
)

// TileShapes are divisions of the kernel worth measuring, the one in use first: coarser, finer, and with inner axes cut before
// outer ones. None where the user asked for the tiles.
func (k *Kernel) TileShapes(threads int) [][]int {
	if graph.AskedTile(k.Roots) != nil || len(k.Axes) == 0 {
		return nil
	}
	shapes := [][]int{k.TileSize()}
	add := func(size []int) {
		if !slices.ContainsFunc(shapes, func(s []int) bool { return slices.Equal(s, size) }) {
			shapes = append(shapes, size)
		}
	}
	axes, step := axesOf(k.IR), k.Program.Step()
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
	var step []int
	if k.Program != nil {
		step = k.Program.Step()
	}
	k.TileSet = cover(k.Axes, size, step)
	k.Tiles = len(k.TileSet)
	k.Predict()
}

// retune takes the tiles that were measured fastest, where they were and still fit.
func (k *Kernel) retune() {
	if k.Costs.Model == nil || graph.AskedTile(k.Roots) != nil {
		return
	}
	if size := k.Costs.Model.Tiles(k.Hash, k.Kind); len(size) == len(k.IR.Axes) && len(size) > 0 {
		k.Retile(slices.Clone(size))
		k.TilesTuned = true
	}
}

// TileSize is the extent of a tile along each axis.
func (k *Kernel) TileSize() []int {
	size := make([]int, len(k.Axes))
	for i, a := range k.Axes {
		size[i] = a.Tile
	}
	return size
}
