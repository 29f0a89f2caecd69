#!/usr/bin/env bash
# What there is to measure on a machine with a GPU, in one go: the conformance suite, every shipped pipeline on the GPU alone, verification
# against float64 and the CPU, and the table of docs/gpu.md, which goes to standard output or the file named; the rest goes to standard error.
#
#     tools/gpu_report.sh [-o FILE]                    # the first GPU; needs the driver, and fetches headers and NVRTC
#     tools/gpu_report.sh [-o FILE] --devices FILE     # the first emulated device, in sizes that it can do; says so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=/dev/stdout
emulated=
while [ $# -gt 0 ]; do
  case $1 in
  -o) out=$(realpath "$2") && shift 2 ;;
  --devices) emulated=$(realpath "$2") && shift 2 ;;
  *) sed -n '2,6p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
  esac
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
step() { printf '\n== %s\n' "$*" >&2; }

if [ -z "$emulated" ]; then
  step 'build for GPUs'
  tools/nvrtc.sh >&2
  tools/cuda.sh go build -tags cuda -o "$scratch/weft" . >&2
  step 'conformance'
  tools/cuda.sh go test -tags cuda -count=1 -v -run 'TestConformance$' ./kernels/cuda | tee "$scratch/conformance" >&2
  grep -q -e '--- PASS: TestConformance/cuda' "$scratch/conformance" || { echo 'the suite did not run on a GPU' >&2; exit 1; }
  devices=() sizes=() samples=1024
else
  step 'build'
  go build -o "$scratch/weft" . >&2
  step 'conformance, emulated'
  go test -count=1 -run TestConformance ./kernels/emulated >&2
  devices=(--devices "$emulated") sizes=(--small) samples=16
fi

step devices
"$scratch/weft" devices "${devices[@]}" >&2
for pipeline in "$PWD"/pipelines/*/*.weft; do
  params=()
  case $emulated:$pipeline in ?*:*city.weft) params=(-p size=80) ;; esac
  step "run $pipeline"
  (cd "$scratch" && ./weft run "$pipeline" "${params[@]}" "${devices[@]}" --device gpu --strict >&2)
  step "verify $pipeline"
  (cd "$scratch" && ./weft verify "$pipeline" "${params[@]}" "${devices[@]}" --samples "$samples" >&2)
done

step report
"$scratch/weft" gpu-report "${devices[@]}" "${sizes[@]}" >"$out"
