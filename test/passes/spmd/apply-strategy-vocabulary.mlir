// The rows of an input embedding are split over mp if it has more of them than are looked up: with the output layer
// that shares it, or alone; also in shards of different sizes. The results are as on one device.
// RUN: split-file %s %t
// RUN: proa-opt %t/tied.mlir --dist-apply-strategy=strategy=mp4 | FileCheck %t/tied.mlir
// RUN: proa-opt %t/alone.mlir --dist-apply-strategy=strategy=mp4 --verify-diagnostics | FileCheck %t/alone.mlir
// RUN: proa-opt %t/small.mlir --dist-apply-strategy=strategy=mp4 --verify-diagnostics | FileCheck %t/small.mlir
// RUN: proa-opt %t/odd.mlir --dist-apply-strategy=strategy=mp4 --verify-diagnostics | FileCheck %t/odd.mlir
// RUN: proa-run %t/tied.mlir --params random:1 -i random:2 --cache off -q -o %t/expected.safetensors
// RUN: proa-run %t/tied.mlir --params random:1 -i random:2 --cache off -q --expect=%t/expected.safetensors --strategy mp4 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: proa-run %t/alone.mlir --params random:1 -i random:2 --cache off -q -o %t/expected.safetensors
// RUN: proa-run %t/alone.mlir --params random:1 -i random:2 --cache off -q --expect=%t/expected.safetensors --strategy mp4 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: proa-opt %t/train.mlir --dist-apply-strategy=strategy=mp4 | FileCheck %t/train.mlir
// RUN: proa-run %t/train.mlir --params random:1 -i random:2 --cache off -q -o %t/expected.safetensors
// RUN: proa-run %t/train.mlir --params random:1 -i random:2 --cache off -q --expect=%t/expected.safetensors --strategy mp4 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: proa-run %t/train.mlir --params random:1 -i random:2 --cache off -q --expect=%t/expected.safetensors --strategy dp2,mp4,zero1 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RESULT: PASS

//--- tied.mlir
// 101 words: shards of 26, 25, 25 and 25.
// CHECK: tensor<101x8xf64> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "words"}
func.func @main(%ids: tensor<2x5xi64> {pd.feed = "ids"}, %words: tensor<101x8xf64> {pd.param = "words"}) -> (tensor<2x5x101xf64> {pd.fetch = "y"}) {
  %0 = pd.embedding %ids, %words : (tensor<2x5xi64>, tensor<101x8xf64>) -> tensor<2x5x8xf64>
  %1 = pd.tanh %0 : (tensor<2x5x8xf64>) -> tensor<2x5x8xf64>
  %2 = pd.matmul %1, %words {transpose_y = true} : (tensor<2x5x8xf64>, tensor<101x8xf64>) -> tensor<2x5x101xf64>
  %3 = pd.softmax %2 {axis = 2 : i64} : (tensor<2x5x101xf64>) -> tensor<2x5x101xf64>
  return %3 : tensor<2x5x101xf64>
}

//--- alone.mlir
// CHECK: tensor<96x8xf64> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "words"}
func.func @main(%ids: tensor<2x5xi64> {pd.feed = "ids"}, %words: tensor<96x8xf64> {pd.param = "words"}) -> (tensor<2x5x8xf64> {pd.fetch = "y"}) {
  %0 = pd.embedding %ids, %words : (tensor<2x5xi64>, tensor<96x8xf64>) -> tensor<2x5x8xf64>
  return %0 : tensor<2x5x8xf64>
}

//--- small.mlir
// Fewer rows than are looked up, such as rows of positions.
// CHECK: tensor<8x8xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, pd.param = "positions"}
// expected-warning @below {{'mp' of the strategy splits nothing: no contraction has a parameter with two dimensions}}
func.func @main(%ids: tensor<2x5xi64> {pd.feed = "ids"}, %positions: tensor<8x8xf64> {pd.param = "positions"}) -> (tensor<2x5x8xf64> {pd.fetch = "y"}) {
  %0 = pd.embedding %ids, %positions : (tensor<2x5xi64>, tensor<8x8xf64>) -> tensor<2x5x8xf64>
  return %0 : tensor<2x5x8xf64>
}

//--- odd.mlir
// Other dimensions must have equal shards.
// CHECK: tensor<8x101xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, pd.param = "w"}
// expected-warning @below {{'mp' of the strategy splits nothing: of dimension 1 of parameter "w", which has the most work: its size in pd.matmul, 101, is not divisible by 4}}
func.func @main(%x: tensor<64x8xf64> {pd.feed = "x"}, %w: tensor<8x101xf64> {pd.param = "w"}) -> (tensor<64x101xf64> {pd.fetch = "y"}) {
  %0 = pd.matmul %x, %w : (tensor<64x8xf64>, tensor<8x101xf64>) -> tensor<64x101xf64>
  return %0 : tensor<64x101xf64>
}

//--- train.mlir
// A step of training: the gradients of the lookup and of the output layer are added.
// CHECK: tensor<101x8xf64> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "words"}
func.func @main(%ids: tensor<2x5xi64> {pd.feed = "ids"}, %words: tensor<101x8xf64> {pd.param = "words"}, %rate: tensor<1xf64> {pd.param = "rate"}) -> (tensor<2x5x101xf64> {pd.fetch = "y"}, tensor<101x8xf64> {pd.state = "words"}) {
  %0 = pd.embedding %ids, %words : (tensor<2x5xi64>, tensor<101x8xf64>) -> tensor<2x5x8xf64>
  %1 = pd.tanh %0 : (tensor<2x5x8xf64>) -> tensor<2x5x8xf64>
  %2 = pd.matmul %1, %words {transpose_y = true} : (tensor<2x5x8xf64>, tensor<101x8xf64>) -> tensor<2x5x101xf64>
  %3 = pd.vjp(%words : tensor<101x8xf64>) cotangents(%2 : tensor<2x5x101xf64>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<101x8xf64> {
  ^bb0(%table: tensor<101x8xf64>):
    %5 = pd.embedding %ids, %table : (tensor<2x5xi64>, tensor<101x8xf64>) -> tensor<2x5x8xf64>
    %6 = pd.tanh %5 : (tensor<2x5x8xf64>) -> tensor<2x5x8xf64>
    %7 = pd.matmul %6, %table {transpose_y = true} : (tensor<2x5x8xf64>, tensor<101x8xf64>) -> tensor<2x5x101xf64>
    pd.yield %7 : tensor<2x5x101xf64>
  }
  %4 = pd.sgd %words, %rate, %3 : (tensor<101x8xf64>, tensor<1xf64>, tensor<101x8xf64>) -> tensor<101x8xf64>
  return %2, %4 : tensor<2x5x101xf64>, tensor<101x8xf64>
}
