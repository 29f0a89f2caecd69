#!/usr/bin/env bash
# What there is to measure on a machine with a GPU, in one go: the conformance suite, every shipped pipeline on the GPU alone, verification
# against float64 and the CPU, and the table of docs/gpu.md, which goes to standard output or the file named; the rest goes to standard error.
#
#     tools/gpu_report.sh [-o FILE]                    # the first GPU; needs the driver, and fetches headers and NVRTC
#     tools/gpu_report.sh [-o FILE] --devices FILE     # the first emulated device, in sizes that it can do; says so
#     tools/gpu_report.sh --prebuilt FILE.tar.gz       # packs all that is needed on a machine without network, toolkit, compiler and Go: unpack
#                                                      # it there and run ./gpu_report.sh [-o FILE] in it. NVRTC of CUDA 11 to 13 is searched in the
#                                                      # toolkit's folders and Python's packages (as PyTorch's); --with-nvrtc packs one
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

out=/dev/stdout
emulated= archive= pack_nvrtc=
while [ $# -gt 0 ]; do
  case $1 in
  -o) out=$(realpath "$2") && shift 2 ;;
  --devices) emulated=$(realpath "$2") && shift 2 ;;
  --prebuilt) archive=$(realpath "$2") && shift 2 ;;
  --with-nvrtc) pack_nvrtc=1 && shift ;;
  *) sed -n '2,9p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
  esac
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
step() { printf '\n== %s\n' "$*" >&2; }

# pack builds what is carried.
pack() {
  local to=$scratch/weft-gpu
  mkdir -p "$to"
  tools/cuda.sh go build -tags cuda -ldflags '-s -w' -o "$to/weft" . >&2
  tools/cuda.sh go test -tags cuda -c -ldflags '-s -w' -o "$to/conformance" ./kernels/cuda >&2
  cp -r pipelines tools/gpu_report.sh "$to/"
  if [ -n "$pack_nvrtc" ]; then
    mkdir "$to/nvrtc"
    cp "$(tools/nvrtc.sh)"/libnvrtc* "$to/nvrtc/"
  fi
  tar -C "$scratch" -czf "$archive" weft-gpu
  printf '%s: unpack it on the machine with the GPU, and run weft-gpu/gpu_report.sh -o report.md\n' "$archive" >&2
}

# nvrtcs are the folders outside of the usual ones that may hold an NVRTC.
nvrtcs() {
  local prefix
  for prefix in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}" /usr /usr/local /opt/conda "${HOME:-}/.local"; do
    [ -z "$prefix" ] || printf '%s\n' "$prefix"/lib/python3*/*-packages/nvidia/cu{da_nvrtc,13}/lib "$prefix"/lib
  done
}

prebuilt= weft=$scratch/weft devices=() sizes=() samples=1024
if [ -x "$here/weft" ] && [ -x "$here/conformance" ]; then
  prebuilt=1 weft=$here/weft
  [ -z "$archive$emulated" ] || { echo 'this is what was packed: it measures the GPU of this machine' >&2; exit 2; }
  cd "$here"
  export WEFT_CACHE=${WEFT_CACHE:-$scratch/cache} HOME=${HOME:-$scratch}
else
  cd "$here/.."
fi

if [ -n "$archive" ]; then
  step 'build for GPUs, and pack'
  pack
  exit
elif [ -n "$prebuilt" ]; then
  if [ -d nvrtc ]; then
    export WEFT_NVRTC=$here/nvrtc
  fi
  "$weft" devices >"$scratch/devices" 2>&1 || true
  if [ -z "${WEFT_NVRTC:-}" ] && grep -q 'no NVRTC' "$scratch/devices"; then
    while read -r folder; do
      if compgen -G "$folder/libnvrtc.so*" >/dev/null; then
        export WEFT_NVRTC=$folder
        "$weft" devices >"$scratch/devices" 2>&1 || true
        if grep -q '^cuda:0 ' "$scratch/devices"; then break; fi
      fi
    done < <(nvrtcs)
  fi
  if ! grep -q '^cuda:0 ' "$scratch/devices"; then
    {
      printf '**No GPU was measured.** '
      grep '^cuda:' "$scratch/devices" || { cat "$scratch/devices"; false; }
    } >"$out"
    step 'what was packed runs, without a GPU'
    "$weft" run pipelines/statistics/histogram.weft >&2
    ./conformance -test.v -test.run 'TestConformance$' >&2
    exit 3
  fi
  step 'conformance'
  ./conformance -test.v -test.run 'TestConformance$' | tee "$scratch/conformance" >&2 || true
elif [ -z "$emulated" ]; then
  step 'build for GPUs'
  tools/nvrtc.sh >&2
  tools/cuda.sh go build -tags cuda -o "$weft" . >&2
  step 'conformance'
  tools/cuda.sh go test -tags cuda -count=1 -v -run 'TestConformance$' ./kernels/cuda | tee "$scratch/conformance" >&2 || true
else
  step 'build'
  go build -o "$weft" . >&2
  step 'conformance, emulated'
  go test -count=1 -v -run TestConformance ./kernels/emulated | tee "$scratch/conformance" >&2 || true
  devices=(--devices "$emulated") sizes=(--small) samples=16
fi

# verdict runs a command, and says in a cell whether it went well. What goes wrong is in the table, and does not end it.
failed=
verdict() {
  if (cd "$scratch" && "$@" >&2); then echo ok; else echo "**failed** ($?)" && return 1; fi
}

step devices
"$weft" devices "${devices[@]}" >&2
rows=()
for pipeline in "$PWD"/pipelines/*/*.weft; do
  if grep -q '^# Needs ' "$pipeline"; then
    continue # files that are not here
  fi
  params=()
  case $emulated:$pipeline in ?*:*city.weft) params=(-p size=80) ;; esac
  step "run and verify $pipeline"
  ran=$(verdict "$weft" run "$pipeline" "${params[@]}" "${devices[@]}" --device gpu --strict) || failed=1
  verified=$(verdict "$weft" verify "$pipeline" "${params[@]}" "${devices[@]}" --samples "$samples") || failed=1
  rows+=("| ${pipeline#"$PWD/pipelines/"} | $ran | $verified |")
done
passed=$(grep -c -e '^ *--- PASS: TestConformance.*/' "$scratch/conformance" || true)
lost=$(grep -c -e '^ *--- FAIL: ' "$scratch/conformance" || true)
[ "$passed" -gt 0 ] && [ "$lost" -eq 0 ] || failed=1

step report
{
  "$weft" gpu-report "${devices[@]}" "${sizes[@]}" || { echo '**The benchmarks failed.**' && failed=1; }
  printf '\nConformance: %d cases passed, %d failed.\n\n| pipeline, all of it on the GPU | run | against float64 and the CPU |\n|---|---|---|\n' "$passed" "$lost"
  printf '%s\n' "${rows[@]}"
} >"$out"
[ -z "$failed" ]
