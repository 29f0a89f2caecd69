#!/usr/bin/env bash
# tools/release.sh [FOLDER]: archives of weft for Linux, macOS and Windows on amd64 and arm64, with their SHA-256 sums, of the commit that is
# checked out. Each is unpacked again and tried as far as this machine can run it; what was tried is printed and stands in the archive.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$(mkdir -p "${1:-release}" && cd "${1:-release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

test -z "$(git status --porcelain --untracked-files=no)" || { echo 'there are changes that no commit has' >&2; exit 1; }
version=$(git describe --tags --always)
date=$(git show -s --format=%cI HEAD)

# what a platform can do: read by users, so it is said of each archive and not of all
able() {
  case $1 in
    linux) echo 'Needs the C library of GNU (glibc), as most distributions have it. Kernels are compiled by gcc 10, clang 12 or newer (WEFT_CC names one); without one they are interpreted, slowly, which the run says. NVIDIA GPUs need a build with -tags cuda from source.' ;;
    darwin) echo 'Kernels are compiled by the clang of the Xcode command line tools (xcode-select --install); without it they are interpreted, slowly, which the run says.' ;;
    windows) echo 'Pipelines are checked, explained, formatted and edited (weft check, explain, fmt, lsp, doc) as anywhere. Kernels are not compiled on Windows: runs interpret them, slowly. In WSL the archive for Linux does all.' ;;
  esac
}

# a small run that needs no file: what it prints is known
try() { # PROGRAM...
  (cd "$work/try" && printf 'show(sum(axis(x, 1 .. 100 in 100)))\n' >try.weft && "$@" version && "$@" check try.weft && "$@" run try.weft | grep -qx 5050)
}

for os in linux darwin windows; do
  for arch in amd64 arm64; do
    name=weft-$version-$os-$arch
    mkdir -p "$work/$name" "$work/try"
    exe=weft
    [ $os = windows ] && exe=weft.exe
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags '-s -w' -o "$work/$name/$exe" .
    cp -r README.md docs pipelines python "$work/$name/"
    rm -f "$work/$name/docs/docs.go"
    find "$work/$name/python" \( -name __pycache__ -o -name tests \) -prune -exec rm -rf {} +
    case $os-$arch-$(uname -s)-$(uname -m) in
      linux-amd64-Linux-x86_64 | linux-arm64-Linux-aarch64 | darwin-arm64-Darwin-arm64 | darwin-amd64-Darwin-x86_64)
        try "$work/$name/$exe" >/dev/null
        tried='This program was run on its platform when the archive was made.' ;;
      linux-arm64-*)
        if command -v qemu-aarch64-static >/dev/null && [ -e /usr/aarch64-linux-gnu/lib ]; then # Debian: qemu-user-static, libc6-arm64-cross
          WEFT_CC=none try qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/$name/$exe" >/dev/null
          tried='This program was run under an emulator of its processor when the archive was made, without a C compiler.'
        else
          tried='This program was built, and not run, when the archive was made.'
        fi ;;
      *) tried='This program was built, and not run, when the archive was made.' ;;
    esac
    printf 'weft %s for %s on %s\n\n%s\n\n%s\n' "$version" $os $arch "$(able $os)" "$tried" >"$work/$name/PLATFORM.txt"
    find "$work/$name" -exec touch -h -d "$date" {} +
    if [ $os = windows ]; then
      (cd "$work" && python3 -m zipfile -c "$out/$name.zip" "$name")
    else
      tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
    fi
    printf '%-14s %s\n' $os-$arch "$tried"
  done
done
(cd "$out" && sha256sum weft-"$version"-* >weft-"$version"-SHA256SUMS)
