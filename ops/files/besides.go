package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"weft/ops/problem"
)

// mostNeighbours bounds how many files of a folder are looked at for one that was meant.
const mostNeighbours = 2000

// besides adds to the problem of a missing file the files of the same kind in its folder.
func besides(path string, err error) error {
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != problem.MissingFile {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return missingFolder(p, filepath.Dir(path), err)
	}
	defer folder.Close()
	entries, err := folder.ReadDir(mostNeighbours)
	if err != nil {
		return p // the folder is empty, or cannot be listed
	}
	var names []string
	for _, e := range entries {
		if ending(e.Name()) == ending(path) {
			names = append(names, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return p.Among(names)
}

// missingFolder says that not only the file is missing.
func missingFolder(p problem.Problem, folder string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		p.Help = "there is no folder " + folder + " either; relative paths start at the folder where weft runs"
	}
	return p
}
