# shellcheck shell=bash
# Sourced by the scripts beside it: strict mode, the root of the clone as working folder, functions.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Clones share what ccache keeps: paths within one are taken relative to it.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "ci/${script##*/}" "$1" >&2
  exit "${2:-2}"
}

# Prints the lines of comment at the head of the running script.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"; }

have() { command -v "$1" >/dev/null 2>&1; }

# nproc would take OMP_NUM_THREADS for the number of cores.
jobs() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

# Where ninja comes with a Python package its program may lie outside PATH.
ninja_program() {
  command -v ninja || python3 -c 'import os, ninja; print(os.path.join(ninja.BIN_DIR, "ninja"))' \
    2>/dev/null
}

venv=.deps/venv
# shellcheck disable=SC2034  # used by ci/setup
torch_version=2.11.0
torch_set=auto  # of PyTorch: cpu and gpu force one (--cpu, --gpu)

# The folder `torch` of the wheel that CMake will take (ci/cmake/LibtorchWheel.cmake).
torch_wheel() {
  compgen -G "$venv/lib/python3*/site-packages/torch" ||
    python3 -c 'import importlib.util as u
print(u.find_spec("torch").submodule_search_locations[0])' 2>/dev/null
}

# Whether all that libtorch loads of CUDA lies beside that wheel.
full_set_is_there() {
  local folder nvidia name
  folder=$(torch_wheel) || return
  nvidia=${folder%/*}/nvidia
  for name in cublas cudart cufft cufile cupti curand cusolver cusparse nvJitLink nvrtc; do
    compgen -G "$nvidia/cu13/lib/lib$name.so*" >/dev/null || return
  done
  for name in cudnn cusparselt nccl nvshmem; do
    [ -d "$nvidia/$name/lib" ] || return
  done
}

is_nvcc_13() { "$1" --version 2>/dev/null | grep -q 'release 13\.'; }

# The nvcc that CMake will take: of CUDACXX alone where that is set, else the first of CUDA 13, as
# the wheel is, in PATH, in the toolkit's usual place and beside the wheel (ci/setup --gpu).
nvcc_program() {
  local program programs
  programs=(nvcc /usr/local/cuda/bin/nvcc
    "$PWD/$venv"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)
  [ -z "${CUDACXX:-}" ] || programs=("$CUDACXX")
  for program in "${programs[@]}"; do
    if program=$(command -v "$program") && is_nvcc_13 "$program"; then
      echo "$program"
      return
    fi
  done
  return 1
}

# What the preset `release` has of CUDA: all of it where nvcc and the full set of PyTorch are there.
cuda_options() {
  local with=OFF
  case $torch_set in
    gpu) with=ON ;;
    auto) ! { nvcc_program >/dev/null && full_set_is_there; } || with=ON ;;
  esac
  printf '%s\n' -DTRACEML_WITH_CUDA=$with -DTRACEML_WITH_NCCL=$with -DTRACEML_WITH_CUPTI=$with
}

# header FILE: whether it is where compilers look.
header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }

chart_js_is_there() {
  compgen -G "/usr/share/javascript/chart.js/chart.min.js" ||
    compgen -G "/usr/share/nodejs/chart.js/dist/chart.min.js"
}

# configure PRESET [-D...]: into build/PRESET, with ninja where there is one, else with make.
configure() {
  local preset=$1 ninja nvcc generator cuda=()
  shift
  [ "$preset" != release ] || mapfile -t cuda < <(cuda_options)
  ! nvcc=$(nvcc_program) || export CUDACXX=$nvcc
  if ninja=$(ninja_program); then
    generator=(-G Ninja "-DCMAKE_MAKE_PROGRAM=$ninja")
  else
    generator=(-G "Unix Makefiles")
  fi
  cmake --preset "$preset" "${generator[@]}" "${cuda[@]}" "$@"
}

# build PRESET [TARGET...]: everything where no target is named.
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  cmake --build "build/$preset" -j "$(jobs)" "${targets[@]}"
}

# Starts `ranks` ranks on this machine; with more ranks than cores too, and in containers.
mpirun_here() {
  local ranks=$1 as_root=() copy=none
  shift
  [ "$(id -u)" != 0 ] || as_root=(--allow-run-as-root)
  ! ci/may_read_siblings.py || copy=cma
  mpirun "${as_root[@]}" --oversubscribe --bind-to none \
    --mca btl_vader_single_copy_mechanism $copy -n "$ranks" "$@"
}
