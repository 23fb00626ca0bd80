# shellcheck shell=bash
# Sourced by the scripts beside it: strict mode, the root of the clone as working folder, functions.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "ci/${script##*/}" "$1" >&2
  exit "${2:-2}"
}

# Prints the lines of comment at the head of the running script.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"; }

have() { command -v "$1" >/dev/null 2>&1; }

jobs() { nproc; }

# Where ninja comes with a Python package its program may lie outside PATH.
ninja_program() {
  command -v ninja || python3 -c 'import os, ninja; print(os.path.join(ninja.BIN_DIR, "ninja"))' \
    2>/dev/null
}

# configure PRESET [-D...]: into build/PRESET, with ninja where there is one, else with make.
configure() {
  local preset=$1 ninja generator
  shift
  if ninja=$(ninja_program); then
    generator=(-G Ninja "-DCMAKE_MAKE_PROGRAM=$ninja")
  else
    generator=(-G "Unix Makefiles")
  fi
  cmake --preset "$preset" "${generator[@]}" "$@"
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
