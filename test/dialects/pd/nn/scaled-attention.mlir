// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED
// RUN: proa-opt %s --pd-annotate-sharding-rules | FileCheck %s --check-prefix=RULE

// CHECK-LABEL: @attention
// DECOMPOSED-LABEL: @attention
func.func @attention(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x5xf32>, %bias: tensor<8x8xf32>)
    -> (tensor<2x8x5xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>) {
  // CHECK: pd.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {ring = true, scale = 5.000000e-01 : f64} {{.*}} -> (tensor<2x8x5xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>)
  // DECOMPOSED: pd.matmul {{.*}}transpose_y = true
  // DECOMPOSED: pd.max
  // DECOMPOSED-NOT: pd.attention
  // RULE: pd.attention {{.*}}"([i, j, *], [i, j, *], [i, j, *], [j, *])->([i, j, *], [i, j, *], [i, j, *]) {i=2, j=8} replicated={j} local={j}"
  %0:3 = pd.attention %q, %k, %v, %bias {scale = 0.5 : f64, ring = true}
    : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x5xf32>, tensor<8x8xf32>) -> (tensor<2x8x5xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x8x5xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: @gradient
// DECOMPOSED-LABEL: @gradient
func.func @gradient(%q: tensor<2x8x4xf16>, %k: tensor<2x8x4xf16>, %v: tensor<2x8x5xf16>, %o: tensor<2x8x5xf16>,
                    %s: tensor<2x8x1xf32>) -> (tensor<2x8x4xf16>, tensor<2x8x4xf16>, tensor<2x8x5xf16>) {
  // CHECK: pd.attention_grad
  // DECOMPOSED-NOT: pd.attention_grad
  // RULE: pd.attention_grad {{.*}}"([i, j, *], [i, j, *], [i, j, *], [i, j, *], [i, j, *], [i, j, *], [i, j, *])->([i, j, *], [i, j, *], [i, j, *]) {i=2, j=8} replicated={j} local={j}"
  %0:3 = pd.attention_grad %q, %k, %v, %o, %s, %s, %o
    : (tensor<2x8x4xf16>, tensor<2x8x4xf16>, tensor<2x8x5xf16>, tensor<2x8x5xf16>, tensor<2x8x1xf32>, tensor<2x8x1xf32>, tensor<2x8x5xf16>)
    -> (tensor<2x8x4xf16>, tensor<2x8x4xf16>, tensor<2x8x5xf16>)
  return %0#0, %0#1, %0#2 : tensor<2x8x4xf16>, tensor<2x8x4xf16>, tensor<2x8x5xf16>
}

// Queries of another sequence than the keys are split by themselves.
// CHECK-LABEL: @cross
func.func @cross(%q: tensor<6x4xf32>, %k: tensor<8x4xf32>) -> tensor<6x4xf32> {
  // RULE: pd.attention {{.*}}"([i, *], [*, *], [*, *])->([i, *], [i, *], [i, *]) {i=6}"
  %0:3 = pd.attention %q, %k, %k : (tensor<6x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<6x4xf32>, tensor<6x1xf32>, tensor<6x1xf32>)
  return %0#0 : tensor<6x4xf32>
}
