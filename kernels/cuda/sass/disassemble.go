package sass

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"weft/kernels/cuda/nvrtc"
)

// ErrNotFound is matched by the error of Disassemble where there is no disassembler.
var ErrNotFound = errors.New("no nvdisasm on this machine: tools/nvrtc.sh --nvdisasm fetches one")

// Disassemble returns the kernels of a cubin by way of NVIDIA's disassembler: nvdisasm beside NVRTC, or in the path.
func Disassemble(image []byte) ([]Kernel, error) {
	tool, err := disassembler()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "weft-sass")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		return nil, err
	}
	text, err := exec.Command(tool, "-c", path).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	kernels := Read(string(text))
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%s shows no kernel", tool)
	}
	return kernels, nil
}

func disassembler() (string, error) {
	if dir, err := nvrtc.Folder(); err == nil {
		path := filepath.Join(dir, "nvdisasm")
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	path, err := exec.LookPath("nvdisasm")
	if err != nil {
		return "", ErrNotFound
	}
	return path, nil
}
