// A gradient whose type says more than its operand's is cast to it where a region yields it.
// RUN: proa-opt %s --pd-vjp=function=f | FileCheck %s

func.func @f(%x: tensor<?xf32>, %w: tensor<5x6xf32>, %c: i1) -> tensor<?xf32> {
  %y = scf.if %c -> (tensor<?xf32>) {
    %product = pd.matmul %x, %w : (tensor<?xf32>, tensor<5x6xf32>) -> tensor<6xf32>
    %cast = tensor.cast %product : tensor<6xf32> to tensor<?xf32>
    scf.yield %cast : tensor<?xf32>
  } else {
    %sum = pd.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @f_vjp
// CHECK: pd.reshape {{.*}} -> tensor<5xf32>
// CHECK: tensor.cast {{.*}} : tensor<5xf32> to tensor<?xf32>
// CHECK: scf.yield {{.*}} : tensor<?xf32>, tensor<5x6xf32>
