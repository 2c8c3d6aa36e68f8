// RUN: proa-opt %s --rt-offload-states="min-bytes=16 ahead=1 keep=1" --split-input-file | FileCheck %s
// RUN: proa-opt %s --rt-offload-states="min-bytes=16 ahead=1 keep=1 parameters" --split-input-file | FileCheck %s --check-prefix=ALL
// RUN: proa-opt %s --rt-offload-states="min-bytes=16" --split-input-file --remarks=rt-offload-states -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --rt-offload-states=keep=-1 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: rt-offload-states: expected 'keep' of at least 0, found -1

func.func private @kernel(tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel}
func.func private @update(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel}

// The loss depends on w, but not on the moment m. `n` is too small.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[W:.*]]: tensor<4xf32> {pd.param = "w"}, %[[N:.*]]: tensor<1xf32> {pd.param = "n"}, %[[X:.*]]: tensor<4xf32> {pd.feed = "x"})
// CHECK-SAME: -> (tensor<4xf32> {pd.fetch = "loss"}, tensor<4xf32> {pd.state = "w"}, tensor<1xf32> {pd.state = "n"})
// CHECK-NEXT: %[[Y:.*]] = call @update(%[[W]], %[[X]])
// CHECK-NEXT: %[[G:.*]] = call @kernel(%[[Y]])
// CHECK-NEXT: %[[F:.*]] = rt.fetch "m" : !dist.future<tensor<4xf32>>
// CHECK-NEXT: %[[H:.*]] = call @kernel(%[[G]])
// CHECK-NEXT: %[[M:.*]] = rt.wait %[[F]] : !dist.future<tensor<4xf32>> -> tensor<4xf32>
// CHECK-NEXT: %[[M1:.*]] = call @update(%[[M]], %[[H]])
// CHECK-NEXT: rt.store "m", %[[M1]] : tensor<4xf32>
// CHECK-NEXT: %[[W1:.*]] = call @update(%[[W]], %[[M1]])
// CHECK: return %[[Y]], %[[W1]], %{{.*}}
// With parameters, w is fetched for the forward pass and again for the update.
// ALL-LABEL: func.func @main
// ALL-SAME: (%[[N:.*]]: tensor<1xf32> {pd.param = "n"}, %[[X:.*]]: tensor<4xf32> {pd.feed = "x"})
// ALL: rt.fetch "w"
// ALL-NEXT: rt.wait
// ALL-NEXT: call @update
// ALL: rt.fetch "w"
// ALL: rt.store "m"
// ALL: %[[W1:.*]] = call @update
// ALL-NEXT: rt.store "w", %[[W1]]
// REMARK: state 'm' of 16 bytes is stored outside of the program, and fetched 1 times
// REMARK: state 'n' stays: it has 4 bytes, fewer than 16
func.func @main(%w: tensor<4xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"}, %n: tensor<1xf32> {pd.param = "n"},
                %x: tensor<4xf32> {pd.feed = "x"})
    -> (tensor<4xf32> {pd.fetch = "loss"}, tensor<4xf32> {pd.state = "w"}, tensor<4xf32> {pd.state = "m"}, tensor<1xf32> {pd.state = "n"}) {
  %y = call @update(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = call @kernel(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %h = call @kernel(%g) : (tensor<4xf32>) -> tensor<4xf32>
  %m1 = call @update(%m, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %w1 = call @update(%w, %m1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n1 = pd.relu %n : (tensor<1xf32>) -> tensor<1xf32>
  return %y, %w1, %m1, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>
}

// -----

// REMARK: state 'd' stays: its dims are not static
func.func @main(%d: tensor<?xf32> {pd.param = "d"}, %same: tensor<8xf32> {pd.param = "same"})
    -> (tensor<?xf32> {pd.state = "d"}, tensor<8xf32> {pd.state = "same"}) {
  %0 = pd.relu %d : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %same : tensor<?xf32>, tensor<8xf32>
}
