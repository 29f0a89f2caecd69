package simulate

import (
	"math"

	"weft/ops"
)

// Sizes in metres. Places are measured from the north-west corner, x eastwards and y southwards.
const (
	ground  = 10.0 // lowest elevation
	block   = 70.0 // mean distance of streets
	jitter  = 14.0 // by which a street may lie off
	depth   = 13.0 // of houses
	lot     = 17.0 // length of a house along the street
	storey  = 3.2
	plot    = 8.0 // cells that hold one plant each
	tower   = 24.0
	nothing = 0
)

var (
	streetWidth = [2]float64{9, 22}
	houseFloors = [2]float64{2, 8}
	towerFloors = [2]float64{12, 28}
	treeHeight  = [2]float64{5, 17}
	bushHeight  = [2]float64{1.2, 3}
	crownRadius = [2]float64{1.8, 3.9} // below half a plot
)

// Streams of random numbers, one for each purpose.
const (
	streamStreet uint32 = iota
	streamUse
	streamHouse
	streamTower
	streamPlant
	streamHill
)

// town is a city that is computed where one looks.
type town struct {
	seed          uint32
	pixel, relief float64
	waves         []wave
	streets       [2][]street // along x and y, from number -1 on
}

// wave is one of the waves that the ground is made of.
type wave struct{ alongX, alongY, phase, length float64 }

// street is the place of the middle of a street along an axis, and its width.
type street struct{ middle, width float64 }

func newTown(c *ops.Call) *town {
	t := &town{seed: uint32(c.Number("seed")), pixel: c.Number("pixel"), relief: c.Number("relief")}
	for i, length := range [4]float64{1900, 830, 410, 270} {
		sin, cos := math.Sincos(2 * math.Pi * t.random(streamHill, i, 0, 0))
		turns := 2 * math.Pi / length
		t.waves = append(t.waves, wave{cos * turns, sin * turns, 2 * math.Pi * t.random(streamHill, i, 1, 0), length})
	}
	for axis, n := range [2]int{c.Int("x"), c.Int("y")} {
		for i := -1; i <= int(float64(n)*t.pixel/block)+2; i++ {
			u := t.random(streamStreet, axis, i, 0)
			t.streets[axis] = append(t.streets[axis], street{float64(i)*block + jitter*(2*u-1), between(streetWidth, t.random(streamStreet, axis, i, 1))})
		}
	}
	return t
}

// at is a layer at the middle of a pixel.
func (t *town) at(layer func(t *town, x, y float64) float64, row, column int) float64 {
	return layer(t, (float64(column)+0.5)*t.pixel, (float64(row)+0.5)*t.pixel)
}

// random is a number in (0, 1) that belongs to a stream and three integers.
func (t *town) random(stream uint32, i, j, k int) float64 {
	h := hash(t.seed + goldenRatio*(stream+1))
	for _, v := range [3]int{i, j, k} {
		h = hash(h + uint32(int32(v))*goldenRatio + 1)
	}
	return uniform(h)
}

func between(r [2]float64, u float64) float64 { return r[0] + (r[1]-r[0])*u }

// ground is the elevation of the ground: waves from several directions.
func (t *town) ground(x, y float64) float64 {
	var sum, all float64
	for _, w := range t.waves {
		sum += w.length * math.Sin(x*w.alongX+y*w.alongY+w.phase)
		all += w.length
	}
	return ground + t.relief*(sum/all+1)/2
}

// parcel is a block as one of its points sees it.
type parcel struct {
	i, j         int
	x, y         float64 // of the point from the block's corner
	width, depth float64 // of the block
}

// edge is the distance from the point to the nearest edge; negative on the street.
func (p parcel) edge() float64 { return min(p.x, p.y, p.width-p.x, p.depth-p.y) }

func (t *town) parcel(x, y float64) parcel {
	along := func(axis int, v float64) (i int, from, to float64) {
		s := t.streets[axis][1:] // so that i is the number, and -1 the one before
		i = int(math.Floor(v / block))
		if v < s[i].middle {
			i--
		} else if v >= s[i+1].middle {
			i++
		}
		before, after := t.streets[axis][i+1], s[i+1]
		return i, before.middle + before.width/2, after.middle - after.width/2
	}
	i, west, east := along(0, x)
	j, north, south := along(1, y)
	return parcel{i, j, x - west, y - north, east - west, south - north}
}

// use is what a block is for.
type use int

const (
	houses use = iota
	towers
	park
)

func (t *town) use(p parcel) use {
	switch u := t.random(streamUse, p.i, p.j, 0); {
	case u < 0.1:
		return park
	case u < 0.18:
		return towers
	}
	return houses
}

// building is the height of the building at a place above the ground, 0 if there is none.
func (t *town) building(x, y float64) float64 {
	p := t.parcel(x, y)
	edge := p.edge()
	if edge < 0 {
		return nothing
	}
	switch t.use(p) {
	case park:
		return nothing
	case towers:
		if max(math.Abs(p.x-p.width/2), math.Abs(p.y-p.depth/2)) > tower/2 {
			return nothing
		}
		return storey * math.Floor(between(towerFloors, t.random(streamTower, p.i, p.j, 0)))
	}
	if edge > depth {
		return nothing
	}
	// The houses of a side are numbered along it; the first and last of a side turn the corner.
	side, along := 0, p.x
	if min(p.x, p.width-p.x) < min(p.y, p.depth-p.y) {
		side, along = 1, p.y
	}
	if side == 0 && p.y > p.depth/2 || side == 1 && p.x > p.width/2 {
		side += 2
	}
	n := int(along / lot)
	if t.random(streamHouse, p.i*4+side, p.j, n) < 0.06 {
		return nothing // a gap
	}
	return storey * math.Floor(between(houseFloors, t.random(streamHouse, p.i*4+side, p.j, n+100)))
}

// plant is the vegetation at a place: elevations, NaN where there is none.
type plant struct{ canopy, trunk, bush float64 }

// density is the chance that a plot has a plant, by what is there.
func (t *town) density(p parcel) float64 {
	switch {
	case p.edge() < 0:
		return 0.22 // street
	case t.use(p) == park:
		return 0.6
	case t.use(p) == towers:
		return 0.15
	}
	return 0.4 // courtyard
}

func (t *town) plant(x, y float64) plant {
	none := plant{math.NaN(), math.NaN(), math.NaN()}
	if t.building(x, y) > 0 {
		return none
	}
	i, j := int(math.Floor(x/plot)), int(math.Floor(y/plot))
	radius := between(crownRadius, t.random(streamPlant, i, j, 0))
	place := func(n, k int) float64 {
		return float64(n)*plot + radius + (plot-2*radius)*t.random(streamPlant, i, j, k)
	}
	cx, cy := place(i, 1), place(j, 2)
	out := math.Hypot(x-cx, y-cy) / radius
	if out > 1 || t.building(cx, cy) > 0 || t.random(streamPlant, i, j, 3) > t.density(t.parcel(cx, cy)) {
		return none
	}
	foot, u := t.ground(x, y), t.random(streamPlant, i, j, 5)
	if t.random(streamPlant, i, j, 4) < 0.15 {
		top := foot + between(bushHeight, u)*(1-0.4*out*out)
		return plant{top, math.NaN(), top}
	}
	high := between(treeHeight, u)
	return plant{foot + high*(1-0.35*out*out), foot + high*(0.2+0.2*u), math.NaN()}
}
