// RUN: proa-opt %s --split-input-file --pd-form-attention=target=cpu --canonicalize --cse | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-form-attention=target=gpu --canonicalize --cse | FileCheck %s

// Positions up to the length of the sequence, which the program reads from the shape of its ids.
// CHECK-LABEL: func.func @causal(
// CHECK: pd.fused_attention {{.*}} {causal = true
func.func @causal(%ids: tensor<?x?xi64>, %table: tensor<50x32xf32>) -> tensor<?x4x?x8xf32> {
  %zero = pd.constant dense<0> : tensor<i64>
  %one = pd.constant dense<1> : tensor<i64>
  %low = pd.constant dense<-1.0E+9> : tensor<f32>
  %x = pd.embedding %ids, %table : (tensor<?x?xi64>, tensor<50x32xf32>) -> tensor<?x?x32xf32>
  %h = pd.reshape %x {shape = array<i64: 0, 0, 4, 8>} : (tensor<?x?x32xf32>) -> tensor<?x?x4x8xf32>
  %q = pd.transpose %h {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32>) -> tensor<?x4x?x8xf32>
  %shape = pd.shape %ids : (tensor<?x?xi64>) -> tensor<2xi32>
  %slice = pd.slice %shape {axes = array<i64: 0>, starts = array<i64: 1>, ends = array<i64: 2>} : (tensor<2xi32>) -> tensor<1xi32>
  %end = pd.cast %slice {dtype = i64} : (tensor<1xi32>) -> tensor<1xi64>
  %keys = pd.arange %zero, %end, %one {dtype = i64} : (tensor<i64>, tensor<1xi64>, tensor<i64>) -> tensor<?xi64>
  %rows = pd.unsqueeze %keys {axis = array<i64: 1>} : (tensor<?xi64>) -> tensor<?x1xi64>
  %c = pd.less_equal %keys, %rows : (tensor<?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %w = pd.where %c, %s, %low : (tensor<?x?xi1>, tensor<?x4x?x?xf32>, tensor<f32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %w : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %q : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// A sliding window, as PyTorch's models have it: keys up to the query and after the query minus 100, and lengths.
// CHECK-LABEL: func.func @window(
// CHECK: pd.fused_attention {{.*}} key_lengths = %{{[0-9]+}} {causal = true, left_window = 99 : i64
func.func @window(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>, %n: tensor<?xi64>) -> tensor<?x4x?x8xf32> {
  %zero = pd.constant dense<0> : tensor<i64>
  %one = pd.constant dense<1> : tensor<i64>
  %size = pd.constant dense<100> : tensor<i64>
  %low = pd.constant dense<0xFF800000> : tensor<f32>
  %none = pd.constant dense<0.0> : tensor<f32>
  %end = pd.dim %q {index = 2 : i64} : (tensor<?x4x?x8xf32>) -> tensor<i64>
  %keys = pd.arange %zero, %end, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %rows = pd.unsqueeze %keys {axis = array<i64: 1>} : (tensor<?xi64>) -> tensor<?x1xi64>
  %begin = pd.subtract %rows, %size : (tensor<?x1xi64>, tensor<i64>) -> tensor<?x1xi64>
  %after = pd.greater_than %keys, %begin : (tensor<?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1>
  %before = pd.less_equal %keys, %rows : (tensor<?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1>
  %both = pd.bitwise_and %after, %before : (tensor<?x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %m = pd.where %both, %none, %low : (tensor<?x?xi1>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  %ends = pd.unsqueeze %n {axis = array<i64: 1, 2, 3>} : (tensor<?xi64>) -> tensor<?x1x1x1xi64>
  %isKey = pd.less_than %keys, %ends : (tensor<?xi64>, tensor<?x1x1x1xi64>) -> tensor<?x1x1x?xi1>
  %ofKeys = pd.where %isKey, %none, %low : (tensor<?x1x1x?xi1>, tensor<f32>, tensor<f32>) -> tensor<?x1x1x?xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %a = pd.add %s, %m : (tensor<?x4x?x?xf32>, tensor<?x?xf32>) -> tensor<?x4x?x?xf32>
  %b = pd.add %a, %ofKeys : (tensor<?x4x?x?xf32>, tensor<?x1x1x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %b : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %q : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// A triangle of ones that is skipped for a single position, as PaddleNLP exports LLaMA.
// CHECK-LABEL: func.func @branch(
// CHECK: pd.fused_attention {{.*}} {causal = true
func.func @branch(%q: tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32> {
  %one = pd.constant dense<1> : tensor<i64>
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %none = pd.constant dense<0.0> : tensor<f32>
  %size = pd.dim %q {index = 2 : i64} : (tensor<?x4x?x8xf32>) -> tensor<i64>
  %single = pd.reshape %size {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %dims = pd.concat %single, %single : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %all = pd.full shape = %dims {dtype = i1, value = 1.0 : f64} : (tensor<2xi64>) -> tensor<?x?xi1>
  %isLong = pd.greater_than %size, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %c = tensor.extract %isLong[] : tensor<i1>
  %m = scf.if %c -> (tensor<?x?xi1>) {
    %lower = pd.tril %all : (tensor<?x?xi1>) -> tensor<?x?xi1>
    scf.yield %lower : tensor<?x?xi1>
  } else {
    scf.yield %all : tensor<?x?xi1>
  }
  %f = pd.where %m, %none, %low : (tensor<?x?xi1>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %a = pd.add %s, %f : (tensor<?x4x?x?xf32>, tensor<?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %a : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %q : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// Near miss: the triangle has another size than the sequence, which would broadcast if it is 1.
// CHECK-LABEL: func.func @other_size(
// CHECK: pd.fused_attention {{.*}} mask = %
func.func @other_size(%q: tensor<?x4x?x8xf32>, %ids: tensor<?x?xi64>) -> tensor<?x4x?x8xf32> {
  %zero = pd.constant dense<0> : tensor<i64>
  %one = pd.constant dense<1> : tensor<i64>
  %low = pd.constant dense<-1.0E+9> : tensor<f32>
  %none = pd.constant dense<0.0> : tensor<f32>
  %end = pd.dim %ids {index = 1 : i64} : (tensor<?x?xi64>) -> tensor<i64>
  %keys = pd.arange %zero, %end, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %rows = pd.unsqueeze %keys {axis = array<i64: 1>} : (tensor<?xi64>) -> tensor<?x1xi64>
  %c = pd.less_equal %keys, %rows : (tensor<?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1>
  %m = pd.where %c, %none, %low : (tensor<?x?xi1>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %a = pd.add %s, %m : (tensor<?x4x?x?xf32>, tensor<?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %a : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %q : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// Near miss: nothing says that there are as many queries as keys, and positions of queries count from the last key.
// CHECK-LABEL: func.func @other_keys(
// CHECK: pd.fused_attention {{.*}} mask = %
func.func @other_keys(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32> {
  %zero = pd.constant dense<0> : tensor<i64>
  %one = pd.constant dense<1> : tensor<i64>
  %low = pd.constant dense<-1.0E+9> : tensor<f32>
  %none = pd.constant dense<0.0> : tensor<f32>
  %queries = pd.dim %q {index = 2 : i64} : (tensor<?x4x?x8xf32>) -> tensor<i64>
  %end = pd.dim %k {index = 2 : i64} : (tensor<?x4x?x8xf32>) -> tensor<i64>
  %keys = pd.arange %zero, %end, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %positions = pd.arange %zero, %queries, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %rows = pd.unsqueeze %positions {axis = array<i64: 1>} : (tensor<?xi64>) -> tensor<?x1xi64>
  %c = pd.less_equal %keys, %rows : (tensor<?xi64>, tensor<?x1xi64>) -> tensor<?x?xi1>
  %m = pd.where %c, %none, %low : (tensor<?x?xi1>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %a = pd.add %s, %m : (tensor<?x4x?x?xf32>, tensor<?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %a : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %k : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}
