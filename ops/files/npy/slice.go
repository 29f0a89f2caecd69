package npy

import (
	"errors"
	"fmt"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// Values reads the whole array as elements of T in C order, converted as Conversion says.
func Values[T element.Go](f *File) ([]T, error) {
	values := make([]T, f.header.Len())
	return values, f.Read(words.Raw(values), Layout{DType: element.Of[T]()})
}

// Load reads the NPY file at path as elements of T in C order, and its shape.
func Load[T element.Go](path string) (values []T, shape []int, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	values, err = Values[T](f)
	return values, f.header.Shape, errors.Join(err, f.Close())
}

// Save writes values in C order as an NPY file of their type.
func Save[T element.Go](path string, shape []int, values []T) error {
	header, err := newHeader(element.Of[T](), shape)
	if want := header.Len(); err == nil && len(values) != want {
		err = fmt.Errorf("the shape %v holds %d elements, not %d", element.Shape(shape), want, len(values))
	}
	if err != nil {
		return fileio.Wrap(path, cannotWrite, err)
	}
	w, err := create(path, header.DType, shape)
	if err != nil {
		return err
	}
	if _, err := w.Write(words.Raw(values)); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}
