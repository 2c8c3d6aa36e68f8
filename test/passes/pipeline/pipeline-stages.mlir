// The stages of a training step and the order of their jobs.
// RUN: split-file %s %t
// RUN: proa-opt %t/two.mlir --dist-pipeline=schedule=fthenb | FileCheck %s --check-prefix=FTHENB
// RUN: proa-opt %t/two.mlir --dist-pipeline=schedule=zbh1 | FileCheck %s --check-prefix=SPLIT
// RUN: proa-opt %t/tied.mlir --dist-pipeline | FileCheck %s --check-prefix=TIED
// RUN: sed 's/"pp"=2/"dp"=2, "pp"=2/' %t/two.mlir | proa-opt --dist-pipeline | FileCheck %s --check-prefix=DEVICES
// RUN: cat %t/schedule.mlir %t/two.mlir > %t/own.mlir
// RUN: proa-opt %t/own.mlir --dist-pipeline | FileCheck %s --check-prefix=FTHENB
// RUN: proa-opt %t/two.mlir --dist-pipeline --dist-partition=rank=0 | FileCheck %s --check-prefix=RANK0
// RUN: proa-opt %t/two.mlir --dist-pipeline=schedule=auto --remarks=dist-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: proa-opt %t/two.mlir --dist-pipeline="schedule=auto memory=100" --remarks=dist-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIGHT
// RUN: not proa-opt %t/two.mlir --dist-pipeline="schedule=auto memory=60" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LITTLE
// RUN: not proa-opt %t/two.mlir --dist-pipeline="schedule=zbv memory=100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMIT

// AUTO: remark: {{.*}}auto: 1 chunks for each rank, a step of {{.*}} us (lower bound {{.*}} us), activations of at most 64 bytes on a rank
// TIGHT: remark: {{.*}}auto: 1 chunks for each rank, a step of {{.*}}, activations of at most 32 bytes on a rank
// LITTLE: error: no schedule fits the memory: rank 0: a micro-batch has activations of 16 besides {{.*}} of other memory and the memory limit is 60, expected a limit that holds one micro-batch
// LIMIT: error: dist-pipeline: a memory limits the search of the schedule auto, found 'zbv'

// All forward jobs, then all backward jobs. Each parameter, its gradient and its update are on one stage, and the feed
// is where the first op reads it.
// FTHENB: dist.mesh @m_stage0 = <[], devices = [0]>
// FTHENB: dist.mesh @m_stage1 = <[], devices = [1]>
// FTHENB-NOT: dist.schedule
// FTHENB: func.func @main(%[[X:.*]]: tensor<4x2xf32> {dist.sharding = #dist.sharding<@m_stage0, {{.*}}pd.feed = "x"},
// FTHENB-SAME: %[[W:.*]]: tensor<2x2xf32> {dist.sharding = #dist.sharding<@m_stage0, {{.*}}pd.param = "w"},
// FTHENB-SAME: %[[V:.*]]: tensor<2x2xf32> {dist.sharding = #dist.sharding<@m_stage1, {{.*}}pd.param = "v"})
// FTHENB-SAME: (tensor<f32> {dist.sharding = #dist.sharding<@m_stage1, []>, pd.fetch = "loss"},
// FTHENB-NOT: optimization_barrier
// FTHENB: %[[XS:.*]] = pd.reshape %[[X]]
// FTHENB: %[[P0:.*]] = pd.gather %[[XS]]
// FTHENB: %[[X0:.*]] = pd.reshape %[[P0]]
// FTHENB: %[[H0:.*]] = pd.matmul %[[X0]], %[[W]] {dist.shardings = [#dist.sharding<@m_stage0,
// FTHENB: %[[S0:.*]] = dist.reshard %[[H0]] from <@m_stage0, {{.*}} to <@m_stage1,
// FTHENB: %[[X1:.*]] = pd.reshape
// FTHENB: %[[H1:.*]] = pd.matmul %[[X1]], %[[W]]
// FTHENB: %[[Y0:.*]] = pd.matmul %[[S0]], %[[V]] {dist.shardings = [#dist.sharding<@m_stage1,
// FTHENB: %[[L0:.*]] = pd.sum %[[Y0]]
// FTHENB: %[[S1:.*]] = dist.reshard %[[H1]]
// FTHENB: %[[Y1:.*]] = pd.matmul %[[S1]], %[[V]]
// FTHENB: pd.multiply %[[Y0]]
// FTHENB: %[[DV0:.*]] = pd.matmul %[[S0]], {{.*}}transpose_x = true
// FTHENB: %[[ADDED0:.*]] = pd.add %{{.*}}, %[[DV0]]
// FTHENB-NEXT: %[[SUM0:.*]] = pd.optimization_barrier %[[ADDED0]] {dist.shardings = [#dist.sharding<@m_stage1,
// FTHENB: pd.multiply %[[Y1]]
// FTHENB: %[[DV1:.*]] = pd.matmul %[[S1]], {{.*}}transpose_x = true
// FTHENB: %[[ADDED1:.*]] = pd.add %[[SUM0]], %[[DV1]]
// FTHENB-NEXT: %[[SUM1:.*]] = pd.optimization_barrier %[[ADDED1]]
// FTHENB: pd.subtract %[[V]], %[[SUM1]] {dist.shardings = [#dist.sharding<@m_stage1,
// FTHENB-NOT: scf.while

// The gradient of the input of stage 1 is sent before the gradient of its parameter is computed.
// SPLIT: %[[DY0:.*]] = pd.multiply
// SPLIT-NEXT: %[[DH0:.*]] = pd.matmul %[[DY0]], %{{.*}}transpose_y = true
// SPLIT-NEXT: dist.reshard %[[DH0]] from <@m_stage1, {{.*}} to <@m_stage0,
// SPLIT: pd.matmul %{{.*}}, %[[DY0]] {{.*}}transpose_x = true

// Both stages read w: it moves once before the jobs, and each stage has a sum of gradients, which are added once.
// TIED: func.func @main({{.*}}%[[W:.*]]: tensor<2x2xf32> {dist.sharding = #dist.sharding<@m_stage0, {{.*}}pd.param = "w"})
// TIED: %[[COPY:.*]] = dist.reshard %[[W]] from <@m_stage0, {{.*}} to <@m_stage1,
// TIED: pd.matmul %{{.*}}, %[[W]]
// TIED: pd.matmul %{{.*}}, %[[COPY]]
// TIED: %[[OWN:.*]] = pd.add %{{.*}} {dist.shardings = [#dist.sharding<@m_stage0,
// TIED: %[[OTHER:.*]] = pd.optimization_barrier %{{.*}} {dist.shardings = [#dist.sharding<@m_stage1, [{}, {}]>]}
// TIED: %[[MOVED:.*]] = dist.reshard %[[OTHER]] from <@m_stage1, {{.*}} to <@m_stage0,
// TIED: %[[ALL:.*]] = pd.add %{{.*}}, %[[MOVED]] {dist.shardings = [#dist.sharding<@m_stage0,
// TIED: pd.subtract %[[W]], %[[ALL]]

// The devices of a rank are those with its index on the axis.
// DEVICES: dist.mesh @m_stage0 = <["dp"=2], devices = [0, 2]>
// DEVICES: dist.mesh @m_stage1 = <["dp"=2], devices = [1, 3]>

// RANK0: func.func @main(%{{.*}}pd.feed = "x"}, %{{.*}}pd.param = "w"}) -> (tensor<2x2xf32> {{{.*}}pd.state = "w"})
// RANK0: dist.send
// RANK0: dist.recv
// RANK0-NOT: pd.sum
// RANK0: return

//--- schedule.mlir
dist.schedule @own microbatches = 2 {
  0: F0 F1 BW0 BW1
  1: F0 F1 BW0 BW1
}
//--- two.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = pd.matmul %h, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gw2 = pd.add %gw, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gv2 = pd.add %gv, %dv {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2, %gv2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>, #dist.sharding<@m, [{}, {}]>]}
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
//--- tied.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:3 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = pd.matmul %h, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %both = pd.add %dv, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gw2 = pd.add %gw, %both {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>]}
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2 : tensor<f32>, tensor<2x2xf32>
}
