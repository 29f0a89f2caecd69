#!/usr/bin/env bash
# Runs a command, such as go build -tags cuda, with what cgo needs to compile gorgonia.org/cu: NVIDIA's headers, and a
# compiler. Headers are taken from CUDA_PATH or CUDA_HOME, /usr/local/cuda, Debian's nvidia-cuda-dev, or fetched from the
# Python package index into the user's cache. No toolkit, driver or GPU is needed. Exits 3 with a reason where it cannot.
set -euo pipefail

version=12.9.79
cache=${XDG_CACHE_HOME:-$HOME/.cache}/weft/cuda-headers-$version

cannot() {
  echo "no CUDA headers: $*" >&2
  exit 3
}

headers() {
  local dir
  for dir in "${CUDA_PATH:-}/include" "${CUDA_HOME:-}/include" /usr/local/cuda/include /usr/include "$cache"; do
    # linux/cuda.h is another file; CUDA 13 changed functions that cu calls.
    if [ -f "$dir/cuda.h" ] && grep -q 'define CUDA_VERSION 1[12]' "$dir/cuda.h"; then
      echo "$dir"
      return
    fi
  done
  command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || cannot "none are installed, and there is no pip to fetch them"
  local scratch
  scratch=$(mktemp -d)
  python3 -m pip download -q --no-deps --only-binary=:all: -d "$scratch" "nvidia-cuda-runtime-cu12==$version" >&2 ||
    { rm -rf "$scratch"; cannot "cannot download nvidia-cuda-runtime-cu12 $version (no network?)"; }
  mkdir -p "$(dirname "$cache")"
  python3 - "$scratch" <<'PYTHON'
import glob, sys, zipfile
for wheel in glob.glob(sys.argv[1] + "/*.whl"):
    zipfile.ZipFile(wheel).extractall(sys.argv[1])
PYTHON
  cp -r "$scratch/nvidia/cuda_runtime/include" "$cache.tmp.$$"
  mv -T "$cache.tmp.$$" "$cache" 2>/dev/null || rm -rf "$cache.tmp.$$"
  rm -rf "$scratch"
  echo "$cache"
}

dir=$(headers)
export CGO_ENABLED=1 CGO_CFLAGS="-I$dir ${CGO_CFLAGS:--O2 -g}"
exec "$@"
