package climatetest

import "math"

// sun is where it stands at an hour, and what it gives.
type sun struct {
	azimuth, altitude, direct, diffuse, global, rise float64
	hour                                             int
	reflected                                        [5][]float64
}

// emits is what the ground around sends up of long waves before it is delayed; what it reflects is kept with the sun.
func (w *world) emits(s *sun, up bool) (out [5][]float64) {
	air := w.air[s.hour]
	still := ground * black(air)
	for k := range out {
		out[k], s.reflected[k] = make([]float64, w.n), make([]float64, w.n)
		for p := range out[k] {
			out[k][p] = still
		}
	}
	if !up {
		return out
	}
	light := w.light[s.hour*w.n : (s.hour+1)*w.n]
	warm := wallGrey * (black(air+s.rise) - black(air))
	own := make([]float64, w.n)
	for p := range own {
		own[p] = ground * (black(air+s.rise*light[p]) - black(air))
	}
	for _, p := range w.some {
		turns, turn := map[float64][2]float64{}, 5.0
		for ; turn < 360; turn += 20 {
			line := w.line(p, turn)
			stop := w.stop(line)
			var a, b, c, d float64
			lit := len(line)
			for n, at := range line[:stop] {
				if at < 0 {
					continue
				}
				b, d = b+own[at], d+albedo*light[at]
				if n < w.near() {
					a, c = a+own[at], c+albedo*light[at]
				}
				// A wall is in the sun where it faces it, and its foot is.
				if n < lit && w.height[at] > 0 && math.Cos(rad(w.aspect[at]-s.azimuth)) > 1e-6 && light[at] == 1 && w.building[at] == 0 {
					lit = n
				}
			}
			behind := lit == 0 && math.Cos(rad(w.aspect[p]-turn)) > 1e-6
			turns[turn] = [2]float64{w.seen(a, b, lit, warm, behind, 1), w.seen(c, d, lit, wallAlbedo, behind, 1)}
		}
		for turn, v := range turns {
			for k := range out {
				share := 1. / 18
				if k > 0 {
					if math.Mod(turn-sides[k]+360, 360) >= 180 {
						continue
					}
					share = 1. / 9
				}
				out[k][p] += share * v[0]
				s.reflected[k][p] += share * v[1]
			}
		}
		if w.building[p] == 1 {
			for k := range out {
				out[k][p] += own[p]
				s.reflected[k][p] += albedo * light[p]
			}
		}
	}
	return out
}

// wedge is the share of walls around in their own shade.
func wedge(altitude, open float64) float64 {
	if altitude < 3 {
		return 1
	}
	a := math.Asin(math.Sqrt(1 - open))
	ba, tz := 1/math.Tan(max(a, 1e-4)), math.Tan(rad(90-altitude))
	ha := 2 / (math.Tan(max(a, 1e-4)) * tz)
	lit := 2 * ba * ha
	if xa := 1 - ha; xa < 0 {
		qa := tz / 2
		phi := math.Atan2(math.Sqrt(max(ba*ba-qa*qa/4, 0)), qa)
		lit += 2 * ba * xa * (math.Sin(phi) - phi*math.Cos(phi)) / (1 - math.Cos(phi))
	}
	return min(max(1-lit/(2*math.Pi*ba), 0), 1)
}

// fluxes are those of an hour on level places, and the mean radiant temperature that they and those from the sides make.
type fluxes struct{ radiant, down, up, longDown, longUp []float64 }

// radiant is the temperature of a person among the fluxes of an hour.
func (w *world) radiant(s *sun, sent [5][]float64, air, humidity float64) fluxes {
	const passes = 0.03
	var out fluxes
	for _, to := range []*[]float64{&out.radiant, &out.down, &out.up, &out.longDown, &out.longUp} {
		*to = make([]float64, w.n)
	}
	m := 46.5 * 6.107 * math.Pow(10, 7.5*air/(237.3+air)) * humidity / kelvin(air)
	dark := 1 - (1+m)*math.Exp(-math.Sqrt(1.2+3*m))
	grey := dark
	if w.clear < 0.95 {
		grey = w.clear*dark + 1 - w.clear
	}
	day := s.altitude > 0
	shines := w.shines(s)
	scale := 0.0
	for i, l := range shines {
		scale += l * w.solid[i] * math.Sin(rad(w.altitude[i]))
	}
	for _, p := range w.some {
		wall, veg, aveg := w.walls[0][p], w.veg[0][p], w.aveg[0][p]
		light := w.light[s.hour*w.n+p]
		open := min(max(wall-(1-veg)*(1-passes), 0), 1)
		shade := wedge(s.altitude, min(max(wall+veg-1, 0), 1))
		fromWalls := wallAlbedo * (s.global*(1-shade) + s.diffuse*shade)
		beam := s.direct * light
		sinH, cosH := math.Sin(rad(s.altitude)), math.Cos(rad(s.altitude))
		up := func(k int) float64 {
			return s.reflected[k][p]*s.direct*sinH + w.alike[k][p]*(s.diffuse*open+(1-open)*fromWalls)
		}
		hot, cool := black(air+s.rise), black(air)
		f := fall{}
		if !w.even {
			f = w.uneven(s, p, shines, scale, air, grey, sent[0][p])
		}
		level := s.diffuse * open
		long := (wall+veg-1)*grey*cool + (2-veg-aveg)*wallGrey*cool + (aveg-wall)*wallGrey*hot + (2-wall-veg)*(1-wallGrey)*grey*cool
		if !w.even {
			level, long = f.level, f.longLevel
		}
		down := beam*sinH + level + (1-open)*fromWalls
		flat, upright, round := 0.06, 0.22, 0.28
		if w.sitting {
			flat, upright, round = 1./6, 1./6, 0.2
		}
		k, l := flat*(down+up(0)), flat*(long+sent[0][p])
		for i := 1; i < 5; i++ {
			a, b, c := w.walls[i][p], w.veg[i][p], w.aveg[i][p]
			short, heat := up(i), sent[i][p]
			if w.even {
				closed := 1 - before(a)
				leaves := 1 - before(a+b-1) - closed
				q := closed + leaves*(1-passes)
				short += s.diffuse*(1-q) + q*fromWalls
				free, brick := before(a+b-1), before(c)-before(a)
				t, alfa := 2*shade-1, math.Asin(math.Sqrt(min(max(1-a, 0), 1)))
				walls := brick * wallGrey * cool
				if side := math.Sin(rad(s.azimuth - sides[i])); day && side < 0 {
					low := math.Atan(math.Tan(alfa * t))
					slope := math.Cos((math.Atan(alfa)-low)/2 + low)
					walls = brick * wallGrey * ((cool+(hot-cool)*math.Abs(side))*(1-t)*slope + cool*t)
				}
				heat += (a+b-1)*grey*cool*free + walls + (1-free-brick)*wallGrey*cool + (long+sent[i][p])*(1-free)*(1-wallGrey)
			}
			short *= 0.5
			if w.sitting {
				short += beam * cosH * max(math.Sin(rad(s.azimuth-sides[i])), 0)
			}
			k, l = k+upright*short, l+upright*heat*0.5
		}
		around := f.round
		if !w.sitting {
			around += beam * cosH
		}
		k, l = k+round*around, l+round*f.longRound
		out.down[p], out.up[p], out.longDown[p], out.longUp[p] = down, up(0), long, sent[0][p]
		out.radiant[p] = math.Pow((0.7*k+0.97*l)/(0.97*sigma), 0.25) - 273.15
	}
	return out
}

// fall is what comes from an uneven sky.
type fall struct{ level, round, longLevel, longRound float64 }

func (w *world) uneven(s *sun, p int, shines []float64, scale, air, grey, up float64) (f fall) {
	const passes = 0.03
	n := len(shines)
	at := func(of []float64, i int) bool {
		if len(of) == n {
			return of[i] == 1
		}
		return of[p*n+i] == 1
	}
	cool, hot := black(air)/math.Pi, black(air+s.rise)/math.Pi
	var shutLevel, shutRound, skyLevel float64
	high := math.Sqrt((1 - w.walls[0][p]) / w.walls[0][p])
	for i, l := range shines {
		level, round := w.solid[i]*math.Sin(rad(w.altitude[i])), w.solid[i]*math.Cos(rad(w.altitude[i]))
		wall, veg, aveg := at(w.seenWalls, i), at(w.seenVeg, i), at(w.seenAveg, i)
		if wall {
			f.level += s.diffuse * l
		}
		if !veg {
			f.level -= s.diffuse * l * (1 - passes)
		}
		if wall && veg {
			e := 1 - (1-grey)*math.Exp(0.308*(1.7-1/math.Sin(rad(w.altitude[i]))))
			f.longLevel, f.longRound, skyLevel = f.longLevel+e*cool*level, f.longRound+e*cool*round, skyLevel+e*cool*level
			f.round += s.diffuse * l / scale * round
		}
		if !veg || !aveg {
			f.longLevel, f.longRound = f.longLevel+wallGrey*cool*level, f.longRound+wallGrey*cool*round
			f.round += wallAlbedo * s.diffuse * 0.5 / math.Pi * round
		}
		if !wall && aveg {
			away := math.Abs(s.azimuth - w.azimuth[i])
			sunny := s.altitude > 0 && high < math.Tan(rad(w.altitude[i]))-min(2*math.Cos(rad(away))*math.Tan(rad(s.altitude)), 0)
			warm := cool
			if sunny && away > 90 && away < 270 {
				warm = hot
			}
			f.longLevel, f.longRound = f.longLevel+wallGrey*warm*level, f.longRound+wallGrey*warm*round
			if sunny {
				f.round += (wallAlbedo*s.direct*math.Cos(rad(s.altitude)) + s.diffuse*0.5) / math.Pi * round
			} else {
				f.round += wallAlbedo * s.diffuse * 0.5 / math.Pi * round
			}
		}
		if !wall || !veg || !aveg {
			shutLevel, shutRound = shutLevel+level, shutRound+round
		}
	}
	back := (skyLevel + up) * (1 - wallGrey) * 0.5 / math.Pi
	f.longLevel, f.longRound = f.longLevel+back*shutLevel, f.longRound+back*shutRound
	return f
}
