package picture

import (
	"bytes"
	"encoding/base64"
	"flag"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files anew")

// waves is a smooth image with a gap.
func waves() Image {
	m := steps(24, 40)
	for i := range m.Values {
		m.Values[i] = float32(math.Sin(float64(i%40)/6) * math.Cos(float64(i/40)/5))
	}
	for i := range 3 {
		m.Values[5*40+20+i] = float32(math.NaN())
		m.Values[6*40+20+i] = float32(math.NaN())
	}
	return m
}

func TestTerminalGoldens(t *testing.T) {
	placed := waves()
	placed.Title = "waves"
	placed.X, placed.Y = Axis{"x", "mm", -10, 9.5}, Axis{"z", "mm", 20, 31.5}
	skewed := waves()
	skewed.X, skewed.Y = Axis{"time", "us", 0, 390}, Axis{Name: "element"}
	for _, c := range []struct {
		name  string
		m     Image
		scale Scale
		width int
		caps  Caps
	}{
		{"plain", waves(), Scale{}, 60, Caps{}},
		{"plain-axes", placed, Scale{Lo: -1, Hi: 1, Label: "V"}, 72, Caps{}},
		{"plain-free", skewed, Scale{Label: "V"}, 72, Caps{}},
		{"indexed", placed, Scale{Lo: -1, Hi: 1, Map: "blue-red"}, 50, Caps{Depth: Indexed}},
		{"truecolour", placed, Scale{Lo: -1, Hi: 1, Label: "V"}, 50, Caps{Depth: TrueColour}},
		{"smallest", waves(), Scale{}, narrowest, Caps{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const height = 24
			var out bytes.Buffer
			if err := Terminal(&out, c.m, c.scale, c.width, height, c.caps); err != nil {
				t.Fatal(err)
			}
			checkSize(t, out.String(), c.width, height)
			path := filepath.Join("testdata", c.name+".golden")
			if *update {
				if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("differs from %s (-update writes it anew):\n%s", path, out.String())
			}
		})
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkSize makes sure that the drawing fits and leaves the colours as they were.
func checkSize(t *testing.T, drawn string, width, height int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
	if len(lines) > height {
		t.Errorf("%d lines, at most %d fit", len(lines), height)
	}
	for _, line := range lines[:len(lines)-1] { // the legend may be longer than a very narrow picture
		if n := utf8.RuneCountInString(escapes.ReplaceAllString(line, "")); n > width {
			t.Errorf("a line of %d characters, at most %d fit: %q", n, width, line)
		}
		if codes := escapes.FindAllString(line, -1); len(codes) > 0 && codes[len(codes)-1] != "\x1b[0m" {
			t.Errorf("a line leaves a colour set: %q", line)
		}
	}
}

func TestTerminalErrors(t *testing.T) {
	for want, err := range map[string]error{
		"too few":            Terminal(&bytes.Buffer{}, waves(), Scale{}, 10, 24, Caps{}),
		"nothing to draw":    Terminal(&bytes.Buffer{}, Image{}, Scale{}, 80, 24, Caps{}),
		"no colour map":      Terminal(&bytes.Buffer{}, waves(), Scale{Map: "x"}, 80, 24, Caps{}),
		"below the second":   Terminal(&bytes.Buffer{}, waves(), Scale{Lo: 2, Hi: 1}, 80, 24, Caps{}),
		"needs 6 values":     Terminal(&bytes.Buffer{}, NewImage(nil, 2, 3), Scale{}, 80, 24, Caps{}),
		"file already close": Terminal(failing{}, waves(), Scale{}, 80, 24, Caps{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestProtocols(t *testing.T) {
	draw := func(p Protocol) string {
		var out bytes.Buffer
		if err := Terminal(&out, waves(), Scale{Label: "V"}, 80, 24, Caps{TrueColour, p}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var data strings.Builder
	for _, part := range strings.Split(draw(Kitty), "\x1b_G") {
		if _, payload, ok := strings.Cut(part, ";"); ok {
			data.WriteString(strings.TrimSuffix(strings.TrimSpace(payload), "\x1b\\"))
		}
	}
	checkPicture(t, "kitty", data.String())
	_, payload, _ := strings.Cut(draw(ITerm), ":")
	payload, _, _ = strings.Cut(payload, "\a")
	checkPicture(t, "iTerm2", payload)
	if s := draw(Sixel); !strings.HasPrefix(s, "\x1bP") || !strings.HasSuffix(s, "\x1b\\\n") {
		t.Errorf("Sixel begins with %q and ends with %q", s[:4], s[len(s)-4:])
	}
}

func checkPicture(t *testing.T, name, base string) {
	t.Helper()
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(base)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if size := img.Bounds().Size(); size.X > 80*dotsOf.X || size.Y > 24*dotsOf.Y {
		t.Errorf("%s: a picture of %v does not fit 80 x 24 characters", name, size)
	}
}
