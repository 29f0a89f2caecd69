package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// interpreter is a Python that has some packages; the test is skipped where there is none.
func interpreter(t *testing.T, packages string) string {
	t.Helper()
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import "+packages).CombinedOutput(); err != nil {
		t.Skipf("no Python with %s: %s: %v %s(PYTHON names another interpreter)", packages, python, err, out)
	}
	return python
}

// asProgram is this test as a program of its own named weft.
func asProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "weft")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// The Python package passes its own tests with this weft.
func TestPython(t *testing.T) {
	python := interpreter(t, "numpy")
	cmd := exec.Command(python, "-m", "unittest", "discover", "-s", "tests")
	cmd.Dir = "../python"
	cmd.Env = append(os.Environ(), "WEFT="+asProgram(t), "WEFT_CACHE="+compiled, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The notebook of the package runs in a real kernel, from its first cell to its last.
func TestNotebook(t *testing.T) {
	python := interpreter(t, "nbconvert, ipykernel, numpy")
	package_, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	cmd := exec.Command(python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", to, filepath.Join(package_, "tutorial.ipynb"))
	cmd.Dir = to
	cmd.Env = append(os.Environ(), "WEFT="+asProgram(t), "WEFT_CACHE="+compiled, "PYTHONPATH="+package_+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
