// RUN: proa-opt %s --dist-propagate="explain=pd.tanh#0,b,main:result0" -o /dev/null 2>&1 | FileCheck %s
// RUN: proa-opt %s --dist-propagate --explain-sharding=pd.tanh#0 --explain-sharding=b,main:result0 -o /dev/null 2>&1 | FileCheck %s
// RUN: proa-opt %s --dist-propagate=explain=pd.kthvalue#0 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: not proa-opt %s --cse --explain-sharding=b -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOPASS
// RUN: not proa-opt %s --dist-propagate=explain=pd.tanb#0 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: proa-opt %s --dist-propagate --remarks=dist-propagate 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK: pd.tanh#0: [{}, {mp}]
// CHECK-NEXT: pd.tanh#0 dimension 1 = {mp}: follows in pd.tanh#0 from pd.add#0 [{}, {mp}]
// CHECK-NEXT: pd.add#0 dimension 1 = {mp}: follows in pd.add#0 from pd.matmul#0 [{}, {mp}]
// CHECK-NEXT: pd.matmul#0 dimension 1 = {mp}: follows in pd.matmul#0 from w [{}, {mp}]
// CHECK-NEXT: w dimension 1 = {mp}: annotation
// CHECK-NEXT: computed as [{}, {mp}]
// CHECK: b: [{mp}]
// CHECK-NEXT: b dimension 0 = {mp}: follows in pd.add#0 from pd.matmul#0 [{}, {mp}]
// CHECK: main:result0: [{}, {mp}]
// CHECK-NEXT: main:result0 dimension 1 = {mp}: passed by func.return#0 from pd.tanh#0 [{}, {mp}]
// NOPASS: error: --explain-sharding: expected the pass dist-propagate in the pipeline of the module
// UNKNOWN: no value 'pd.tanb#0' to explain; expected the name of a feed, parameter, fetch or state, or a result as in 'pd.matmul#0'; did you mean 'pd.tanh#0'
// WHOLE: pd.kthvalue#0: [{}]
// WHOLE-NEXT: computed as [{}]
// WHOLE-NEXT: dimension 1 of operand 0, which is split over {mp}, is gathered: pd.topk of its decomposition needs the whole dimension
// REMARK: pd.nonzero runs whole on each device: the dims of its results depend on data
dist.mesh @m = <["mp"=2]>
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>},
    %b: tensor<8xf32> {pd.param = "b"}) -> tensor<8x8xf32> {
  %0 = pd.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = pd.add %0, %b : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %2 = pd.tanh %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func @no_rule(%x: tensor<8x8xf32>) -> tensor<?x2xi64> {
  %0 = pd.nonzero %x : (tensor<8x8xf32>) -> tensor<?x2xi64>
  return %0 : tensor<?x2xi64>
}
func.func @whole(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<8xf32> {
  %0, %i = pd.kthvalue %x {k = 2 : i64, axis = 1 : i64} : (tensor<8x6xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  return %0 : tensor<8xf32>
}
