package climatetest

import "math"

// perez are the coefficients of Perez, Seals and Michalsky (1993), by how clear the sky is: a to e by four each.
var perez = [8][20]float64{
	{1.3525, -0.2576, -0.269, -1.4366, -0.767, 0.0007, 1.2734, -0.1233, 2.8, 0.6004, 1.2375, 1, 1.8734, 0.6297, 0.9738, 0.2809, 0.0356, -0.1246, -0.5718, 0.9938},
	{-1.2219, -0.773, 1.4148, 1.1016, -0.2054, 0.0367, -3.9128, 0.9156, 6.975, 0.1774, 6.4477, -0.1239, -1.5798, -0.5081, -1.7812, 0.108, 0.2624, 0.0672, -0.219, -0.4285},
	{-1.1, -0.2515, 0.8952, 0.0156, 0.2782, -0.1812, -4.5, 1.1766, 24.7219, -13.0812, -37.7, 34.8438, -5, 1.5218, 3.9229, -2.6204, -0.0156, 0.1597, 0.4199, -0.5562},
	{-0.5484, -0.6654, -0.2672, 0.7117, 0.7234, -0.6219, -5.6812, 2.6297, 33.3389, -18.3, -62.25, 52.0781, -3.5, 0.0016, 1.1477, 0.1062, 0.4659, -0.3296, -0.0876, -0.0329},
	{-0.6, -0.3566, -2.5, 2.325, 0.2937, 0.0496, -5.6812, 1.8415, 21, -4.7656, -21.5906, 7.2492, -3.5, -0.1554, 1.4062, 0.3988, 0.0032, 0.0766, -0.0656, -0.1294},
	{-1.0156, -0.367, 1.0078, 1.4051, 0.2875, -0.5328, -3.85, 3.375, 14, -0.9999, -7.1406, 7.5469, -3.4, -0.1078, -1.075, 1.5702, -0.0672, 0.4016, 0.3017, -0.4844},
	{-1, 0.0211, 0.5025, -0.5119, -0.3, 0.1922, 0.7023, -1.6317, 19, -5, 1.2438, -1.9094, -4, 0.025, 0.3844, 0.2656, 1.0468, -0.3788, -2.4517, 1.4656},
	{-1.05, 0.0289, 0.426, 0.359, -0.325, 0.1156, 0.7781, 0.0025, 31.0625, -14.5, -46.1148, 55.375, -7.2312, 0.405, 13.35, 0.6234, 1.5, -0.6426, 1.8564, 0.5636},
}

// shines is how bright the patches are, together 1.
func (w *world) shines(s *sun) []float64 {
	out := make([]float64, len(w.azimuth))
	even := func() []float64 {
		for i := range out {
			out[i] = 1 / float64(len(out))
		}
		return out
	}
	if s.altitude < 3 || s.diffuse < 10 {
		return even()
	}
	y, z := 2*math.Pi*172/365, rad(90-s.altitude)
	d := max(s.diffuse, 1)
	clear := ((d+s.direct)/d + 1.041*z*z*z) / (1 + 1.041*z*z*z)
	mass := 1 / (math.Sin(rad(s.altitude)) + .50572*math.Pow(s.altitude+6.07995, -1.6364))
	if s.altitude >= 10 {
		mass = 1 / math.Sin(rad(s.altitude))
	}
	delta := min(mass, 40) * s.diffuse / (1367 * (1.00011 + .034221*math.Cos(y) + .00128*math.Sin(y) + .000719*math.Cos(2*y) + .000077*math.Sin(2*y)))
	bin := 0
	for _, end := range []float64{1.065, 1.23, 1.5, 1.95, 2.8, 4.5, 6.2} {
		if clear >= end {
			bin++
		}
	}
	m := perez[bin]
	line := func(k int) float64 { return m[k] + m[k+1]*z + delta*(m[k+2]+m[k+3]*z) }
	a, b, c, dd, e := line(0), line(4), line(8), line(12), line(16)
	if bin == 0 {
		c = math.Exp(math.Pow(delta*(m[8]+m[9]*z), m[10])) - m[11]
		dd = -math.Exp(delta*(m[12]+m[13]*z)) + m[14] + delta*m[15]
	}
	sum := 0.0
	for i := range out {
		h, alt := rad(w.altitude[i]), rad(s.altitude)
		g := math.Acos(min(max(math.Sin(alt)*math.Sin(h)+math.Cos(alt)*math.Cos(h)*math.Cos(rad(w.azimuth[i]-s.azimuth)), -1), 1))
		out[i] = (1 + a*math.Exp(b/math.Sin(h))) * (1 + c*math.Exp(dd*g) + e*math.Cos(g)*math.Cos(g))
		if out[i] < 0 {
			return even()
		}
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
