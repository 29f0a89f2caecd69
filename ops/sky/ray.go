package sky

import "math"

// zenithAltitude is where a ray stops being one: it leaves its pixel upwards, and nothing shades it.
const zenithAltitude = 89.5 // deg

// ray is a digital line from a pixel towards the sky. Step 0 is the pixel itself.
type ray struct {
	azimuth, altitude float64 // deg
	row, column       []int   // offset of every step; rows grow southwards
	rise              []float64
}

// limit is where rays end: nothing beyond can shade.
type limit struct {
	rows, columns int     // of the raster
	relief        float64 // highest source less lowest target, m; +Inf when it is not known
	reach         float64 // horizontal length of a ray, m; +Inf for no cap
}

// newRay traces a line of pixels of the given size. The step at which the ray leaves the relief is the last one: vegetation
// looks one step back. Rounding is half to even. Upright rays have no steps.
func newRay(azimuth, altitude, pixel float64, l limit) ray {
	azimuth = math.Mod(math.Mod(azimuth, 360)+360, 360)
	y := ray{azimuth: azimuth, altitude: altitude}
	if altitude >= zenithAltitude || altitude <= 0 {
		return y
	}
	sin, cos := math.Sincos(azimuth * math.Pi / 180)
	t := math.Tan(azimuth * math.Pi / 180)
	up := math.Tan(altitude*math.Pi/180) * pixel
	eastWest := azimuth >= 45 && azimuth < 135 || azimuth >= 225 && azimuth < 315
	length := math.Abs(1 / cos)
	if eastWest {
		length = math.Abs(1 / sin)
	}
	south, east := -sign(cos), sign(sin)
	for k := 0; k == 0 || single(y.rise[k-1]) < l.relief; k++ {
		major := float64(k)
		var r, c int
		if eastWest {
			r, c = int(math.RoundToEven(math.Abs(major/t))), k
		} else {
			r, c = k, int(math.RoundToEven(math.Abs(major*t)))
		}
		if r >= l.rows || c >= l.columns || length*major*pixel > l.reach {
			break
		}
		y.add(south*r, east*c, length*major*up)
	}
	return y
}

// grazing is the upright ray as the loop of UMEP traces it: the pixel itself, and the one to the north from far below.
func grazing(l limit) ray {
	y := ray{altitude: 90}
	y.add(0, 0, 0)
	if l.rows > 1 {
		y.add(-1, 0, math.Inf(1))
	}
	return y
}

func (y *ray) add(row, column int, rise float64) {
	y.row, y.column, y.rise = append(y.row, row), append(y.column, column), append(y.rise, rise)
}

// single is a value as float32 kernels have it.
func single(v float64) float64 { return float64(float32(v)) }

func sign(v float64) int {
	if v < 0 {
		return -1
	}
	return 1
}
