package mat

import (
	"encoding/binary"
	"errors"
	"io"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// load reads an array of the file at path: its elements, in C order.
func (p part) load(path string) (out []byte, err error) {
	f, _, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = fileio.Wrap(path, fileio.CannotRead, err)
		}
	}()
	return p.from(f)
}

func (p part) from(r io.ReaderAt) ([]byte, error) {
	if p.set != nil {
		out, err := p.fromSet(r)
		if err == nil && p.below > 0 {
			err = p.check(r, words.View[int32](out))
		}
		if err != nil {
			return nil, err
		}
		return inRows(out, p.full, p.class.Size()), nil
	}
	if !p.joined {
		out, err := p.numbers(r, p.data, p.class)
		if err != nil {
			return nil, err
		}
		return inRows(out, p.full, p.class.Size()), nil
	}
	half := map[element.DType]element.DType{element.Complex64: element.Float32, element.Complex128: element.Float64}[p.class]
	re, err := p.numbers(r, p.data, half)
	if err != nil {
		return nil, err
	}
	im, err := p.numbers(r, p.imag, half)
	if err != nil {
		return nil, err
	}
	out, each := words.Bytes(len(re)+len(im)), half.Size()
	for i := 0; i < len(re); i += each {
		copy(out[2*i:], re[i:i+each])
		copy(out[2*i+each:], im[i:i+each])
	}
	return inRows(out, p.full, p.class.Size()), nil
}

// numbers are the elements that lie somewhere, in their order there, as a type.
func (p part) numbers(r io.ReaderAt, d data, class element.DType) ([]byte, error) {
	c, err := p.in.open(r)
	if err != nil {
		return nil, err
	}
	if err := c.skip(d.at); err != nil {
		return nil, err
	}
	raw, err := c.bytes(d.size)
	if err != nil {
		return nil, err
	}
	as := stored[d.kind]
	if (c.order == binary.BigEndian) != words.HostBigEndian {
		words.Swap(raw, as.Word())
	}
	if p.below > 0 {
		if err := p.check(r, words.View[int32](raw)); err != nil {
			return nil, err
		}
	}
	if class == element.Bool { // stored as small whole numbers
		for i, v := range raw {
			raw[i] = min(v, 1)
		}
		class = as
	}
	convert, err := element.Converter(as, class)
	if err != nil {
		return nil, err
	}
	out := words.Bytes(len(raw) / as.Size() * class.Size())
	if bad := convert(out, raw); bad >= 0 {
		return nil, damage("element %d of %s does not fit its type", bad, p.name)
	}
	return out, nil
}

// check finds what is wrong with rows of entries, or with where those of the columns begin.
func (p part) check(r io.ReaderAt, x []int32) error {
	for i, v := range x {
		if v < 0 || int(v) >= p.below {
			return damage("entry %d of %s is %d, and has to be 0 to %d", i, p.name, v, p.below-1)
		}
		if p.starts == nil && i > 0 && v < x[i-1] {
			return damage("%s falls from %d to %d", p.name, x[i-1], v)
		}
	}
	if p.starts == nil {
		if x[0] != 0 {
			return damage("%s begins with %d", p.name, x[0])
		}
		return nil
	}
	raw, err := p.starts.from(r)
	if err != nil {
		return err
	}
	starts := words.View[int32](raw)
	for k, first := range starts[:len(starts)-1] {
		for i := first + 1; i < starts[k+1]; i++ {
			if x[i-1] >= x[i] {
				return damage("the rows of column %d of %s are not in order: %d, %d", k, p.name, x[i-1], x[i])
			}
		}
	}
	return nil
}

// inRows puts elements in C order that lie with the first dim innermost.
func inRows(in []byte, shape []int, size int) []byte {
	long := 0
	for _, n := range shape {
		if n > 1 {
			long++
		}
	}
	if long < 2 {
		return in
	}
	out := words.Bytes(len(in))
	index := make([]int, len(shape))
	strides := make([]int, len(shape))
	step := size
	for i, n := range shape {
		strides[i], step = step, step*n
	}
	from := 0
	for to := 0; to < len(out); to += size {
		copy(out[to:to+size], in[from:from+size])
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			if from += strides[k]; index[k] < shape[k] {
				break
			}
			from -= strides[k] * shape[k]
			index[k] = 0
		}
	}
	return out
}
