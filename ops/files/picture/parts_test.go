package picture

import (
	"image/color"
	"math"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a, b  float64
		n     int
		whole bool
		want  string
	}{
		{-10, 10, 5, false, "-10 -5 0 5 10"},
		{10, -10, 5, false, "-10 -5 0 5 10"},
		{-60, 0, 7, false, "-60 -50 -40 -30 -20 -10 0"},
		{-60, 0, 6, false, "-60 -40 -20 0"},
		{0, 1, 6, false, "0 0.2 0.4 0.6 0.8 1.0"},
		{-0.5, 3.5, 10, true, "0 1 2 3"},
		{-0.5, 399.5, 5, true, "0 100 200 300"},
		{4205450, 4205850, 3, false, "4205600 4205800"},
		{0, 2e9, 3, false, "0 1e9 2e9"},
		{1e-9, 4e-9, 4, false, "1e-9 2e-9 3e-9 4e-9"},
		{0.00012, 0.00019, 4, false, "0.00012 0.00014 0.00016 0.00018"},
	} {
		var labels []string
		for _, k := range ticks(c.a, c.b, c.n, c.whole) {
			labels = append(labels, k.label)
		}
		got := strings.Join(labels, " ")
		if got != c.want {
			t.Errorf("%v to %v in %d: %s, want %s", c.a, c.b, c.n, got, c.want)
		}
	}
}

func TestAxisEdges(t *testing.T) {
	for _, c := range []struct {
		a      Axis
		n      int
		lo, hi float64
	}{
		{Axis{}, 4, -0.5, 3.5},
		{Axis{First: 20, Last: 40}, 5, 17.5, 42.5},
		{Axis{First: 10, Last: -10}, 3, 15, -15},
	} {
		if lo, hi := c.a.edges(c.n); lo != c.lo || hi != c.hi {
			t.Errorf("%+v of %d: %v to %v, want %v to %v", c.a, c.n, lo, hi, c.lo, c.hi)
		}
	}
}

// lightness is CIE L* of an sRGB colour, by the definition: the inverse way of what the maps are made by.
func lightness(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	y := 0.2126729*linear(c.R) + 0.7151522*linear(c.G) + 0.0721750*linear(c.B)
	if y > 216.0/24389 {
		return 116*math.Cbrt(y) - 16
	}
	return y * 24389 / 27
}

func TestMaps(t *testing.T) {
	even := map[string]bool{"tide": true, "kindlmann": true, "blackbody": true}
	for _, m := range Maps {
		lut := m.lut()
		seen := map[color.RGBA]bool{}
		for i, c := range lut {
			if c.A != 255 {
				t.Fatalf("%s: level %d is transparent", m.Name, i)
			}
			seen[c] = true
		}
		if len(seen) < levels*3/4 {
			t.Errorf("%s: only %d different colours", m.Name, len(seen))
		}
		if seen[m.nan] && !strings.HasPrefix(m.Name, "gray") {
			t.Errorf("%s: missing data has a colour of the map", m.Name)
		}
		if !even[m.Name] {
			continue
		}
		lo, hi := lightness(lut[0]), lightness(lut[levels-1])
		for i, c := range lut {
			want := lo + (hi-lo)*float64(i)/(levels-1)
			if got := lightness(c); math.Abs(got-want) > 1.5 {
				t.Errorf("%s: level %d has the lightness %.1f, linear is %.1f", m.Name, i, got, want)
				break
			}
		}
	}
	if DefaultMap("dB") != "gray" || DefaultMap("power (dB)") != "gray" || DefaultMap("m") != "tide" {
		t.Error("default maps")
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		env   string
		sixel bool
		want  Caps
	}{
		{"", true, Caps{}},
		{"TERM=dumb COLORTERM=truecolor", true, Caps{}},
		{"TERM=xterm-256color", false, Caps{Indexed, NoProtocol}},
		{"TERM=xterm-256color COLORTERM=truecolor", false, Caps{TrueColour, NoProtocol}},
		{"TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", true, Caps{}},
		{"TERM=foot COLORTERM=truecolor", true, Caps{TrueColour, Sixel}},
		{"TERM=xterm-kitty", false, Caps{TrueColour, Kitty}},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", false, Caps{TrueColour, ITerm}},
		{"TERM=screen-256color KITTY_WINDOW_ID=1", true, Caps{TrueColour, NoProtocol}},
		{"TERM=xterm-kitty TMUX=/tmp/x", true, Caps{TrueColour, NoProtocol}},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		if got := detect(func(k string) string { return env[k] }, func() bool { return c.sixel }); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.env, got, c.want)
		}
	}
}

func TestIndexed(t *testing.T) {
	for _, c := range []struct {
		c    color.RGBA
		want int
	}{
		{color.RGBA{0, 0, 0, 255}, 16}, {color.RGBA{255, 255, 255, 255}, 231}, {color.RGBA{255, 0, 0, 255}, 196},
		{color.RGBA{128, 128, 128, 255}, 244}, {color.RGBA{8, 8, 8, 255}, 232}, {color.RGBA{95, 135, 175, 255}, 67},
	} {
		if got := indexed(c.c); got != c.want {
			t.Errorf("%v: %d, want %d", c.c, got, c.want)
		}
	}
}

func TestProject(t *testing.T) {
	nan := math.NaN()
	values := []float64{1, 2, 3, 4, nan, 6, 7, nan} // 2 x 2 x 2
	for along, want := range [][]float64{{1, 6, 7, 4}, {3, 4, 7, 6}, {2, 4, 6, 7}} {
		got := project(values, []int{2, 2, 2}, along)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("along %d: %v, want %v", along, got, want)
				break
			}
		}
	}
	if v := project([]float64{nan, nan}, []int{1, 1, 2}, 2)[0]; v == v {
		t.Errorf("of NaN alone: %v", v)
	}
}
