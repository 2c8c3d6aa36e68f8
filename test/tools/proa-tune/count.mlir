// Without a device the tool counts instructions: the search, the table, the files, and the compiler that reads the database.
// RUN: rm -f %t.db.json %t.results.json
// RUN: proa-tune %s --count-instructions=sm_80 --trials=6 --database=%t.db.json --results=%t.results.json | FileCheck %s
// CHECK: kernel 1 of 1: [[NAME:.*]] (mulf+addf)
// CHECK-NEXT: 256 threads, #proa.contraction<kind = mma, {{.*}}>: {{[0-9.]+}} us
// CHECK: 256 threads, #proa.contraction<{{.*}}>: {{[0-9.]+}} us
// CHECK: kernel default us best us tried refused strategy
// CHECK-NEXT: [[NAME]] (
// CHECK: 1 kernels measured on sm_80 by instructions; {{.*}}.db.json has 1
// RUN: FileCheck %s --check-prefix=RESULTS < %t.results.json
// RESULTS: "chip": "sm_80"
// RESULTS: "trials": [
// RESULTS: "attributes": [
// RESULTS: "#proa.contraction<kind = {{.*}}
// RUN: FileCheck %s --check-prefix=DATABASE < %t.db.json
// DATABASE: "sm_80:{{[0-9a-f]+}}": {
// DATABASE: "complete": true
// Kernels of the database are not measured again.
// RUN: proa-tune %s --count-instructions=sm_80 --database=%t.db.json | FileCheck %s --check-prefix=AGAIN
// AGAIN: 0 kernels measured
// RUN: env PROA_TUNING=%t.db.json proa-compile %s --target=cuda --chips=sm_80 -o %t.so
// RUN: not proa-tune %s --count-instructions=sm_1 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: --count-instructions
func.func @main(%x: tensor<64x128xf16> {pd.feed = "x"}, %y: tensor<128x64xf16> {pd.feed = "y"}) -> (tensor<64x64xf16> {pd.fetch = "z"}) {
  %z = pd.matmul %x, %y : (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf16>
  return %z : tensor<64x64xf16>
}
