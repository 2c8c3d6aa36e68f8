// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN
// RUN: proa-opt %s --pd-decompose=target=gpu | FileCheck %s --check-prefix=GPU
// RUN: proa-opt %s --pd-annotate-sharding-rules | FileCheck %s --check-prefix=RULE

// Four query heads and two heads of keys, in blocks of 16 rows.
// CHECK-LABEL: func.func @attention
// CHECK: pd.paged_attention {{.*}} {scale = 5.000000e-01 : f64} {{.*}} -> tensor<3x4x6xf16>
// Entries of unused blocks are replaced by 0 before the blocks are read, and unused rows by zeros.
// PLAIN-LABEL: func.func @attention
// PLAIN-NOT: pd.paged_attention
// PLAIN: %[[ENTRIES:.*]] = pd.where {{.*}} -> tensor<3x5xi64>
// PLAIN: pd.embedding %[[ENTRIES]], {{.*}} -> tensor<3x5x256xf16>
// PLAIN: pd.where {{.*}} -> tensor<3x2x80x8xf32>
// PLAIN: return
// GPU-LABEL: func.func @attention
// GPU: pd.paged_attention
// Sequences (i), heads of keys (j), query heads of one of them (k), elements of values (l).
// RULE-LABEL: func.func @attention
// RULE: pd.sharding_rule = "([i, jk, *], [*, j, *, *], [*, j, *, l], [i, *], [i])->([i, jk, l]) {i=3, j=2, k=2, l=6}"
func.func @attention(%q: tensor<3x4x8xf16>, %k: tensor<9x2x16x8xf16>, %v: tensor<9x2x16x6xf16>, %t: tensor<3x5xi32>,
                     %n: tensor<3xi32>) -> tensor<3x4x6xf16> {
  %0 = pd.paged_attention %q, %k, %v, %t, %n {scale = 0.5 : f64}
      : (tensor<3x4x8xf16>, tensor<9x2x16x8xf16>, tensor<9x2x16x6xf16>, tensor<3x5xi32>, tensor<3xi32>)
      -> tensor<3x4x6xf16>
  return %0 : tensor<3x4x6xf16>
}

// Kernels have no form for float64.
// GPU-LABEL: func.func @double
// GPU-NOT: pd.paged_attention
func.func @double(%q: tensor<3x4x8xf64>, %k: tensor<9x2x16x8xf64>, %t: tensor<3x5xi32>, %n: tensor<3xi32>)
    -> tensor<3x4x8xf64> {
  %0 = pd.paged_attention %q, %k, %k, %t, %n
      : (tensor<3x4x8xf64>, tensor<9x2x16x8xf64>, tensor<9x2x16x8xf64>, tensor<3x5xi32>, tensor<3xi32>)
      -> tensor<3x4x8xf64>
  return %0 : tensor<3x4x8xf64>
}

// Nor for dynamic dims.
// GPU-LABEL: func.func @dynamic
// GPU-NOT: pd.paged_attention
func.func @dynamic(%q: tensor<?x4x8xf32>, %k: tensor<?x2x16x8xf32>, %t: tensor<?x?xi64>, %n: tensor<?xi64>)
    -> tensor<?x4x8xf32> {
  %0 = pd.paged_attention %q, %k, %k, %t, %n
      : (tensor<?x4x8xf32>, tensor<?x2x16x8xf32>, tensor<?x2x16x8xf32>, tensor<?x?xi64>, tensor<?xi64>)
      -> tensor<?x4x8xf32>
  return %0 : tensor<?x4x8xf32>
}
