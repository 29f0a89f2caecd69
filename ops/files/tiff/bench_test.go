package tiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// terrain is a surface with hills, roughness and flat roofs, in metres to the millimetre, like a laser scan's.
func terrain(height, width int) []float32 {
	values := make([]float32, height*width)
	state := uint32(1)
	for i := range values {
		y, x := i/width, i%width
		v := 20*math.Sin(float64(y)/90) + 15*math.Cos(float64(x)/70)
		if y/40%3 == 0 && x/30%2 == 0 {
			v = 40 + float64(y/40+x/30)
		} else {
			state = state*1664525 + 1013904223
			v += float64(state>>24) / 1000
		}
		values[i] = float32(math.Round(v*1000) / 1000)
	}
	return values
}

const benchEdge = 2048

type storage struct {
	name   string
	header Header
}

func storages() []storage {
	var all []storage
	for _, c := range []Compression{None, Deflate, LZW} {
		for _, p := range predictors(c, element.Float32) {
			all = append(all, storage{fmt.Sprintf("tiles-%v-%v", c, p), Header{Compression: c, Predictor: p}})
		}
	}
	return append(all,
		storage{"strips-none", Header{BlockH: 1, Compression: None}},
		storage{"strips-deflate", Header{BlockH: 16, Compression: Deflate}},
		storage{"tiles-none-big-endian", Header{Compression: None, BigEndian: true}},
	)
}

func (s storage) save(b *testing.B, path string, values []float32) {
	h := s.header
	h.DType, h.Height, h.Width = element.Float32, benchEdge, benchEdge
	if err := Save(path, h, values); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	values := terrain(benchEdge, benchEdge)
	dst := words.Bytes(4 * len(values))
	for _, s := range storages() {
		b.Run(s.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "a.tif")
			s.save(b, path, values)
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				f, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := f.Read(dst, Layout{DType: element.Float32, NodataAsNaN: true}); err != nil {
					b.Fatal(err)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Tiles of 512 x 512 with a halo of 100, by rows, as a stencil reads them. MB/s counts each element once.
func BenchmarkReadTilesWithHalo(b *testing.B) {
	values := terrain(benchEdge, benchEdge)
	for _, cached := range []int64{0, DefaultCache} {
		b.Run(fmt.Sprintf("cache-%dMB", cached>>20), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "a.tif")
			storage{}.save(b, path, values)
			b.SetBytes(int64(4 * len(values)))
			for b.Loop() {
				f, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				f.SetCache(cached)
				whole := f.header.Whole()
				dst := words.Bytes(712 * 712 * 4)
				for y := 0; y < benchEdge; y += 512 {
					for x := 0; x < benchEdge; x += 512 {
						r := Rect{y - 100, y + 612, x - 100, x + 612}.intersect(whole)
						if err := f.ReadTile(dst, Layout{DType: element.Float32}, r); err != nil {
							b.Fatal(err)
						}
					}
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	values := terrain(benchEdge, benchEdge)
	for _, s := range storages() {
		b.Run(s.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "a.tif")
			b.SetBytes(int64(4 * len(values)))
			for b.Loop() {
				s.save(b, path, values)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(100*float64(info.Size())/float64(4*len(values)), "%size")
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	s := sample{element.Int16, 1024, 1024, binary.LittleEndian, false, false, 64, 0, None, NoPredictor}
	f := open(b, s.file())
	dst := words.Bytes(4 << 20)
	b.SetBytes(2 << 20)
	for b.Loop() {
		if err := f.Read(dst, Layout{DType: element.Float32, NodataAsNaN: true}); err != nil {
			b.Fatal(err)
		}
	}
}
