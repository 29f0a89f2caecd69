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

	"github.com/klauspost/compress/zstd"

	"weft/ops/files/words"
)

// codecs unpack a chunk that has at most so many bytes then, into the buffers where they need memory.
var codecs = map[string]func(packed []byte, most int, b *buffers) ([]byte, error){sum: checked, "gzip": unzipped, "zstd": unzstd}

// packings are their names.
func packings() []string { return slices.Sorted(maps.Keys(codecs)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the codec that puts a checksum behind a chunk.
const sum = "crc32c"

// sumBytes is the size of the checksum behind a chunk.
const sumBytes = 4

// withSum is a chunk with its checksum behind it.
func withSum(chunk []byte) []byte {
	return binary.LittleEndian.AppendUint32(chunk, crc32.Checksum(chunk, castagnoli))
}

// zipped is a chunk packed by gzip, which has a checksum of its own.
func zipped(chunk []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzipLevel)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(chunk)
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

// gzipLevel is the quickest one.
const gzipLevel = gzip.BestSpeed

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
func unzstd(packed []byte, most int, b *buffers) (data []byte, err error) {
	if b.zstd == nil { // the first that unpacks a chunk has the largest to make
		if b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(most, 1<<20)))); err != nil {
			return nil, err
		}
	}
	data, err = b.zstd.DecodeAll(packed, words.Resized(b.chunk, most)[:0])
	b.file, b.chunk = data, b.file
	return data, err
}
