// RUN: proa-opt %s --pd-refine-shapes | FileCheck %s
// What programs compute on shapes is known once the shapes are.

// CHECK-LABEL: @reshape_by_parts
// CHECK-SAME: -> tensor<2x15xf32>
func.func @reshape_by_parts(%x: tensor<2x3x5xf32>) -> tensor<?x?xf32> {
  // CHECK-NOT: pd.shape
  // CHECK-NOT: pd.concat
  // CHECK: pd.reshape %{{.*}} -> tensor<2x15xf32>
  %shape = pd.shape %x : (tensor<2x3x5xf32>) -> tensor<3xi32>
  %first = pd.slice %shape {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>} : (tensor<3xi32>) -> tensor<1xi32>
  %rest = pd.full {shape = array<i64: 1>, dtype = i32, value = -1.0} : () -> tensor<1xi32>
  %both = pd.concat %first, %rest {axis = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %out = pd.reshape %x, %both : (tensor<2x3x5xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}

// A dimension that stays open does not hide the others.
// CHECK-LABEL: @partly_known
// CHECK-SAME: -> tensor<?x4x5xf32>
func.func @partly_known(%x: tensor<?x20xf32>) -> tensor<?x?x?xf32> {
  %shape = pd.shape %x : (tensor<?x20xf32>) -> tensor<2xi32>
  %batch, %width = pd.unbind %shape : (tensor<2xi32>) -> (tensor<i32>, tensor<i32>)
  %four = pd.full {dtype = i32, value = 4.0} : () -> tensor<i32>
  %depth = pd.floor_divide %width, %four : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %dims = pd.stack %batch, %four, %depth : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  %out = pd.reshape %x, %dims : (tensor<?x20xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  return %out : tensor<?x?x?xf32>
}

// An element that is gathered from a shape, of which others stay open.
// CHECK-LABEL: @gathered
// CHECK-SAME: -> tensor<?x8xf32>
func.func @gathered(%x: tensor<?x16xf32>) -> tensor<?x?xf32> {
  %shape = pd.shape %x : (tensor<?x16xf32>) -> tensor<2xi32>
  %last = pd.constant dense<-1> : tensor<i64>
  %two = pd.constant dense<2> : tensor<i32>
  %width = pd.gather %shape, %last : (tensor<2xi32>, tensor<i64>) -> tensor<i32>
  %half = pd.floor_divide %width, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %end = pd.reshape %half {shape = array<i64: 1>} : (tensor<i32>) -> tensor<1xi32>
  %out = pd.slice %x ends = %end {axes = array<i64: 1>, starts = array<i64: 0>} : (tensor<?x16xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}
