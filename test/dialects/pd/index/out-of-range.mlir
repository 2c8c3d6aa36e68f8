// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s
// An index that points outside is an error of the run: nothing is folded, and nothing breaks.

// CHECK-LABEL: @gathers
func.func @gathers() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = pd.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = pd.constant dense<[1, 7]> : tensor<2xi64>
  %c = pd.constant dense<[[-4], [0]]> : tensor<2x1xi64>
  // CHECK: pd.gather %
  %0 = pd.gather %x, %i : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  // CHECK: pd.gather_nd %
  %1 = pd.gather_nd %x, %c : (tensor<3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  // CHECK: pd.take_along_axis %
  %2 = pd.take_along_axis %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  // CHECK: pd.gather %
  %3 = pd.index_select %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @scatters
func.func @scatters() -> (tensor<3xf32>, tensor<3xf32>) {
  %x = pd.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = pd.constant dense<[[1], [7]]> : tensor<2x1xi64>
  %i = pd.constant dense<[1, -4]> : tensor<2xi64>
  %u = pd.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: pd.scatter_nd %
  %0 = pd.scatter_nd %x, %c, %u reduce = add : (tensor<3xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3xf32>
  // CHECK: pd.put_along_axis %
  %1 = pd.put_along_axis %x, %i, %u {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @shape
func.func @shape(%x: tensor<6xf32>) -> tensor<?xf32> {
  %s = pd.constant dense<[6, 2]> : tensor<2xi64>
  %i = pd.constant dense<[5]> : tensor<1xi64>
  // An element that is not known leaves the reshape to its operand.
  // CHECK: pd.reshape %{{.*}} {shape = array<i64: -1>}
  %0 = pd.gather %s, %i : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %1 = pd.reshape %x, %0 : (tensor<6xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: @table
func.func @table() -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  // A class that there is not has zeros.
  // CHECK: pd.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00]]>
  %w = pd.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %i = pd.constant dense<[1, 9]> : tensor<2xi64>
  // CHECK: pd.embedding %
  %0 = pd.embedding %i, %w : (tensor<2xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = pd.one_hot %i {num_classes = 3 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x3xf32>
}
