package picture

import (
	"image/color"
	"math"
	"sync"
)

// sweep is a map whose CIE lightness rises linearly from 14 to 92 while the hue turns evenly from one angle to another
// (degrees in the CIELAB plane). The chroma is 60 at the ends and 30 in the middle, where screens have little of it.
func sweep(fromHue, toHue float64) func() *[levels]color.RGBA {
	const darkest, lightest = 14.0, 92.0
	return sync.OnceValue(func() *[levels]color.RGBA {
		var lut [levels]color.RGBA
		for i := range lut {
			t := float64(i) / (levels - 1)
			lightness := darkest + t*(lightest-darkest)
			hue := (fromHue + t*(toHue-fromHue)) * math.Pi / 180
			chroma := 30 + 30*(2*t-1)*(2*t-1)
			lut[i] = inGamut(lightness, chroma, hue)
		}
		return &lut
	})
}

// inGamut lowers the chroma of a colour until sRGB has it.
func inGamut(lightness, chroma, hue float64) color.RGBA {
	lo, hi := 0.0, chroma
	if c, ok := labToSRGB(lightness, chroma*math.Cos(hue), chroma*math.Sin(hue)); ok {
		return c
	}
	for range 20 {
		middle := (lo + hi) / 2
		if _, ok := labToSRGB(lightness, middle*math.Cos(hue), middle*math.Sin(hue)); ok {
			lo = middle
		} else {
			hi = middle
		}
	}
	c, _ := labToSRGB(lightness, lo*math.Cos(hue), lo*math.Sin(hue))
	return c
}

// labToSRGB converts from CIELAB (CIE 15, white D65) to sRGB (IEC 61966-2-1). ok is false outside the gamut.
func labToSRGB(l, a, b float64) (c color.RGBA, ok bool) {
	inverse := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0/29)
	}
	fy := (l + 16) / 116
	x, y, z := 0.95047*inverse(fy+a/500), inverse(fy), 1.08883*inverse(fy-b/200)
	linear := [3]float64{
		3.2404542*x - 1.5371385*y - 0.4985314*z,
		-0.9692660*x + 1.8760108*y + 0.0415560*z,
		0.0556434*x - 0.2040259*y + 1.0572252*z,
	}
	var out [3]uint8
	ok = true
	for i, v := range linear {
		ok = ok && v >= -1e-9 && v <= 1+1e-9
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(255 * v))
	}
	return color.RGBA{out[0], out[1], out[2], 255}, ok
}
