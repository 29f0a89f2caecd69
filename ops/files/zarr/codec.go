package zarr

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"weft/ops/files/words"
)

// codecs unpack a chunk that has at most so many bytes then, into the buffers where they need memory.
var codecs = map[string]func(packed []byte, most int, b *buffers) ([]byte, error){"crc32c": checked, "gzip": unzipped, "zstd": unzstd}

// packings are their names.
func packings() []string { return slices.Sorted(maps.Keys(codecs)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBytes is the size of the checksum behind a chunk.
const sumBytes = 4

// withSum is a chunk with its checksum behind it.
func withSum(chunk []byte) []byte {
	return binary.LittleEndian.AppendUint32(chunk, crc32.Checksum(chunk, castagnoli))
}

func checked(packed []byte, _ int, _ *buffers) ([]byte, error) {
	n := len(packed) - sumBytes
	if n < 0 {
		return nil, fmt.Errorf("%d bytes, and a checksum alone has %d", len(packed), sumBytes)
	}
	if want, got := binary.LittleEndian.Uint32(packed[n:]), crc32.Checksum(packed[:n], castagnoli); want != got {
		return nil, fmt.Errorf("its checksum is %08x, and that of its bytes %08x", want, got)
	}
	return packed[:n], nil
}

func unzipped(packed []byte, most int, b *buffers) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	b.chunk = words.Resized(b.chunk, most+1)
	n := 0
	for n <= most && err == nil {
		var more int
		more, err = r.Read(b.chunk[n:])
		n += more
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	data := b.chunk[:n]
	b.file, b.chunk = b.chunk, b.file // which the next codec unpacks into
	return data, err
}

// unzstd refuses what takes more memory than a chunk and its window can: frames say how much that is.
func unzstd(packed []byte, most int, b *buffers) ([]byte, error) {
	decoders := zstdDecoders(most)
	d, _ := decoders.Get().(*zstd.Decoder)
	if d == nil {
		var err error
		if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(most, 1<<20)))); err != nil {
			return nil, err
		}
	}
	defer decoders.Put(d)
	data, err := d.DecodeAll(packed, words.Resized(b.chunk, most)[:0])
	b.file, b.chunk = data, b.file
	return data, err
}

var decodersOf sync.Map // by what they decode at most

func zstdDecoders(most int) *sync.Pool {
	p, _ := decodersOf.LoadOrStore(most, new(sync.Pool))
	return p.(*sync.Pool)
}
