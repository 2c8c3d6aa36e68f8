// RUN: proa-opt %s --dist-propagate --split-input-file | FileCheck %s

// Closed dimensions and `replicated` stop propagation; open dimensions are extended.
// CHECK-LABEL: func.func @limits
// CHECK-SAME: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}]>}
// CHECK-SAME: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}
// CHECK-SAME: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>}
// CHECK-SAME: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}]>}
dist.mesh @m = <["x"=2, "y"=2]>
func.func @limits(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}]>},
    %closed: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %replicated: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{?}, {?}], replicated = {"x"}>},
    %open: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x", ?}, {}]>}) -> tensor<8x8xf32> {
  %0 = pd.add %a, %closed : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = pd.add %0, %replicated : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.add %1, %open : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// The axis of lower priority is used where the other does not reach. With equal priorities the first operand decides.
// CHECK-LABEL: func.func @priorities
// CHECK: pd.add {{.*}} {dist.shardings = [#dist.sharding<@m, [{"y"}, {}]>]
// CHECK: pd.tanh {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK-LABEL: func.func @equal_priorities
// CHECK: pd.add {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
dist.mesh @m = <["x"=2, "y"=2]>
func.func @priorities(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}p1, {}]>},
    %b: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = pd.add %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = pd.tanh %a : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @equal_priorities(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>},
    %b: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = pd.add %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Rows and columns want the same axis: the smaller operand moves.
// CHECK-LABEL: func.func @conflict_by_cost
// CHECK-DAG: dist.reshard %{{.*}} from <@m, [{}, {"x"}]> to <@m, [{}, {}]> : tensor<64x8xf32>
// CHECK-DAG: dist.reshard %{{.*}} from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<8x64xf32>
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>]
// CHECK-NOT: dist.reshard
dist.mesh @m = <["x"=2]>
func.func @conflict_by_cost(%a: tensor<4096x64xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>},
    %b: tensor<64x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>},
    %c: tensor<8x64xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>},
    %d: tensor<64x4096xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>})
    -> (tensor<4096x8xf32>, tensor<8x4096xf32>) {
  %0 = pd.matmul %a, %b : (tensor<4096x64xf32>, tensor<64x8xf32>) -> tensor<4096x8xf32>
  %1 = pd.matmul %c, %d : (tensor<8x64xf32>, tensor<64x4096xf32>) -> tensor<8x4096xf32>
  return %0, %1 : tensor<4096x8xf32>, tensor<8x4096xf32>
}

// -----

// An annotated result of an op is followed by a reshard if the op computes another placement.
// CHECK-LABEL: func.func @annotated_op
// CHECK: %[[Y:.*]] = pd.softmax {{.*}}dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK-NEXT: %[[Z:.*]] = dist.reshard %[[Y]] from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]>
// CHECK-NEXT: pd.tanh %[[Z]] {dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>]
dist.mesh @m = <["x"=2]>
func.func @annotated_op(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = pd.softmax %a {axis = 1 : i64, dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = pd.tanh %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
