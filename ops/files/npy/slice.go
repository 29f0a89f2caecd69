package npy

import (
	"errors"
	"fmt"

	"weft/ops/files/words"
)

// Element is a Go type that arrays are made of. Float16 has none; its bits are read and written as bytes.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// TypeOf is the DType of a Go type.
func TypeOf[T Element]() DType {
	var t T
	switch any(t).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	}
	return Complex128
}

// Values reads the whole array as elements of T in C order, converted as Conversion says.
func Values[T Element](f *File) ([]T, error) {
	values := make([]T, f.header.Len())
	return values, f.Read(words.Raw(values), Layout{DType: TypeOf[T]()})
}

// Load reads the NPY file at path as elements of T in C order, and its shape.
func Load[T Element](path string) (values []T, shape []int, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	values, err = Values[T](f)
	return values, f.header.Shape, errors.Join(err, f.Close())
}

// Save writes values in C order as an NPY file of their type.
func Save[T Element](path string, shape []int, values []T) error {
	w, err := Create(path, TypeOf[T](), shape)
	if err != nil {
		return err
	}
	if want := w.header.Len(); len(values) != want {
		err = w.fail(fmt.Errorf("the shape %v holds %d elements, not %d", Shape(shape), want, len(values)))
	} else {
		_, err = w.Write(words.Raw(values))
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}
