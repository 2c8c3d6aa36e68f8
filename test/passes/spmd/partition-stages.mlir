// Meshes with different devices: each device runs the ops of its meshes.
// RUN: proa-opt %s --dist-partition=rank=0 --canonicalize --split-input-file | FileCheck %s --check-prefixes=ALL,FIRST
// RUN: proa-opt %s --dist-partition=rank=3 --canonicalize --split-input-file | FileCheck %s --check-prefixes=ALL,SECOND

// The first stage has the feed, the second one the fetch. Both have their parameters.
// ALL-LABEL: func.func @stages
// FIRST-SAME: (%[[X:.*]]: tensor<4x6xf32> {{{.*}}pd.feed = "x"}, %[[W:.*]]: tensor<6x8xf32> {{{.*}}pd.param = "w"})
// FIRST-NOT: ->
// FIRST-SAME: {
// FIRST: %[[H:.*]] = pd.matmul %[[X]], %[[W]]
// FIRST: dist.send %[[H]] of tensor<8x8xf32> from <@a, [{"x"}, {}]> to <@b, [{"x"}, {}]> channel 0
// FIRST: return
// SECOND-SAME: (%[[V:.*]]: tensor<8x6xf32> {{{.*}}pd.param = "v"})
// SECOND-SAME: -> (tensor<4x6xf32> {{{.*}}pd.fetch = "y"}) {
// SECOND: %[[R:.*]] = dist.recv of tensor<8x8xf32> from <@a, [{"x"}, {}]> to <@b, [{"x"}, {}]> channel 0 : tensor<4x8xf32>
// SECOND: %[[Y:.*]] = pd.matmul %[[R]], %[[V]]
// SECOND: return %[[Y]]
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
func.func @stages(%x: tensor<8x6xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@a, [{"x"}, {}]>},
    %w: tensor<6x8xf32> {pd.param = "w", dist.sharding = #dist.sharding<@a, [{}, {}]>},
    %v: tensor<8x6xf32> {pd.param = "v", dist.sharding = #dist.sharding<@b, [{}, {}]>})
    -> (tensor<8x6xf32> {pd.fetch = "y", dist.sharding = #dist.sharding<@b, [{"x"}, {}]>}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#dist.sharding<@a, [{"x"}, {}]>]} : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %1 = dist.reshard %0 from <@a, [{"x"}, {}]> to <@b, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = pd.matmul %1, %v {dist.shardings = [#dist.sharding<@b, [{"x"}, {}]>]} : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}

// -----

// A growing mesh: devices 0 and 1 are in both. Device 0 sends to itself too.
// ALL-LABEL: func.func @growing
// FIRST-SAME: -> (tensor<4xf32>
// FIRST: dist.send
// FIRST: %[[R:.*]] = dist.recv
// FIRST: pd.exp %[[R]]
// SECOND-SAME: () -> (tensor<4xf32>
// SECOND-NOT: dist.send
// SECOND: %[[R:.*]] = dist.recv
// SECOND: pd.exp %[[R]]
dist.mesh @small = <["x"=2]>
dist.mesh @large = <["x"=4]>
func.func @growing(%x: tensor<16xf32> {dist.sharding = #dist.sharding<@small, [{"x"}]>})
    -> (tensor<16xf32> {dist.sharding = #dist.sharding<@large, [{"x"}]>}) {
  %0 = dist.reshard %x from <@small, [{"x"}]> to <@large, [{"x"}]> : tensor<16xf32>
  %1 = pd.exp %0 {dist.shardings = [#dist.sharding<@large, [{"x"}]>]} : (tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// A loop over micro-batches keeps the values of the device. Each iteration sends one.
// ALL-LABEL: func.func @loop
// FIRST: scf.for {{.*}} iter_args(%[[V:.*]] = %arg0) -> (tensor<4xf32>) {
// FIRST: %[[N:.*]] = pd.exp %[[V]]
// FIRST: dist.send %[[N]]
// FIRST: scf.yield %[[N]] : tensor<4xf32>
// SECOND: %[[R:.*]] = scf.for {{.*}} iter_args(%[[V:.*]] = %arg0) -> (tensor<4xf32>) {
// SECOND: %[[M:.*]] = dist.recv
// SECOND: %[[N:.*]] = pd.add %[[V]], %[[M]]
// SECOND: scf.yield %[[N]] : tensor<4xf32>
// SECOND: return %[[R]]
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
func.func @loop(%x: tensor<8xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b}, %n: index)
    -> (tensor<8xf32> {dist.sharding = #b}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = pd.exp %v {dist.shardings = [#a]} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = dist.reshard %1 from <@a, [{"x"}]> to <@b, [{"x"}]> : tensor<8xf32>
    %3 = pd.add %u, %2 {dist.shardings = [#b]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1, %3 : tensor<8xf32>, tensor<8xf32>
  } {dist.shardings = [#a, #b]}
  return %0#1 : tensor<8xf32>
}

// -----

// Branches and calls.
// ALL-LABEL: func.func @branch
// FIRST-SAME: -> (tensor<4xf32>
// FIRST: scf.if %{{.*}} -> (tensor<4xf32>)
// FIRST: func.call @both(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
// SECOND: scf.if %{{.*}} -> (tensor<4xf32>)
// SECOND: func.call @both
// ALL-LABEL: func.func private @both
// ALL-SAME: (%arg0: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@{{[ab]}}, [{"x"}]>})
// ALL-SAME: -> (tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@{{[ab]}}, [{"x"}]>}) {
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
func.func @branch(%x: tensor<8xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b}, %c: i1)
    -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %0:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
    %1:2 = func.call @both(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    scf.yield %1#0, %1#1 : tensor<8xf32>, tensor<8xf32>
  } else {
    scf.yield %x, %y : tensor<8xf32>, tensor<8xf32>
  } {dist.shardings = [#a, #b]}
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @both(%x: tensor<8xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b})
    -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %1 = pd.exp %x {dist.shardings = [#a]} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = pd.log %y {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Three stages: the last device does not see the first transfer, but the channels of the others.
// ALL-LABEL: func.func @three
// FIRST: dist.send {{.*}} to <@b, [{}]> channel 0
// FIRST-NOT: channel 1
// SECOND-NOT: channel 0
// SECOND: dist.recv {{.*}} to <@c, [{}]> channel 1
dist.mesh @a = <[], devices = [0]>
dist.mesh @b = <[], devices = [1]>
dist.mesh @c = <[], devices = [3]>
func.func @three(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@a, [{}]>}) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@c, [{}]>}) {
  %0 = dist.reshard %x from <@a, [{}]> to <@b, [{}]> : tensor<4xf32>
  %1 = pd.exp %0 {dist.shardings = [#dist.sharding<@b, [{}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = dist.reshard %1 from <@b, [{}]> to <@c, [{}]> : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Ops of two functions: what the device lacks in the first one says nothing about the second one.
// ALL-LABEL: func.func @sender
// FIRST: dist.send
// ALL-LABEL: func.func @other
// ALL: dist.to_partial
dist.mesh @m = <["x"=2, "y"=2]>
dist.mesh @next = <["x"=2], devices = [4, 5]>
dist.mesh @all = <["z"=4]>
func.func @sender(%x: tensor<16xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = dist.reshard %x from <@m, [{}]> to <@next, [{}]> : tensor<16xf32>
  return
}
func.func @other(%x: tensor<16xf32> {dist.sharding = #dist.sharding<@all, [{}]>}) -> (tensor<16xf32> {dist.sharding = #dist.sharding<@all, [{}], partial = [sum {"z"}]>}) {
  %0 = dist.reshard %x from <@all, [{}]> to <@all, [{}], partial = [sum {"z"}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// A result of a loop that the device lacks is used by an op that it lacks too.
// ALL-LABEL: func.func @lost_result
// FIRST: scf.for
// FIRST-NOT: pd.log
// SECOND: scf.for
// SECOND: pd.log
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
func.func @lost_result(%x: tensor<8xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b}, %n: index)
    -> (tensor<8xf32> {dist.sharding = #a}, tensor<8xf32> {dist.sharding = #b}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = pd.exp %v {dist.shardings = [#a]} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = pd.exp %u {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  } {dist.shardings = [#a, #b]}
  %3 = pd.log %0#1 {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0#0, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A condition that one mesh computes moves to the mesh of the branch.
// ALL-LABEL: func.func @condition
// FIRST: dist.send %arg0 of tensor<i1> from <@a, []> to <@b, []> channel 0
// FIRST-NOT: scf.if
// SECOND: %[[R:.*]] = dist.recv of tensor<i1> from <@a, []> to <@b, []> channel 0
// SECOND: %[[C:.*]] = tensor.extract %[[R]]
// SECOND: scf.if %[[C]]
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, []>
#b = #dist.sharding<@b, [{"x"}]>
func.func @condition(%c: tensor<i1> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b})
    -> (tensor<8xf32> {dist.sharding = #b}) {
  %0 = tensor.extract %c[] : tensor<i1>
  %1 = scf.if %0 -> tensor<8xf32> {
    %2 = pd.exp %y {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  } {dist.shardings = [#b]}
  return %1 : tensor<8xf32>
}

// -----

// The condition of a loop with values of both meshes moves in each iteration.
// ALL-LABEL: func.func @loop_on_both
// FIRST: scf.while
// FIRST: %[[C:.*]] = tensor.extract %arg1
// FIRST: dist.send %arg1
// FIRST: scf.condition(%[[C]])
// SECOND: scf.while
// SECOND: %[[R:.*]] = dist.recv of tensor<i1>
// SECOND: %[[C:.*]] = tensor.extract %[[R]]
// SECOND: scf.condition(%[[C]]) %{{.*}} : tensor<4xf32>
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
#a = #dist.sharding<@a, [{"x"}]>
#b = #dist.sharding<@b, [{"x"}]>
#scalar = #dist.sharding<@a, []>
func.func @loop_on_both(%x: tensor<8xf32> {dist.sharding = #a}, %y: tensor<8xf32> {dist.sharding = #b}, %c: tensor<i1> {dist.sharding = #scalar})
    -> (tensor<8xf32> {dist.sharding = #b}) {
  %0:2 = scf.while (%v = %x, %u = %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = tensor.extract %c[] : tensor<i1>
    scf.condition(%1) %v, %u : tensor<8xf32>, tensor<8xf32>
  } do {
  ^bb0(%v: tensor<8xf32>, %u: tensor<8xf32>):
    %2 = pd.exp %u {dist.shardings = [#b]} : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %v, %2 : tensor<8xf32>, tensor<8xf32>
  } attributes {dist.shardings = [#a, #b]}
  return %0#1 : tensor<8xf32>
}
