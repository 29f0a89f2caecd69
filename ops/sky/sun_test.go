package sky

import (
	"math"
	"testing"
	"time"

	"weft/ops"
	"weft/ops/optest"
)

// Positions by other means: the worked example of Reda and Andreas, Solar position algorithm (NREL/TP-560-34302, 2008), whose topocentric
// values are those of the centre but for a parallax of .0024 deg and refraction; and facts of astronomy.
func TestSunPosition(t *testing.T) {
	at := func(text string) time.Time {
		v, err := parseTime(ops.Text(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		time                string
		latitude, longitude float64
		azimuth, altitude   float64
	}{
		{"2003-10-17T12:30:30-07:00", 39.742476, -105.1786, 194.34024, 39.872046}, // unrefracted
	} {
		az, alt := SunPosition(at(c.time), c.latitude, c.longitude)
		if math.Abs(az-c.azimuth) > 0.01 || math.Abs(alt-c.altitude) > 0.01 {
			t.Errorf("%s: azimuth %.4f, altitude %.4f, want %.4f, %.4f", c.time, az, alt, c.azimuth, c.altitude)
		}
	}
	// At the June solstice of 2024 (20:51 UTC) the declination is the obliquity, so that the sun culminates in the zenith of 23.436 N.
	best := 0.0
	for minute := range 1440 {
		_, alt := SunPosition(at("2024-06-20T00:00Z").Add(time.Duration(minute)*time.Minute), 23.436, 0)
		best = max(best, alt)
	}
	if best < 89.85 {
		t.Errorf("the sun reaches %.4f deg at the tropic", best)
	}
	// At the March equinox of 2024 (03:06 UTC) it stands on the equator: on the pole half a turn brings no change of altitude.
	_, alt := SunPosition(at("2024-03-20T03:06Z"), 90, 0)
	if math.Abs(alt) > 0.01 {
		t.Errorf("altitude %.4f deg at the pole at the equinox", alt)
	}
}

func TestSunValues(t *testing.T) {
	one := map[string]ops.Value{"latitude": deg(50), "longitude": deg(8), "time": ops.Text("2026-06-21T12:00+02:00")}
	v, err := makeSun(optest.Call(sun, one))
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := v.(ops.Record).Fields["altitude"].(ops.Number); !ok || n.V < 1 || n.V > 1.15 {
		t.Errorf("altitude %v", v.(ops.Record).Fields["altitude"])
	}
	one["time"] = ops.List{ops.Text("2026-06-21T12:00+02:00"), ops.Text("2026-06-21 13:00:30Z")}
	if v, err = makeSun(optest.Call(sun, one)); err != nil || len(v.(ops.Record).Fields["azimuth"].(ops.List)) != 2 {
		t.Errorf("%v, %v", v, err)
	}
	one["time"] = ops.Text("21.6.2026")
	if _, err = makeSun(optest.Call(sun, one)); err == nil {
		t.Error("a time without offset passes")
	}
}
