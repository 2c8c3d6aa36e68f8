// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @arrays
func.func @arrays(%x: tensor<2x3xf32>, %i: tensor<1xi64>, %c: tensor<i1>) -> (tensor<?x2x3xf32>, tensor<1xi64>) {
  // CHECK: pd.array_create : () -> !pd.array<*>
  %0 = pd.array_create : () -> !pd.array<*>
  // CHECK: pd.array_write {{.*}} -> !pd.array<tensor<2x3xf32>>
  %1 = pd.array_write %0, %i, %x : (!pd.array<*>, tensor<1xi64>, tensor<2x3xf32>) -> !pd.array<tensor<2x3xf32>>
  %2 = pd.array_read %1, %i : (!pd.array<tensor<2x3xf32>>, tensor<1xi64>) -> tensor<2x3xf32>
  %3 = pd.array_length %1 : (!pd.array<tensor<2x3xf32>>) -> tensor<1xi64>
  %4 = pd.array_slice %1, %i, %3 : (!pd.array<tensor<2x3xf32>>, tensor<1xi64>, tensor<1xi64>) -> !pd.array<tensor<2x3xf32>>
  // CHECK: pd.array_cast {{.*}} : <tensor<2x3xf32>> to <tensor<?x3xf32>>
  %5 = pd.array_cast %4 : !pd.array<tensor<2x3xf32>> to !pd.array<tensor<?x3xf32>>
  %6:2 = pd.array_to_tensor %4 {axis = 0, use_stack = true} : (!pd.array<tensor<2x3xf32>>) -> (tensor<?x2x3xf32>, tensor<?xi32>)
  // CHECK: pd.assert
  pd.assert %c, %x {summarize = 3} : (tensor<i1>, tensor<2x3xf32>) -> ()
  // CHECK: pd.print %{{.*}}, %{{.*}} {message = "here", name = "x"}
  pd.print %x, %i {message = "here", name = "x"} : (tensor<2x3xf32>, tensor<1xi64>) -> ()
  return %6#0, %3 : tensor<?x2x3xf32>, tensor<1xi64>
}
