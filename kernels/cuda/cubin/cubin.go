// Package cubin reads from NVIDIA's machine code what its kernels take of a GPU. A cubin is an ELF file; a section
// .nv.info lists attributes of its functions, a section .nv.shared.NAME stands for a kernel's shared memory. The layout is not
// documented by NVIDIA; the numbers of the attributes are those that cuobjdump prints, and a test holds the figures against
// ptxas.
package cubin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Resources are what one kernel takes.
type Resources struct {
	Registers int // 32 bits each, of a thread
	Shared    int // bytes of shared memory of a block, declared in the source
	Stack     int // bytes of local memory of a thread: spilled registers, arrays, scratch of library functions
}

// reserved is what the system keeps for itself of a block's shared memory from compute capability 9.0 on: machine code with a section
// .nv.shared.reserved.0 counts it in every kernel that has shared memory of its own.
const reserved = 1024

// Attributes of .nv.info, and the format of those with a payload.
const (
	withPayload   = 4
	frameSize     = 0x11
	registerCount = 0x2f
)

// Read returns the resources of every kernel of a cubin, by name.
func Read(image []byte) (map[string]Resources, error) {
	f, err := elf.NewFile(bytes.NewReader(standard(image)))
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	info := f.Section(".nv.info")
	if info == nil {
		return nil, errors.New("cubin: no section .nv.info")
	}
	data, err := info.Data()
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	kernels := map[string]Resources{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			kernels[name] = Resources{}
		}
	}
	err = attributes(data, func(attribute byte, symbol, value uint32) error {
		if symbol == 0 || int(symbol) > len(symbols) {
			return fmt.Errorf("cubin: an attribute of symbol %d of %d", symbol, len(symbols))
		}
		name := symbols[symbol-1].Name // the first, null, is left out
		r, ok := kernels[name]
		if !ok {
			return nil
		}
		switch attribute {
		case registerCount:
			r.Registers = int(value)
		case frameSize:
			r.Stack = int(value)
		}
		kernels[name] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, r := range kernels {
		if s := f.Section(".nv.shared." + name); s != nil {
			r.Shared = int(s.Size)
			if f.Section(".nv.shared.reserved.0") != nil {
				r.Shared = max(0, r.Shared-reserved)
			}
		}
		if r.Registers == 0 {
			return nil, fmt.Errorf("cubin: no register count of kernel %s", name)
		}
		kernels[name] = r
	}
	return kernels, nil
}

// standard is the file with ELF's own version in its header, where NVIDIA puts the toolkit's and debug/elf minds.
func standard(image []byte) []byte {
	const version = 0x14
	if len(image) < version+4 {
		return image
	}
	out := bytes.Clone(image)
	binary.LittleEndian.PutUint32(out[version:], uint32(elf.EV_CURRENT))
	return out
}

// attributes calls f for each attribute that gives a symbol a value: a format byte, an attribute byte, and 16 bits that are the
// value, or the size of a payload.
func attributes(data []byte, f func(attribute byte, symbol, value uint32) error) error {
	for len(data) > 0 {
		if len(data) < 4 {
			return fmt.Errorf("cubin: %d bytes after the last attribute", len(data))
		}
		format, attribute, n := data[0], data[1], int(binary.LittleEndian.Uint16(data[2:]))
		data = data[4:]
		if format != withPayload {
			continue
		}
		if n > len(data) {
			return fmt.Errorf("cubin: an attribute of %d bytes where %d are left", n, len(data))
		}
		if n == 8 {
			if err := f(attribute, binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])); err != nil {
				return err
			}
		}
		data = data[n:]
	}
	return nil
}
