// A mixture of experts without a limit of tokens for each expert: rows are sorted by their expert, and products of groups
// multiply each group by the matrices of its expert. The loss and the gradients of all operands are as if all experts ran
// for all tokens, weighted with 0 for the experts that a token does not use.
// RUN: sed 's/call @groups(/call @dense(/' %s | proa-opt --inline --pd-grad="function=main value name=step" > %t.dense.mlir
// RUN: proa-opt %s --inline --pd-grad="function=main value name=step" > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK-COUNT-4: pd.grouped_matmul{{ |_}}
// RUN: proa-run %t.dense.mlir --cache off --inputs random:3 --function step -q -o %t.safetensors
// RUN: proa-run %t.mlir --cache off --inputs random:3 --function step --expect=%t.safetensors
// RUN: proa-run %t.mlir --cache off --inputs random:3 --function step --expect=%t.safetensors --target=cuda-emulated
// On two devices, of which each has half of the columns of the first matrices and of the rows of the second ones.
// RUN: echo '{"mesh": {"x": 2}, "shardings": [{"name": "up", "sharding": "[{}, {}, {x}]"}, {"name": "down", "sharding": "[{}, {x}, {}]"}]}' > %t.json
// RUN: proa-run %t.mlir --cache off --inputs random:3 --function step --expect=%t.safetensors --shardings %t.json --simulate-mesh

// The two best experts of each token, and their probabilities.
func.func private @route(%x: tensor<12x8xf32>, %gate: tensor<8x4xf32>) -> (tensor<12x2xf32>, tensor<12x2xi64>) {
  %s = pd.matmul %x, %gate : (tensor<12x8xf32>, tensor<8x4xf32>) -> tensor<12x4xf32>
  %p = pd.softmax %s : (tensor<12x4xf32>) -> tensor<12x4xf32>
  %v, %i = pd.topk %p {k = 2 : i64} : (tensor<12x4xf32>) -> (tensor<12x2xf32>, tensor<12x2xi64>)
  return %v, %i : tensor<12x2xf32>, tensor<12x2xi64>
}

func.func private @groups(%x: tensor<12x8xf32>, %gate: tensor<8x4xf32>, %up: tensor<4x8x16xf32>, %down: tensor<4x16x8xf32>)
    -> tensor<12x8xf32> {
  %v, %i = func.call @route(%x, %gate) : (tensor<12x8xf32>, tensor<8x4xf32>) -> (tensor<12x2xf32>, tensor<12x2xi64>)
  %two = pd.constant dense<2> : tensor<i64>
  // Rows in the order of their experts, and the number of rows of each expert.
  %all = pd.reshape %i {shape = array<i64: 24>} : (tensor<12x2xi64>) -> tensor<24xi64>
  %expert, %order = pd.argsort %all {axis = 0 : i64} : (tensor<24xi64>) -> (tensor<24xi64>, tensor<24xi64>)
  %token = pd.floor_divide %order, %two : (tensor<24xi64>, tensor<i64>) -> tensor<24xi64>
  %hot = pd.one_hot %all {num_classes = 4 : i64} : (tensor<24xi64>) -> tensor<24x4xf32>
  %counts = pd.sum %hot {axis = array<i64: 0>} : (tensor<24x4xf32>) -> tensor<4xf32>
  %sizes = pd.cast %counts {dtype = i64} : (tensor<4xf32>) -> tensor<4xi64>
  %rows = pd.gather %x, %token {axis = 0 : i64} : (tensor<12x8xf32>, tensor<24xi64>) -> tensor<24x8xf32>
  %h = pd.grouped_matmul %rows, %up, %sizes : (tensor<24x8xf32>, tensor<4x8x16xf32>, tensor<4xi64>) -> tensor<24x16xf32>
  %a = pd.silu %h : (tensor<24x16xf32>) -> tensor<24x16xf32>
  %o = pd.grouped_matmul %a, %down, %sizes : (tensor<24x16xf32>, tensor<4x16x8xf32>, tensor<4xi64>) -> tensor<24x8xf32>
  %flat = pd.reshape %v {shape = array<i64: 24>} : (tensor<12x2xf32>) -> tensor<24xf32>
  %w = pd.gather %flat, %order {axis = 0 : i64} : (tensor<24xf32>, tensor<24xi64>) -> tensor<24xf32>
  %w1 = pd.reshape %w {shape = array<i64: 24, 1>} : (tensor<24xf32>) -> tensor<24x1xf32>
  %weighted = pd.multiply %o, %w1 : (tensor<24x8xf32>, tensor<24x1xf32>) -> tensor<24x8xf32>
  %none = pd.constant dense<0.0> : tensor<12x8xf32>
  %place = pd.reshape %token {shape = array<i64: 24, 1>} : (tensor<24xi64>) -> tensor<24x1xi64>
  %y = pd.scatter_nd_add %none, %place, %weighted : (tensor<12x8xf32>, tensor<24x1xi64>, tensor<24x8xf32>) -> tensor<12x8xf32>
  return %y : tensor<12x8xf32>
}

func.func private @dense(%x: tensor<12x8xf32>, %gate: tensor<8x4xf32>, %up: tensor<4x8x16xf32>, %down: tensor<4x16x8xf32>)
    -> tensor<12x8xf32> {
  %v, %i = func.call @route(%x, %gate) : (tensor<12x8xf32>, tensor<8x4xf32>) -> (tensor<12x2xf32>, tensor<12x2xi64>)
  %hot = pd.one_hot %i {num_classes = 4 : i64} : (tensor<12x2xi64>) -> tensor<12x2x4xf32>
  %v1 = pd.reshape %v {shape = array<i64: 12, 2, 1>} : (tensor<12x2xf32>) -> tensor<12x2x1xf32>
  %each = pd.multiply %hot, %v1 : (tensor<12x2x4xf32>, tensor<12x2x1xf32>) -> tensor<12x2x4xf32>
  %w = pd.sum %each {axis = array<i64: 1>} : (tensor<12x2x4xf32>) -> tensor<12x4xf32>
  %y = pd.einsum %x, %up {equation = "td,edh->teh"} : (tensor<12x8xf32>, tensor<4x8x16xf32>) -> tensor<12x4x16xf32>
  %a = pd.silu %y : (tensor<12x4x16xf32>) -> tensor<12x4x16xf32>
  %z = pd.einsum %a, %down, %w {equation = "teh,ehd,te->td"}
      : (tensor<12x4x16xf32>, tensor<4x16x8xf32>, tensor<12x4xf32>) -> tensor<12x8xf32>
  return %z : tensor<12x8xf32>
}

func.func @main(%x: tensor<12x8xf32> {pd.feed = "x"}, %gate: tensor<8x4xf32> {pd.feed = "gate"},
                %up: tensor<4x8x16xf32> {pd.feed = "up"}, %down: tensor<4x16x8xf32> {pd.feed = "down"}) -> tensor<f32> {
  %y = func.call @groups(%x, %gate, %up, %down)
      : (tensor<12x8xf32>, tensor<8x4xf32>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<12x8xf32>
  %square = pd.multiply %y, %y : (tensor<12x8xf32>, tensor<12x8xf32>) -> tensor<12x8xf32>
  %loss = pd.sum %square : (tensor<12x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
