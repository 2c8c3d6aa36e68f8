// RUN: proa-opt %s --pd-jvp | FileCheck %s

// A decomposition that knows fewer dims than its op: what a region yields keeps its type.
// CHECK-LABEL: func.func @main_jvp
// CHECK: scf.if %{{.*}} -> (tensor<3xf32>, tensor<3xf32>) {
// CHECK: } else {
// CHECK: tensor.cast %{{.*}} : tensor<?xf32> to tensor<3xf32>
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<3xf32>, tensor<3xf32>
func.func @main(%x: tensor<?xf32>, %y: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  %0 = scf.if %c -> (tensor<3xf32>) {
    scf.yield %y : tensor<3xf32>
  } else {
    %1 = pd.assign %x : (tensor<?xf32>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
