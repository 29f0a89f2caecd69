#!/usr/bin/env bash
# Fetches NVIDIA's run-time compiler from the Python package index into a folder (default: where weft looks for it) and
# prints the folder. With --ptxas also the assembler that reports registers, with --nvdisasm the disassembler by which instructions are
# counted. Exits 3 with a reason where it cannot.
set -euo pipefail

version=12.9.86
disassembler=13.5.37 # it reads what the compiler of 12.9 writes; of that version there is no package
ptxas= nvdisasm=
while :; do
  case ${1:-} in
  --ptxas) ptxas=1 ;;
  --nvdisasm) nvdisasm=1 ;;
  *) break ;;
  esac
  shift
done
folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/weft/nvrtc}

cannot() {
  echo "no NVRTC: $*" >&2
  exit 3
}

fetch() { # package with its version, file in it by pattern
  local scratch
  scratch=$(mktemp -d)
  python3 -m pip download -q --no-deps --only-binary=:all: -d "$scratch" "$1" >&2 ||
    { rm -rf "$scratch"; cannot "cannot download $1 (no network?)"; }
  python3 - "$scratch" "$folder" "$2" <<'PYTHON'
import glob, os, re, stat, sys, zipfile
scratch, folder, pattern = sys.argv[1:]
for wheel in glob.glob(scratch + "/*.whl"):
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            if re.search(pattern, name):
                path = os.path.join(folder, os.path.basename(name))
                with open(path + ".tmp", "wb") as f:
                    f.write(z.read(name))
                os.chmod(path + ".tmp", 0o755)
                os.rename(path + ".tmp", path)
PYTHON
  rm -rf "$scratch"
}

mkdir -p "$folder"
if ! ls "$folder"/libnvrtc.so.* >/dev/null 2>&1; then
  command -v python3 >/dev/null || cannot "python3 is not installed"
  python3 -m pip --version >/dev/null 2>&1 || cannot "pip is not installed"
  fetch nvidia-cuda-nvrtc-cu12==$version '/lib/libnvrtc(-builtins)?\.so\.[0-9.]+$'
fi
if [ -n "$ptxas" ] && [ ! -x "$folder/ptxas" ]; then
  fetch nvidia-cuda-nvcc-cu12==$version '/bin/ptxas$'
fi
if [ -n "$nvdisasm" ] && [ ! -x "$folder/nvdisasm" ]; then
  fetch nvidia-cuda-nvdisasm==$disassembler '/bin/nvdisasm$'
fi
echo "$folder"
