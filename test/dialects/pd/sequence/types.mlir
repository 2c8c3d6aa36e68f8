// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<6x2xf32>, %o: tensor<4xi64>, %p: tensor<1xf32>, %n: tensor<3xi64>) -> tensor<6xi64> {
  // CHECK: pd.row_positions %{{.*}} -> (tensor<6xi64>, tensor<6xi64>)
  %0:2 = pd.row_positions %x, %o : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<6xi64>, tensor<6xi64>)
  // CHECK: pd.ranges %{{.*}} -> (tensor<?xi64>, tensor<4xi64>)
  %1:2 = pd.ranges %n, %n : (tensor<3xi64>, tensor<3xi64>) -> (tensor<?xi64>, tensor<4xi64>)
  // CHECK: pd.sequence_pool %{{.*}} pooltype = MAX : {{.*}} -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %2:2 = pd.sequence_pool %x, %o pooltype = MAX : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  // CHECK: pd.sequence_concat %{{.*}}, %{{.*}} offsets = %{{.*}}, %{{.*}} : {{.*}} -> (tensor<12x2xf32>, tensor<4xi64>)
  %3:2 = pd.sequence_concat %x, %x offsets = %o, %o : (tensor<6x2xf32>, tensor<6x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<12x2xf32>, tensor<4xi64>)
  // CHECK: pd.sequence_pad %{{.*}} -> (tensor<3x?x2xf32>, tensor<3xi64>)
  %4:2 = pd.sequence_pad %x, %o, %p : (tensor<6x2xf32>, tensor<4xi64>, tensor<1xf32>) -> (tensor<3x?x2xf32>, tensor<3xi64>)
  // CHECK: pd.sequence_reshape %{{.*}} -> (tensor<3x4xf32>, tensor<4xi64>)
  %5:2 = pd.sequence_reshape %x, %o {new_dim = 4} : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x4xf32>, tensor<4xi64>)
  return %0#0 : tensor<6xi64>
}
