// RUN: proa-opt %s --pd-checkpoint=function=f | FileCheck %s

// Random ops go before the region. A constant that both use stays before the first one, also as the second one moves;
// another constant moves with its user.
// CHECK-LABEL: func @f_checkpoint
// CHECK: %[[SHARED:.*]] = arith.constant false
// CHECK: scf.if %[[SHARED]]
// CHECK: %[[LATE:.*]] = arith.constant true
// CHECK: scf.if %[[SHARED]]
// CHECK: scf.if %[[LATE]]
// CHECK: pd.checkpoint
func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %false = arith.constant false
  %a = scf.if %false -> (tensor<8xf32>) {
    %s = pd.gaussian {dtype = f32, shape = array<i64: 8>} : () -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  }
  %b = pd.exp %a : (tensor<8xf32>) -> tensor<8xf32>
  %true = arith.constant true
  %c = scf.if %false -> (tensor<8xf32>) {
    %s = pd.gaussian {dtype = f32, shape = array<i64: 8>} : () -> tensor<8xf32>
    %t = scf.if %true -> (tensor<8xf32>) {
      scf.yield %s : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    scf.yield %t : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  }
  %d = pd.add %b, %c : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %e = pd.exp %d : (tensor<8xf32>) -> tensor<8xf32>
  return %e : tensor<8xf32>
}
