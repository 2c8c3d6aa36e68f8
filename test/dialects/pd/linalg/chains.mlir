// RUN: proa-opt %s --pd-decompose="target=cpu" --canonicalize | FileCheck %s
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s --check-prefix=VALUE

// (10 x 100) (100 x 5) (5 x 50): the left product first takes 7500 multiplications, the right one first 75000.
// CHECK-LABEL: @cheapest_left
// CHECK: %[[P:.*]] = pd.matmul %arg0, %arg1
// CHECK: pd.matmul %[[P]], %arg2
func.func @cheapest_left(%a: tensor<10x100xf32>, %b: tensor<100x5xf32>, %c: tensor<5x50xf32>) -> tensor<10x50xf32> {
  %0 = pd.multi_dot %a, %b, %c : (tensor<10x100xf32>, tensor<100x5xf32>, tensor<5x50xf32>) -> tensor<10x50xf32>
  return %0 : tensor<10x50xf32>
}

// With a column at the end every product from the right makes a vector.
// CHECK-LABEL: @cheapest_right
// CHECK: %[[P:.*]] = pd.matmul %arg1, %arg2
// CHECK: pd.matmul %arg0, %[[P]]
func.func @cheapest_right(%a: tensor<10x10xf32>, %b: tensor<10x10xf32>, %c: tensor<10xf32>) -> tensor<10xf32> {
  %0 = pd.multi_dot %a, %b, %c : (tensor<10x10xf32>, tensor<10x10xf32>, tensor<10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// [1 2] [[1 0] [0 3]] [1 1]^T = 7, plus 1; and the difference of squares (1 * 1 + 2 * 1)^2 - (1 + 4) = 4, halved.
// VALUE-LABEL: @values
func.func @values() -> (tensor<1x1xf64>, tensor<1x1xf64>) {
  // VALUE-DAG: dense<8.000000e+00> : tensor<1x1xf64>
  // VALUE-DAG: dense<2.000000e+00> : tensor<1x1xf64>
  %x = pd.constant dense<[[1.0, 2.0]]> : tensor<1x2xf64>
  %y = pd.constant dense<[[1.0, 1.0]]> : tensor<1x2xf64>
  %w = pd.constant dense<[[[1.0, 0.0], [0.0, 3.0]]]> : tensor<1x2x2xf64>
  %b = pd.constant dense<[1.0]> : tensor<1xf64>
  %0 = pd.bilinear %x, %y, %w, %b : (tensor<1x2xf64>, tensor<1x2xf64>, tensor<1x2x2xf64>, tensor<1xf64>) -> tensor<1x1xf64>
  %c = pd.constant dense<[[1.0], [1.0]]> : tensor<2x1xf64>
  %1:4 = pd.fusion_squared_mat_sub %x, %c {scalar = 0.5} : (tensor<1x2xf64>, tensor<2x1xf64>) -> (tensor<1x2xf64>, tensor<2x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
  return %0, %1#3 : tensor<1x1xf64>, tensor<1x1xf64>
}
