#!/usr/bin/env bash
# From a bare Debian 12 to a built and tested proa.
#   ./bootstrap.sh run    install what is missing, build the tools, run a real program of the corpus
#   ./bootstrap.sh test   install what is missing, build, run every test
#   ./bootstrap.sh setup  install what is missing only
#   ./bootstrap.sh cuda   install the parts of a CUDA toolkit that are missing (setup, run and test do so too)
#   ./bootstrap.sh onnx   install the Python packages that tests of ONNX models compare with (setup and test do so too)
#   ./bootstrap.sh python  install the Python packages that the package proa needs (setup and test do so too)
#   ./bootstrap.sh cuda-headers  install the headers of all CUDA libraries, for cuda-abi-test (1.2 GB of packages)
set -euo pipefail
cd "$(dirname "$0")"

packages=(
  clang-22 lld-22 g++ cmake ninja-build ccache git
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libclang-rt-22-dev clang-format-22
  libdnnl-dev libfmt-dev nlohmann-json3-dev libcli11-dev protobuf-compiler libprotobuf-dev libsimdjson-dev
  libdlpack-dev libopenblas-pthread-dev libopenblas0 liblapacke-dev libkissfft-dev libxxhash-dev libmimalloc-dev
  libboost-context-dev libgtest-dev libgmock-dev libbenchmark-dev libzstd-dev zlib1g-dev python3 python3-dev
  openmpi-bin libopenmpi3 xz-utils graphviz dpkg-dev pkg-config
)

setup() {
  local missing=()
  for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  if ((${#missing[@]})); then
    echo "installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
}

# Parts of a CUDA toolkit: a file, and the Python package that has it. The versions are the newest that LLVM 22 knows
# (PTX 9.0); nvdisasm has no package of that version, and a newer one reads the same code.
cuda_parts=(
  'libnvJitLink.so.13 nvidia-nvjitlink==13.0.88'
  'ptxas nvidia-cuda-nvcc==13.0.88'
  'libdevice.10.bc nvidia-nvvm==13.0.88'
  'nvdisasm nvidia-cuda-nvdisasm==13.2.51'
)
cuda_packages=build/cuda # lib/compiler/codegen/cuda/CMakeLists.txt

# Headers that cuda-abi-test reads besides nvJitLink's: a header, and the Python package that has it. Of a
# package only headers are kept.
cuda_headers=(
  'cudaTypedefs.h nvidia-cuda-runtime==13.0.96'
  'crt/host_config.h nvidia-cuda-crt==13.0.88'
  'cudnn.h nvidia-cudnn-jit-cu13==9.27.0.42'
)
# The same, in packages of more than 150 MB each.
large_cuda_headers=(
  'cublasLt.h nvidia-cublas==13.10.0.20'
  'cufft.h nvidia-cufft==12.5.0.14'
  'cusolverDn.h nvidia-cusolver==12.4.1.2'
  'nccl.h nvidia-nccl-cu13==2.32.3'
)
cuda_header_folder=build/cuda-headers # test/unit/cuda/CMakeLists.txt
cuda_toolkits=(${CUDA_HOME:+"$CUDA_HOME"} ${CUDA_PATH:+"$CUDA_PATH"} /usr/local/cuda)

# Whether one of the folders has a file, in the layout of a toolkit.
has_cuda_part() {
  local folder place
  for folder in "${@:2}"; do
    for place in bin lib64 lib nvvm/libdevice include; do
      [[ -f $folder/$place/$1 ]] && return
    done
  done
  return 1
}

setup_pip() {
  python3 -m pip --version >/dev/null 2>&1 ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-pip >/dev/null || true
}

# Installs missing headers of a list like cuda_headers, a package after the other.
install_cuda_headers() {
  local part package folder
  [[ -z ${PROA_CUDA_PATH:-} ]] || return 0
  for part in "$@"; do
    ! has_cuda_part "${part% *}" "${cuda_toolkits[@]}" "$cuda_header_folder" || continue
    package=${part#* }
    echo "installing the headers of $package into $cuda_header_folder"
    setup_pip
    mkdir -p "$cuda_header_folder/include"
    folder=$(mktemp -d "$cuda_header_folder/XXXXXX")
    if python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "$package" &&
      python3 -m zipfile -e "$folder"/*.whl "$folder/package"; then
      cp -r "$folder"/package/nvidia/*/include/. "$cuda_header_folder/include"
    else
      echo "warning: the headers of $package cannot be installed; the test of their ABI is skipped" >&2
    fi
    rm -rf "$folder"
  done
}

# Installs missing parts of a CUDA toolkit. Nothing of the build needs them: without them proa runs on the CPU.
cuda() {
  local part missing=() is_complete=1
  install_cuda_headers "${cuda_headers[@]}"
  [[ -z ${PROA_CUDA_PATH:-} ]] || return 0
  for part in "${cuda_parts[@]}"; do
    has_cuda_part "${part% *}" "${cuda_toolkits[@]}" || missing+=("${part#* }")
    has_cuda_part "${part% *}" "${cuda_toolkits[@]}" "$cuda_packages"/nvidia/* || is_complete=0
  done
  # All packages at once: pip replaces the folder that they share.
  ((is_complete == 0)) || return 0
  echo "installing ${missing[*]} into $cuda_packages"
  setup_pip
  if ! python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --upgrade \
    --target "$cuda_packages" "${missing[@]}"; then
    echo "warning: the packages above cannot be installed; proa is built without them: code for CUDA devices cannot" \
      "be compiled, and its tests are skipped. Set CUDA_HOME, or run ./bootstrap.sh cuda again when online" >&2
  fi
}

# Installs Python packages into a folder if one is missing: install_packages FOLDER WHAT NAME==VERSION... WHAT is lost
# without them; in CI that is an error.
install_packages() {
  local folder=$1 lost=$2 part is_complete=1
  shift 2
  for part in "$@"; do
    [[ -d $folder/$(tr - _ <<<"${part%%=*}")-${part##*=}.dist-info ]] || is_complete=0
  done
  ((is_complete == 0)) || return 0
  echo "installing $* into $folder"
  setup_pip
  mkdir -p "$folder"
  rm -rf "${folder:?}"/*
  if ! python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --target "$folder" "$@"; then
    echo "warning: the packages above cannot be installed; $lost. Run ./bootstrap.sh again when online" >&2
    [[ -z ${CI:-} ]]
  fi
}

# Python packages that tests of ONNX models compare with: the checker, the schemas and the tests of backends of onnx,
# and ONNX Runtime; 54 MB of packages, 190 MB on disk. translator/onnx/SchemaTable.inc has this version of onnx.
onnx() {
  install_packages build/onnx 'tests that compare with them are skipped' onnx==1.23.2 onnxruntime==1.32.0
}

# Python packages of the package proa: what builds it, NumPy, and what its tests and examples use.
python() {
  install_packages build/python 'the Python package is not built' nanobind==3.1.0 scikit-build-core==1.1.2 \
    numpy==2.4.6 pytest==9.2.0 mypy==2.4.1 scipy==1.17.1
}

# Builds the targets that are given, or all.
build() {
  mkdir -p build/release
  cmake --preset release >build/release/configure.log 2>&1 || { cat build/release/configure.log; exit 1; }
  NINJA_STATUS='[%f/%t %es] ' cmake --build --preset release ${1:+--target "$@"}
}

run() {
  build/release/bin/proa-run test/corpus/models/nlp/bert --expect --repeat 20 --profile
}

passed=0
failed=0

# Runs ctest in a build folder and adds its summary to the counts.
count_tests() {
  local folder=$1 log="$1/ctest.log" total bad
  shift
  ctest --test-dir "$folder" --output-on-failure -j "$(nproc)" "$@" 2>&1 | tee "$log" || true
  total=$(sed -nE 's/.*tests failed out of ([0-9]+).*/\1/p' "$log" | tail -n 1)
  bad=$(sed -nE 's/.* ([0-9]+) tests? failed out of .*/\1/p' "$log" | tail -n 1)
  if [[ -z $total || -z $bad ]]; then
    total=1
    bad=1
  fi
  passed=$((passed + total - bad))
  failed=$((failed + bad))
}

# The readers meet hostile files: their tests run again under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitized='support-test legacy-test onnx-test params-test'

tests() {
  count_tests build/release
  mkdir -p build/asan
  cmake --preset asan >build/asan/configure.log 2>&1 || { cat build/asan/configure.log; exit 1; }
  # shellcheck disable=SC2086
  NINJA_STATUS='[%f/%t %es] ' cmake --build --preset asan --target $sanitized
  count_tests build/asan -R "^unit/(${sanitized// /|})\$"
  echo "$passed passed, $failed failed"
  ((failed == 0))
}

case "${1:-}" in
  setup) setup; cuda; onnx; python ;;
  cuda) cuda ;;
  onnx) onnx ;;
  python) python ;;
  cuda-headers) install_cuda_headers "${cuda_headers[@]}" "${large_cuda_headers[@]}" ;;
  run) setup; cuda; build tools; run ;;
  test) setup; cuda; onnx; python; build; tests ;;
  *) sed -n '2,9p' "$0"; exit 1 ;;
esac
