#!/bin/bash
# Everything that needs a CUDA device, with one command: correctness of the whole corpus, then speed. Writes a table
# with the date and the device's name. Arguments: the folder of proa's tools, the table's file.
#
#   test/bench/gpu.sh build/release/bin gpu-results.md
set -euo pipefail
bin=${1:-build/release/bin}
table=${2:-gpu-$(date +%F).md}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if ! "$bin/proa-run" "$root/test/corpus/ops/relu/basic" --target=cuda --quiet > /dev/null; then
  echo "no CUDA device can run proa (see the error above)" >&2
  exit 1
fi

echo "== correctness: the corpus and the cases on the device" >&2
"$bin/proa-check" "$root/test/corpus" "$root/test/cases" --target=cuda \
  --known-failures "$root/test/corpus/known-failures.txt"
PROA_CUDA_GRAPHS=off "$bin/proa-check" "$root/test/corpus/models" --target=cuda \
  --known-failures "$root/test/corpus/known-failures.txt"

echo "== speed" >&2
python3 "$here/gpu.py" --bin "$bin" --out "$table"
echo "wrote $table"
