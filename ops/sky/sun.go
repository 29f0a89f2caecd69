package sky

import (
	"errors"
	"math"
	"time"

	"weft/ops"
	"weft/ops/problem"
)

var sun = &ops.Spec{
	Name:  "sun",
	Doc:   "Where the sun stands, seen from a place at a time.",
	Group: group,
	Long: `azimuth is clockwise from north, altitude above the horizon, both of the sun's centre and without refraction (which lifts it by up to half a
degree at the horizon). Times are ISO 8601 with the offset from UTC: "2026-06-21T12:00:00+02:00", or Z for UTC. Within .01 deg from 1900 to
2100.

Source: J. Meeus, Astronomical Algorithms, 2nd ed. (1998), ch. 25 (lower accuracy) and 13, as in the NOAA solar calculator.`,
	Params: []ops.Param{
		ops.Num("latitude", "deg", "north is positive").Within(-math.Pi/2, math.Pi/2),
		ops.Num("longitude", "deg", "east is positive").Within(-2*math.Pi, 2*math.Pi),
		{Name: "time", Doc: "one or a list", Accept: ops.KText | ops.KList},
	},
	Returns: "a record of angles, azimuth and altitude: lists if time is a list.",
	Examples: []ops.Example{{Title: "noon at midsummer in Gothenburg", Code: `s = sun(latitude: 57.7 deg, longitude: 11.97 deg, time: "2026-06-21T13:00+02:00")
show(s.altitude)`}},
	Bind: ops.Make(makeSun),
}

var instant = &ops.Spec{
	Name:    "instant",
	Doc:     "A moment as coordinates of times have it: how long it is after the beginning of 1970 in UTC.",
	Group:   group,
	Long:    `Times are ISO 8601 with the offset from UTC, or Z for UTC.`,
	Params:  []ops.Param{{Name: "time", Doc: "one or a list", Accept: ops.KText | ops.KList}},
	Returns: "a time, or a list of such.",
	Examples: []ops.Example{{Title: "the hours of a day", Code: `hour = axis(time, 1 .. 24 in 24)
day = with_coordinates(hour, time, instant("2026-06-21T01:00+03:00") .. instant("2026-06-22T00:00+03:00") in 24)
show(day[time: instant("2026-06-21T12:00+03:00")])`}},
	Bind: ops.Make(makeInstant),
}

func makeInstant(c *ops.Call) (ops.Value, error) {
	times, err := timesOf(c)
	if err != nil {
		return nil, err
	}
	var out ops.List
	for _, t := range times {
		out = append(out, ops.Quantity(float64(t.UnixMilli())/3600e3, "h"))
	}
	if _, list := c.Args["time"].(ops.List); !list {
		return out[0], nil
	}
	return out, nil
}

// timesOf are the times that a call is given.
func timesOf(c *ops.Call) (out []time.Time, err error) {
	var p problems
	for i, v := range c.List("time") {
		t, err := parseTime(v)
		if err != nil {
			p.add(problem.WrongKind, "time", `write "2026-06-21T12:00+02:00", say: date, time and offset from UTC`, "time %d, %s, is no time", i+1, v)
		}
		out = append(out, t)
	}
	return out, errors.Join(p...)
}

// timeLayouts are the forms of ISO 8601 that sun takes.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"}

func makeSun(c *ops.Call) (ops.Value, error) {
	times, err := timesOf(c)
	if err != nil {
		return nil, err
	}
	var azimuth, altitude ops.List
	for _, t := range times {
		az, alt := SunPosition(t, c.Number("latitude")*180/math.Pi, c.Number("longitude")*180/math.Pi)
		azimuth, altitude = append(azimuth, ops.Quantity(az, "deg")), append(altitude, ops.Quantity(alt, "deg"))
	}
	r := ops.Record{Names: []string{"azimuth", "altitude"}, Fields: map[string]ops.Value{"azimuth": azimuth, "altitude": altitude}}
	if _, list := c.Args["time"].(ops.List); !list {
		r.Fields["azimuth"], r.Fields["altitude"] = azimuth[0], altitude[0]
	}
	return r, nil
}

func parseTime(v ops.Value) (t time.Time, err error) {
	text, _ := v.(ops.Text)
	for _, layout := range timeLayouts {
		if t, err = time.Parse(layout, string(text)); err == nil {
			return t, nil
		}
	}
	return t, err
}

// terrestrial is how far terrestrial time is ahead of universal time, in days: 69 s in the years around 2020. An error of a
// minute moves the sun by 4e-5 deg among the stars.
const terrestrial = 69. / 86400

// SunPosition is the azimuth and the altitude of the sun's centre in degrees, for a place given in degrees north and east.
func SunPosition(t time.Time, latitude, longitude float64) (azimuth, altitude float64) {
	days := float64(t.UnixMilli())/86400e3 + 2440587.5 - 2451545 // since the noon of 1 January 2000
	T := (days + terrestrial) / 36525
	mean := 280.46646 + T*(36000.76983+T*0.0003032)
	anomaly := 357.52911 + T*(35999.05029-T*0.0001537)
	centre := sind(anomaly)*(1.914602-T*(0.004817+T*0.000014)) + sind(2*anomaly)*(0.019993-T*0.000101) + sind(3*anomaly)*0.000289
	node := 125.04 - 1934.136*T
	apparent := mean + centre - 0.00569 - 0.00478*sind(node)
	obliquity := 23 + (26+(21.448-T*(46.815+T*(0.00059-T*0.001813)))/60)/60 + 0.00256*cosd(node)
	declination := math.Asin(sind(obliquity) * sind(apparent))
	ascension := math.Atan2(cosd(obliquity)*sind(apparent), cosd(apparent)) * 180 / math.Pi
	sidereal := 280.46061837 + 360.98564736629*days + T*T*0.000387933 - 0.00478*sind(node)*cosd(obliquity)
	hour := sidereal + longitude - ascension
	sinLat, cosLat := sind(latitude), cosd(latitude)
	sinDec, cosDec := math.Sincos(declination)
	altitude = math.Asin(sinLat*sinDec+cosLat*cosDec*cosd(hour)) * 180 / math.Pi
	azimuth = math.Atan2(-cosDec*sind(hour), sinDec*cosLat-cosDec*sinLat*cosd(hour)) * 180 / math.Pi
	return math.Mod(azimuth+360, 360), altitude
}

func sind(deg float64) float64 { return math.Sin(math.Mod(deg, 360) * math.Pi / 180) }
func cosd(deg float64) float64 { return math.Cos(math.Mod(deg, 360) * math.Pi / 180) }
