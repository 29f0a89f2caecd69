package plots

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/picture"
	"weft/ops/files/units"
)

// width and height of a figure: that of a column of text, and what goes well with it.
const width, height = 16 * vg.Centimeter, 10 * vg.Centimeter

const margin = 6 // points around a figure

// hues are told apart by people who see colours otherwise, too: Okabe and Ito, "Color universal design", 2008.
var hues = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0xb8, 0xaf, 0x21, 0xff},
}

// figure is what is drawn.
type figure struct {
	*plotting
	series         []series
	under          []series // in a panel below
	across, upward string   // labels
	low            string   // that of the panel below
	unit, place    ops.Unit // of the axes upward and across: those of the first array
	instants       bool     // are across, in seconds
}

// shown are all elements in the unit of an axis.
func shown(h ops.HostArray, in ops.Unit) plotter.Values {
	out := make(plotter.Values, h.Type.Len())
	h.Parts[0].Load(out, 0)
	for i := range out {
		out[i] = format.Shown(out[i], in)
	}
	return out
}

// figure takes the arrays apart into lines.
func (p *plotting) figure(in []ops.HostArray) (*figure, error) {
	f := &figure{plotting: p}
	list := p.List("y")
	rest := in[len(list):]
	beside := map[string]*ops.HostArray{}
	for _, arg := range []string{"x", "error"} {
		if _, ok := p.Array(arg); ok {
			beside[arg], rest = &rest[0], rest[1:]
		}
	}
	f.unit = in[0].Type.Unit
	if p.kind != spreads {
		d := in[0].Type.Dims[p.along[0]]
		_, beside := p.Array("x")
		if f.place, f.instants = d.Unit, units.Instants(d) && !beside; f.instants {
			f.place = ops.MustUnit("s")
		}
	}
	for i, v := range list {
		f.add(v.(ops.Array).Label(), in[i], p.along[i], beside)
	}
	for i, v := range p.List("below") {
		a := v.(ops.Array)
		f.under = append(f.under, series{name: a.Label(), x: f.series[0].x, y: shown(rest[i], rest[0].Type.Unit)})
		if f.low = format.Heading("", rest[0].Type.Unit); i == 0 && len(p.List("below")) == 1 {
			f.low = format.Heading(a.Label(), a.Type().Unit)
		}
	}
	for i, name := range p.names {
		f.series[i].name = name
	}
	if len(list) == 1 {
		f.upward = list[0].(ops.Array).Label()
	}
	f.upward = format.Heading(f.upward, f.unit)
	if p.kind == spreads {
		f.across, f.upward = f.upward, "number of elements"
		f.count(p.Int("bins"))
	}
	return f, nil
}

// add makes lines of an array: one for each element of the dims besides the one across.
func (f *figure) add(name string, h ops.HostArray, along int, beside map[string]*ops.HostArray) {
	values := shown(h, f.unit)
	if f.kind == spreads {
		f.series = append(f.series, series{name: name, y: values})
		return
	}
	d := h.Type.Dims[along]
	stride := 1
	for _, inner := range h.Type.Dims[along+1:] {
		stride *= inner.Size
	}
	places := make(plotter.Values, d.Size)
	for i := range places {
		if places[i] = float64(i); d.Coords != nil {
			places[i] = format.Shown(d.Coords[i], f.place)
		}
	}
	if f.across = format.Heading(d.Name, f.place); f.instants && units.Instants(d) {
		f.across = whenHeading(d)
	}
	var xs, es plotter.Values
	if x := beside["x"]; x != nil {
		if a, _ := f.Array("x"); a.Label() != "" {
			f.across = format.Heading(a.Label(), x.Type.Unit)
		} else {
			f.across = format.Heading("", x.Type.Unit)
		}
		if xs = shown(*x, x.Type.Unit); len(x.Type.Dims) == 1 {
			places, xs = xs, nil
		}
	}
	if e := beside["error"]; e != nil {
		es = shown(*e, f.unit)
	}
	pick := func(all plotter.Values, from int) plotter.Values {
		out := make(plotter.Values, d.Size)
		for i := range out {
			out[i] = all[from+i*stride]
		}
		return out
	}
	for k := range len(values) / d.Size {
		from := k/stride*stride*d.Size + k%stride
		s := series{name: name, x: places, y: pick(values, from)}
		if xs != nil {
			s.x = pick(xs, from)
		}
		if es != nil {
			s.e = pick(es, from)
		}
		at := from
		for i, o := range slices.Backward(h.Type.Dims) {
			if i != along {
				if s.name != "" {
					s.name += ", "
				}
				s.name += o.Name + " " + format.Place(o, at%o.Size)
			}
			at /= o.Size
		}
		f.series = append(f.series, s)
	}
}

// count makes a histogram of every series.
func (f *figure) count(bins int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range f.series {
		for _, v := range s.y {
			if math.Abs(v) <= math.MaxFloat64 {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
	}
	switch apart := math.Max(0.5, 1e-6*math.Abs(lo)); {
	case lo > hi: // nothing is a number
		lo, hi = 0, 1
	case lo == hi:
		lo, hi = lo-apart, lo+apart
	}
	for i, s := range f.series {
		counts, middles := make(plotter.Values, bins), make(plotter.Values, bins)
		for k := range middles {
			t := (float64(k) + 0.5) / float64(bins)
			middles[k] = lo*(1-t) + hi*t
		}
		for _, v := range s.y {
			if v >= lo && v <= hi {
				counts[min(int((v/2-lo/2)/(hi/2-lo/2)*float64(bins)), bins-1)]++
			}
		}
		f.series[i].x, f.series[i].y = middles, counts
	}
}

// rounded marks round places.
type rounded struct{ most int }

// Ticks are the places.
func (r rounded) Ticks(lo, hi float64) (out []plot.Tick) {
	picture.Ticks(lo, hi, r.most, func(at float64, label string) { out = append(out, plot.Tick{Value: at, Label: label}) })
	return out
}

// dotsPerInch of pictures, as journals ask for.
const dotsPerInch = 200

// write renders the figure, and gives the bytes that it took.
func (f *figure) write(w io.Writer, form string) (int64, error) {
	log := f.Symbol("log")
	x, y := log == "x" || log == "both", log == "y" || log == "both"
	top, err := f.panel(f.series, f.upward, x, y)
	if err != nil {
		return 0, err
	}
	top.Title.Text, top.X.Label.Text = f.Text("title"), f.across
	panels := [][]*plot.Plot{{top}}
	size := vg.Length(height)
	if f.under != nil {
		low, err := f.panel(f.under, f.low, x, false) // what a model leaves has both signs
		if err != nil {
			return 0, err
		}
		low.X.Min, low.X.Max, low.X.Label.Text, top.X.Label.Text = top.X.Min, top.X.Max, f.across, ""
		low.Y.Tick.Marker = rounded{3}
		panels = append(panels, []*plot.Plot{low})
		size += height / 2
	}
	var c interface {
		vg.CanvasSizer
		io.WriterTo
	} = vgsvg.New(width, size)
	if form == "png" {
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, size), vgimg.UseDPI(dotsPerInch))}
	}
	page := draw.New(c)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	page = draw.Crop(page, margin, -2*margin, margin, -margin)
	if f.under == nil {
		top.Draw(page)
		return c.WriteTo(w)
	}
	parts := plot.Align(panels, draw.Tiles{Rows: 2, Cols: 1}, page)
	third := (page.Max.Y - page.Min.Y) / 6 // by which the upper panel is taller than half of the page
	parts[0][0].Min.Y -= third
	parts[1][0].Max.Y -= third
	for i, row := range panels {
		row[0].Draw(parts[i][0])
	}
	return c.WriteTo(w)
}

// panel is lines with a scale in common, on axes that may be logarithmic.
func (f *figure) panel(list []series, upward string, logX, logY bool) (*plot.Plot, error) {
	p := plot.New()
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	for text, size := range map[*text.Style]font.Length{&p.Title.TextStyle: 11, &p.X.Label.TextStyle: 10, &p.Y.Label.TextStyle: 10,
		&p.X.Tick.Label: 9, &p.Y.Tick.Label: 9, &p.Legend.TextStyle: 9} {
		text.Font = sans
		text.Font.Size = font.Points(float64(size))
	}
	p.Title.Padding, p.Y.Label.Text = font.Points(6), upward
	p.X.Tick.Marker, p.Y.Tick.Marker = rounded{8}, rounded{6}
	if f.instants {
		p.X.Tick.Marker = instants{8}
	}
	p.Legend.Top = true
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, color.Gray{0xdd}
	p.Add(grid)
	if logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	}
	if logY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	}
	for i, s := range list {
		if err := f.draw(p, s.above(logX, logY), hues[i%len(hues)], len(list) > 1); err != nil {
			return nil, err
		}
	}
	if p.X.Min > p.X.Max { // nothing is drawn
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 2, 1, 2
	}
	f.spread(p, logX, logY, len(list))
	return p, nil
}

// spread leaves room beside points, and above lines for the key.
func (f *figure) spread(p *plot.Plot, logX, logY bool, n int) {
	if logX && p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
	}
	if logY && p.Y.Min == p.Y.Max {
		p.Y.Min, p.Y.Max = p.Y.Min/2, p.Y.Max*2
	}
	if f.kind == points && !logX {
		beside := 0.02 * (p.X.Max - p.X.Min)
		p.X.Min, p.X.Max = p.X.Min-beside, p.X.Max+beside
	}
	if f.kind != lines && !logY {
		p.Y.Max += 0.04 * (p.Y.Max - p.Y.Min)
	}
	if n > 1 && !logY {
		p.Y.Max += 0.06 * float64(min(n, 6)) * (p.Y.Max - p.Y.Min)
	}
}

// draw adds a series in a colour, with its name where there are several.
func (f *figure) draw(p *plot.Plot, s series, hue color.RGBA, key bool) error {
	runs := s.runs()
	if len(runs) == 0 {
		return nil
	}
	var thumb plot.Thumbnailer
	switch f.kind {
	case lines:
		for _, r := range runs {
			l, err := plotter.NewLine(r)
			if err != nil {
				return err
			}
			l.Color, l.Width = hue, vg.Points(1.2)
			p.Add(l)
			thumb = l
		}
	case points:
		d, err := plotter.NewScatter(slices.Concat(runs...))
		if err != nil {
			return err
		}
		d.GlyphStyle = draw.GlyphStyle{Color: hue, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}
		p.Add(d)
		thumb = d
		if s.e != nil {
			if err := errorBars(p, s, hue); err != nil {
				return err
			}
		}
	default:
		b := &blocks{at: slices.Concat(runs...), hue: color.RGBA{hue.R / 2, hue.G / 2, hue.B / 2, 0x80}}
		b.wide = 1.0
		if len(s.x) > 1 {
			b.wide = math.Abs(s.x[len(s.x)-1]-s.x[0]) / float64(len(s.x)-1)
		}
		p.Add(b)
		thumb = b
	}
	if key && s.name != "" {
		p.Legend.Add(s.name, thumb)
	}
	return nil
}

// errorBars are drawn where point and error are numbers.
func errorBars(p *plot.Plot, s series, hue color.RGBA) error {
	var at struct {
		plotter.XYs
		plotter.YErrors
	}
	for i, e := range s.e {
		if sum := s.x[i] + s.y[i] + e; math.Abs(sum) <= farthest {
			at.XYs = append(at.XYs, plotter.XY{X: s.x[i], Y: s.y[i]})
			low := e
			if s.lower != nil {
				low = s.lower[i]
			}
			at.YErrors = append(at.YErrors, struct{ Low, High float64 }{low, e})
		}
	}
	b, err := plotter.NewYErrorBars(at)
	if err != nil {
		return err
	}
	b.Color, b.CapWidth = hue, vg.Points(3)
	p.Add(b)
	return nil
}
