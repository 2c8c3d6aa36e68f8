// Schedules of pipelines, parsed and printed.
// RUN: proa-opt %s | proa-opt | FileCheck %s --strict-whitespace
// RUN: proa-opt %s --mlir-print-op-generic | proa-opt | FileCheck %s --strict-whitespace

//      CHECK: {{^}}  dist.schedule @train microbatches = 3 {
// CHECK-NEXT: {{^}}    0: F0 F1 BW0 F2 BW1 BW2
// CHECK-NEXT: {{^}}    1: F0 BW0 F1 BW1 F2 BW2
// CHECK-NEXT: {{^}}  }
dist.schedule @train microbatches = 3 {
  0: F0 F1 BW0 F2 BW1 BW2
  1: F0 BW0 F1 BW1 F2 BW2
}

//      CHECK: dist.schedule @folded microbatches = 1 chunks = 2 placement = v activations = 1.000000e+00 attributes {a} {
// CHECK-NEXT: 0: F0.0 F0.1 B0.1 W0.1 BW0.0
dist.schedule @folded microbatches = 1 chunks = 2 placement = v activations = 1.0 attributes {a} {
  0: F0.0 F0.1 B0.1 W0.1 BW0.0
}
