// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @argmax
func.func @argmax(%x: tensor<3x5xf32>) {
  // CHECK: pd.argmax %{{.*}} {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  %0 = pd.argmax %x {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  return
}

// CHECK-LABEL: func @argmin
func.func @argmin(%x: tensor<3x5xf32>) {
  // CHECK: pd.argmin %{{.*}} {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  %0 = pd.argmin %x {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  return
}

// CHECK-LABEL: func @argsort
func.func @argsort(%x: tensor<3x4xf32>) {
  // CHECK: pd.argsort %{{.*}} {axis = 1 : i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  %0:2 = pd.argsort %x {axis = 1 : i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  return
}

// CHECK-LABEL: func @kthvalue
func.func @kthvalue(%x: tensor<2x3xf32>) {
  // CHECK: pd.kthvalue %{{.*}} {k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  %0:2 = pd.kthvalue %x {k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// CHECK-LABEL: func @masked_select
func.func @masked_select(%x: tensor<2x3xf32>, %mask: tensor<2x3xi1>) {
  // CHECK: pd.masked_select %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<?xf32>
  %0 = pd.masked_select %x, %mask : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func @median
func.func @median(%x: tensor<3x6xf64>) {
  // CHECK: pd.median %{{.*}} {axis = array<i64: 1>} : (tensor<3x6xf64>) -> tensor<3xf64>
  %0 = pd.median %x {axis = array<i64: 1>} : (tensor<3x6xf64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @nanmedian
func.func @nanmedian(%x: tensor<2x3xf32>) {
  // CHECK: pd.nanmedian %{{.*}} {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %0 = pd.nanmedian %x {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @nonzero
func.func @nonzero(%condition: tensor<4xi1>) {
  // CHECK: pd.nonzero %{{.*}} : (tensor<4xi1>) -> tensor<?x1xi64>
  %0 = pd.nonzero %condition : (tensor<4xi1>) -> tensor<?x1xi64>
  return
}

// CHECK-LABEL: func @one_hot
func.func @one_hot(%x: tensor<2xi64>) {
  // CHECK: pd.one_hot %{{.*}} {num_classes = 3 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  %0 = pd.one_hot %x {num_classes = 3 : i64} : (tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @searchsorted
func.func @searchsorted(%sorted_sequence: tensor<4xf32>, %values: tensor<7xf32>) {
  // CHECK: pd.searchsorted %{{.*}}, %{{.*}} {right = true} : (tensor<4xf32>, tensor<7xf32>) -> tensor<7xi64>
  %0 = pd.searchsorted %sorted_sequence, %values {right = true} : (tensor<4xf32>, tensor<7xf32>) -> tensor<7xi64>
  return
}

// CHECK-LABEL: func @shard_index
func.func @shard_index(%x: tensor<5x1xi64>) {
  // CHECK: pd.shard_index %{{.*}} {index_num = 20 : i64, nshards = 2 : i64, shard_id = 0 : i64} : (tensor<5x1xi64>) -> tensor<5x1xi64>
  %0 = pd.shard_index %x {index_num = 20 : i64, nshards = 2 : i64, shard_id = 0 : i64} : (tensor<5x1xi64>) -> tensor<5x1xi64>
  return
}

// CHECK-LABEL: func @topk
func.func @topk(%x: tensor<3x5xf32>) {
  // CHECK: pd.topk %{{.*}} {k = 2 : i64} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %0:2 = pd.topk %x {k = 2 : i64} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return
}

// CHECK-LABEL: func @stable_topk
func.func @stable_topk(%x: tensor<3x5xf32>) {
  // CHECK: pd.topk %{{.*}} {k = 2 : i64, stable = true} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %0:2 = pd.topk %x {k = 2 : i64, stable = true} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return
}

// CHECK-LABEL: func @composites_uses
func.func @composites_uses(%x: tensor<2x3x4xf32>) {
  // CHECK: pd.median {{.*}} -> tensor<2x4xf32>
  %1 = pd.median %x mode = min {axis = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @index_uses
func.func @index_uses(%x: tensor<2x3xf32>, %c: tensor<2x3xi1>) {
  // CHECK: pd.nonzero
  %0 = pd.nonzero %c : (tensor<2x3xi1>) -> tensor<?x2xi64>
  // CHECK: pd.masked_select
  %1 = pd.masked_select %x, %c : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<?xf32>
  // CHECK: pd.kthvalue %{{.*}} {k = 2 : i64}
  %2:2 = pd.kthvalue %x {k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// CHECK-LABEL: @mode
func.func @mode(%x: tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<5xi64>) {
  // CHECK: pd.mode {{.*}} -> (tensor<4x1xf32>, tensor<4x1xi64>)
  %0:2 = pd.mode %x {keepdim = true} : (tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  // CHECK: pd.mode {{.*}} -> (tensor<5xf32>, tensor<5xi64>)
  %1:2 = pd.mode %x {axis = 0 : i64} : (tensor<4x5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return %0#0, %1#1 : tensor<4x1xf32>, tensor<5xi64>
}
