// Ops that need no other process, on small constants.
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s

// CHECK-LABEL: @split
func.func @split() -> tensor<2x2xf32> {
  // CHECK: dense<{{\[\[}}2.000000e+00, 3.000000e+00], [6.000000e+00, 7.000000e+00]]>
  %x = pd.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<2x4xf32>
  %0 = pd.c_split %x {rank = 1 : i64, nranks = 2 : i64} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Rows 10 and 11 are here; 9 and 12 are other processes'.
// CHECK-LABEL: @embedding
func.func @embedding() -> tensor<4x1xf32> {
  // CHECK: dense<{{\[\[}}0.000000e+00], [5.000000e+00], [7.000000e+00], [0.000000e+00]]>
  %w = pd.constant dense<[[5.0], [7.0]]> : tensor<2x1xf32>
  %x = pd.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
  %0 = pd.c_embedding %w, %x {start_index = 10 : i64} : (tensor<2x1xf32>, tensor<4xi64>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
