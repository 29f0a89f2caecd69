//go:build linux || darwin

package nvrtc

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Library is a loaded NVRTC. Its methods are safe for concurrent use.
type Library struct {
	path         string
	major, minor int
	archs        []int // nil: too old to tell

	version     func(major, minor *int32) int32
	errorString func(code int32) string
	create      func(prog *uintptr, source, name string, headers int32, texts, names uintptr) int32
	compile     func(prog uintptr, n int32, options uintptr) int32
	destroy     func(prog *uintptr) int32
	logSize     func(prog uintptr, n *uint64) int32
	log         func(prog uintptr, text *byte) int32
	ptxSize     func(prog uintptr, n *uint64) int32
	ptx         func(prog uintptr, text *byte) int32
	cubinSize   func(prog uintptr, n *uint64) int32
	cubin       func(prog uintptr, text *byte) int32
	archCount   func(n *int32) int32
	archList    func(list *int32) int32
}

// Open loads the newest NVRTC there is. Without one the error matches ErrNotFound and says what was tried.
func Open() (*Library, error) { return OpenFor(math.MaxInt) }

// OpenFor is Open for a driver of a major version of CUDA: it does not load code of later ones.
func OpenFor(driver int) (*Library, error) {
	e := &NotFoundError{}
	for _, path := range candidates() {
		l, err := open(path)
		if err == nil && l.major > driver {
			err = fmt.Errorf("it is of CUDA %d.%d, and the driver of %d", l.major, l.minor, driver)
		}
		if err == nil {
			return l, nil
		}
		e.Tried = append(e.Tried, fmt.Sprintf("%s: %v", path, err))
	}
	return nil, e
}

func open(path string) (*Library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := &Library{path: path}
	for _, f := range []struct {
		symbol string
		to     any
		needed bool
	}{
		{"nvrtcVersion", &l.version, true}, {"nvrtcGetErrorString", &l.errorString, true},
		{"nvrtcCreateProgram", &l.create, true}, {"nvrtcCompileProgram", &l.compile, true}, {"nvrtcDestroyProgram", &l.destroy, true},
		{"nvrtcGetProgramLogSize", &l.logSize, true}, {"nvrtcGetProgramLog", &l.log, true},
		{"nvrtcGetPTXSize", &l.ptxSize, true}, {"nvrtcGetPTX", &l.ptx, true},
		{"nvrtcGetCUBINSize", &l.cubinSize, false}, {"nvrtcGetCUBIN", &l.cubin, false}, // from 11.1 on
		{"nvrtcGetNumSupportedArchs", &l.archCount, false}, {"nvrtcGetSupportedArchs", &l.archList, false}, // from 11.2 on
	} {
		address, err := purego.Dlsym(handle, f.symbol)
		if err != nil {
			if f.needed {
				return nil, err
			}
			continue
		}
		purego.RegisterFunc(f.to, address)
	}
	var major, minor, n int32
	if err := l.check("nvrtcVersion", l.version(&major, &minor)); err != nil {
		return nil, err
	}
	l.major, l.minor = int(major), int(minor)
	if l.archCount != nil && l.archList != nil {
		if err := l.check("nvrtcGetNumSupportedArchs", l.archCount(&n)); err != nil {
			return nil, err
		}
		list := make([]int32, max(1, n))
		if err := l.check("nvrtcGetSupportedArchs", l.archList(&list[0])); err != nil {
			return nil, err
		}
		for _, a := range list[:n] {
			l.archs = append(l.archs, int(a))
		}
	}
	return l, nil
}

func (l *Library) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", call, l.errorString(code))
}

// String names the library: its version and file.
func (l *Library) String() string { return fmt.Sprintf("NVRTC %d.%d (%s)", l.major, l.minor, l.path) }

// Version is the CUDA version the library belongs to.
func (l *Library) Version() (major, minor int) { return l.major, l.minor }

// Supports reports that the library makes machine code for a compute capability, as 90 for 9.0. One too old to tell
// is taken to know those up to 8.0.
func (l *Library) Supports(capability int) bool {
	if l.archs == nil {
		return capability <= 80
	}
	return slices.Contains(l.archs, capability)
}

// Best is machine code where the library can make it, else PTX for the nearest lower capability that it knows.
func (l *Library) Best(capability int) Target {
	if l.cubin != nil && l.Supports(capability) {
		return Target{Capability: capability}
	}
	best := min(capability, 80)
	for _, a := range l.archs {
		if a <= capability && a > best {
			best = a
		}
	}
	return Target{best, true}
}

// CompileError is NVRTC's refusal of generated code: a fault of weft or of NVRTC, never of the user.
type CompileError struct {
	Name   string
	Reason string
	Log    string
}

func (e *CompileError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.Log), "\n")
	return fmt.Sprintf("nvrtc: %s: %s\n\t%s", e.Name, e.Reason, strings.Join(lines[:min(len(lines), 8)], "\n\t"))
}

// Compile compiles a translation unit called name to a cubin, or PTX, that the driver loads.
func (l *Library) Compile(name, source string, target Target, options []string) ([]byte, error) {
	var prog uintptr
	if err := l.check("nvrtcCreateProgram", l.create(&prog, source, name, 0, 0, 0)); err != nil {
		return nil, err
	}
	defer l.destroy(&prog)
	texts := make([][]byte, 0, len(options)+1)
	for _, o := range append([]string{target.option()}, options...) {
		texts = append(texts, append([]byte(o), 0))
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	list := make([]uintptr, len(texts))
	for i, t := range texts {
		pin.Pin(&t[0])
		list[i] = uintptr(unsafe.Pointer(&t[0]))
	}
	pin.Pin(&list[0])
	if err := l.check("nvrtcCompileProgram", l.compile(prog, int32(len(list)), uintptr(unsafe.Pointer(&list[0])))); err != nil {
		log, logErr := l.text("nvrtcGetProgramLog", prog, l.logSize, l.log)
		if logErr != nil {
			log = []byte(logErr.Error())
		}
		return nil, &CompileError{name, err.Error(), strings.TrimRight(string(log), "\x00\n")}
	}
	if target.PTX {
		return l.text("nvrtcGetPTX", prog, l.ptxSize, l.ptx)
	}
	return l.text("nvrtcGetCUBIN", prog, l.cubinSize, l.cubin)
}

func (l *Library) text(call string, prog uintptr, size func(uintptr, *uint64) int32, get func(uintptr, *byte) int32) ([]byte, error) {
	var n uint64
	if err := l.check(call+"Size", size(prog, &n)); err != nil || n == 0 {
		return nil, err
	}
	out := make([]byte, n)
	return out, l.check(call, get(prog, &out[0]))
}
