package simulate

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

var cityMap = &ops.Spec{
	Name:  "simulate.city",
	Doc:   "Elevation of a city that does not exist: streets, courtyards, towers, parks and trees on hilly ground.",
	Group: group,
	Long: `Blocks of about 70 m between streets hold rows of houses around a courtyard, a tower on a square, or a park. Trees line streets and fill
parks and courtyards. The ground rolls between 10 m and 10 m + relief.

dsm is the elevation of ground and buildings, ground that of the ground alone. canopy and trunk are the elevations of the tops of trees and of the trunk zones below, NaN where
there is no tree; bush is that of what grows without trunk, and stands in canopy as well.

Every pixel is a function of seed and of its place alone: a larger city of the same seed and pixel begins with the same streets.`,
	Params: []ops.Param{
		ops.Count("y", "rows, from north to south"),
		ops.Count("x", "columns, from west to east"),
		ops.Num("seed", "", "chooses the city").Whole().Within(0, math.MaxUint32).Or(ops.Integer(1)),
		ops.Num("pixel", "m", "size of a pixel").Above0().Or(ops.Quantity(1, "m")),
		ops.Num("relief", "m", "height of the hills").AtLeast(0).Or(ops.Quantity(12, "m")),
	},
	Returns: "a record of f32 over y and x in metres, with coordinates: dsm, canopy, trunk, bush, ground.",
	Examples: []ops.Example{{Title: "a few blocks", Code: `city = simulate.city(y: 150, x: 200, seed: 3)
city.dsm | show`}},
	Bind: bindCity,
}

// layers are the outputs of simulate.city in order, with the most that they rise above the ground.
var layers = []struct {
	name    string
	tallest float64
	at      func(t *town, x, y float64) float64
}{
	{"dsm", towerFloors[1] * storey, func(t *town, x, y float64) float64 { return t.ground(x, y) + t.building(x, y) }},
	{"canopy", treeHeight[1], func(t *town, x, y float64) float64 { return t.plant(x, y).canopy }},
	{"trunk", treeHeight[1], func(t *town, x, y float64) float64 { return t.plant(x, y).trunk }},
	{"bush", treeHeight[1], func(t *town, x, y float64) float64 { return t.plant(x, y).bush }},
	{"ground", 0, func(t *town, x, y float64) float64 { return t.ground(x, y) }},
}

// largestCity bounds the coordinates that a check makes.
const largestCity = 1 << 20

// widestCity bounds the streets that a check lays, in m: a quarter of the way round the Earth.
const widestCity = 1e7

// built is a use of simulate.city.
type built struct {
	ops.Gives
	*town
}

func bindCity(c *ops.Call) (ops.Op, error) {
	rows, columns, pixel := c.Int("y"), c.Int("x"), c.Number("pixel")
	for _, arg := range []string{"y", "x"} {
		if c.Int(arg) > largestCity {
			return nil, problem.Wrong(problem.OutOfBounds, arg, "take fewer pixels", "%d pixels are beyond the limit of %d", c.Int(arg), largestCity)
		}
		if wide := float64(c.Int(arg)) * pixel; wide > widestCity {
			return nil, problem.Wrong(problem.OutOfBounds, "pixel", "take smaller pixels, or fewer", "a city %.3g m wide is beyond the limit of %.0g m", wide, widestCity)
		}
	}
	m := ops.MustUnit("m")
	dim := func(name string, n int, first, step float64) ops.Dim {
		d := ops.Dim{Name: name, Size: n, Unit: m, Coords: make([]float64, n)}
		for i := range d.Coords {
			d.Coords[i] = first + float64(i)*step
		}
		return d
	}
	t := ops.Type{Elem: ops.F32, Unit: m, Dims: []ops.Dim{
		dim("y", rows, (float64(rows)-0.5)*pixel, -pixel), dim("x", columns, 0.5*pixel, pixel)}}
	v := built{town: newTown(c)}
	for _, l := range layers {
		v.Gives = append(v.Gives, ops.Output{Name: l.name, Type: t})
	}
	return v, nil
}

// Range is that of the hills, with what stands on them.
func (v built) Range(output int) (lo, hi float64, err error) {
	return ground, ground + v.relief + layers[output].tallest, nil
}

// OpenSource builds the city region by region.
func (v built) OpenSource() (ops.TileSource, error) { return &cityRows{town: v.town}, nil }

// Fits is no question: every pixel is made by itself.
func (built) Fits() error { return nil }

// Scratch is next to nothing.
func (built) Scratch(region.Region) int64 { return 0 }

// Chunk is a single pixel.
func (built) Chunk() []int { return nil }

// Moves is the elements: there is no file.
func (v built) Moves(at region.Region) int64 { return at.Points() * int64(v.Gives[0].Type.Elem.Size()) }

// Fill builds all of a layer.
func (v built) Fill(ctx context.Context, to ops.HostArray) (ops.Note, error) {
	r := cityRows{town: v.town}
	err := r.Read(ctx, to.Type.Whole(), to)
	return r.note(), err
}

// cityRows builds a city region by region.
type cityRows struct {
	town  *town
	layer string
	rows  int
	width int
	bytes int64
}

func (r *cityRows) Read(ctx context.Context, at region.Region, to ops.HostArray) error {
	var workers sync.WaitGroup
	part := to.Parts[0]
	n := min(runtime.GOMAXPROCS(0), part.Rows())
	for w := range n {
		workers.Go(func() {
			line := make([]float64, part.Width())
			for row := w; row < part.Rows() && ctx.Err() == nil; row += n {
				for column := range line {
					line[column] = r.town.at(layers[to.Out].at, at[0].Lo+row, at[1].Lo+column)
				}
				part.StoreRow(row, line)
			}
		})
	}
	workers.Wait()
	r.layer, r.rows, r.width, r.bytes = layers[to.Out].name, max(r.rows, at[0].Hi), max(r.width, at[1].Hi), r.bytes+to.Type.Bytes()
	return ctx.Err()
}

func (r *cityRows) Close(context.Context) (ops.Note, error) { return r.note(), nil }

func (r *cityRows) note() ops.Note {
	return ops.Note{Text: fmt.Sprintf("%s of a city of %d x %d pixels", r.layer, r.rows, r.width), Bytes: r.bytes}
}
