//go:build cuda

package cuda

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Partial = (*Device)(nil)

// AllocParts reserves addresses for the whole buffer and backs the pages of its parts; see device.Partial. A page is some
// MiB, so that small parts take more than they ask for.
func (d *Device) AllocParts(buf *ir.Buffer, parts []device.Span) (device.Memory, error) {
	parts = device.JoinSpans(parts)
	if n := len(parts); n > 0 && (parts[0].From < 0 || parts[n-1].To > buf.Bytes()) {
		return nil, fmt.Errorf("%s: parts %v of buffer %s are not within its %d bytes", d.info.Name, parts, buf.Name, buf.Bytes())
	}
	if d.page == 0 {
		return nil, fmt.Errorf("%s: parts of buffer %s: the GPU or its driver has no virtual memory", d.info.Name, buf.Name)
	}
	if parts == nil {
		parts = []device.Span{}
	}
	var v reserved
	err := d.with(func() error {
		var err error
		v, err = d.backed(buf, parts)
		return err
	})
	m := &memory{dev: d, born: d.contexts.Load(), buf: buf, parts: parts, first: cu.DevicePtr(v.at) + cu.DevicePtr(margin(buf))}
	m.give = func() error { return errors.Join(m.rest(), v.release(d.extra)) }
	for _, p := range v.mapped {
		m.size += p.To - p.From
	}
	if err == nil {
		err = m.ready(func(s cu.Stream) error {
			for _, p := range v.mapped {
				if err := cu.MemsetD8Async(cu.DevicePtr(v.at)+cu.DevicePtr(p.From), 0, p.To-p.From, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: parts %v of buffer %s: %w", d.info.Name, parts, buf.Name, err)
	}
	return m, nil
}

// reserved is a range of addresses, of which some pages are mapped.
type reserved struct {
	at, size uint64
	mapped   []device.Span // bytes from at
}

// pagesOf are the pages that parts of a buffer, with margins around them, lie on; the buffer's own margin is before its first byte.
func pagesOf(parts []device.Span, margin, size, page int64) []device.Span {
	var out []device.Span
	for _, p := range parts {
		out = append(out, device.Span{From: p.From / page * page, To: min(roundUp(p.To+2*margin, page), size)})
	}
	return device.JoinSpans(out)
}

// backed reserves and maps; where it fails nothing is left.
func (d *Device) backed(buf *ir.Buffer, parts []device.Span) (v reserved, err error) {
	x := d.extra
	size := roundUp(max(1, buf.Bytes()+2*margin(buf)), d.page)
	v.size = uint64(size)
	if err := check("cuMemAddressReserve", x.reserve(&v.at, uintptr(size), 0, 0, 0)); err != nil {
		return v, err
	}
	p, a := d.pages(), access{onDevice, int32(d.ordinal), readWrite}
	for _, s := range pagesOf(parts, margin(buf), size, d.page) {
		if err := v.back(x, s, &p, &a); err != nil {
			return reserved{}, errors.Join(err, v.release(x))
		}
	}
	return v, nil
}

// back maps new memory to pages. The memory goes with the mapping, its handle at once.
func (v *reserved) back(x *extra, s device.Span, p *property, a *access) error {
	var handle uint64
	at, n := v.at+uint64(s.From), uintptr(s.To-s.From)
	if err := check("cuMemCreate", x.create(&handle, n, p, 0)); err != nil {
		return err
	}
	err := check("cuMemMap", x.mapAt(at, n, 0, handle, 0))
	if err == nil {
		v.mapped = append(v.mapped, s)
		err = check("cuMemSetAccess", x.setAccess(at, n, a, 1))
	}
	return errors.Join(err, check("cuMemRelease", x.release(handle)))
}

func (v *reserved) release(x *extra) error {
	var problems []error
	for _, s := range v.mapped {
		problems = append(problems, check("cuMemUnmap", x.unmap(v.at+uint64(s.From), uintptr(s.To-s.From))))
	}
	v.mapped = nil
	return errors.Join(append(problems, check("cuMemAddressFree", x.unreserve(v.at, uintptr(v.size))))...)
}

// pages describes the memory that backs parts.
func (d *Device) pages() property {
	return property{kind: pinnedPages, place: onDevice, number: int32(d.ordinal)}
}

// pageSize is the least that can be mapped; 0 where nothing can.
func (d *Device) pageSize() (int64, error) {
	has, err := d.gpu.Attribute(virtualMemory)
	if err != nil || has == 0 || !d.extra.pages {
		return 0, nil // drivers that do not know the attribute do not have it
	}
	var n uintptr
	p := d.pages()
	err = check("cuMemGetAllocationGranularity", d.extra.granularity(&n, &p, 0))
	return int64(n), err
}

// virtualMemory is CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED.
const virtualMemory cu.DeviceAttribute = 102
