// RUN: proa-opt %s --pd-expand-for-device --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-expand-for-device=atomic --split-input-file | FileCheck %s --check-prefix=ATOMIC
// RUN: proa-opt %s --pd-expand-for-device --split-input-file --remarks=pd-expand-for-device -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The number of the execution comes from the host; kernels compute the numbers.
// CHECK-LABEL: func.func @random
// CHECK: %[[A:.*]] = rt.random_call {seed = 3 : i64} : () -> tensor<2xi64>
// CHECK: rt.uniform %[[A]] {{.*}} : (tensor<2xi64>) -> tensor<2x3xf32>
// CHECK: %[[B:.*]] = rt.random_call{{.*}} : () -> tensor<2xi64>
// CHECK: rt.gaussian %[[B]] {{.*}} : (tensor<2xi64>) -> tensor<2x3xf64>
// CHECK: %[[C:.*]] = rt.random_call{{.*}} : () -> tensor<2xi64>
// CHECK: rt.randint %[[C]] {{.*}} : (tensor<2xi64>) -> tensor<2x3xi64>
func.func @random() -> (tensor<2x3xf32>, tensor<2x3xf64>, tensor<2x3xi64>) {
  %0 = "pd.uniform"() {shape = array<i64: 2, 3>, dtype = f32, seed = 3 : i64, operandSegmentSizes = array<i32: 0, 0>} : () -> tensor<2x3xf32>
  %1 = "pd.gaussian"() {shape = array<i64: 2, 3>, dtype = f64, operandSegmentSizes = array<i32: 0, 0>} : () -> tensor<2x3xf64>
  %2 = "pd.randint"() {shape = array<i64: 2, 3>, dtype = i64, low = 2 : i64, high = 9 : i64, operandSegmentSizes = array<i32: 0, 0>} : () -> tensor<2x3xi64>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf64>, tensor<2x3xi64>
}

// -----

// The execution is an operand: nothing is counted.
// CHECK-LABEL: func.func @repeated
// CHECK-NOT: rt.random_call
// CHECK: rt.uniform %arg0 {{.*}} : (tensor<2xi64>) -> tensor<2x3xf32>
func.func @repeated(%call: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = pd.uniform seed = %call {shape = array<i64: 2, 3>, dtype = f32} : (tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// A part of a tensor has the numbers that the whole has there.
// CHECK-LABEL: func.func @parts
// CHECK: rt.uniform %arg0, %arg1 {{.*}}whole_shape = array<i64: 4, 3>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
// CHECK: rt.gaussian %arg0, %arg1 {{.*}}whole_shape = array<i64: 4, 3>}
// CHECK: rt.randint %arg0, %arg1 {{.*}}whole_shape = array<i64: 4, 3>}
func.func @parts(%call: tensor<2xi64>, %begin: tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>) {
  %0 = "pd.uniform"(%call, %begin) {shape = array<i64: 2, 3>, dtype = f32, whole_shape = array<i64: 4, 3>, operandSegmentSizes = array<i32: 0, 1, 1>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = "pd.gaussian"(%call, %begin) {shape = array<i64: 2, 3>, dtype = f32, whole_shape = array<i64: 4, 3>, operandSegmentSizes = array<i32: 0, 1, 1>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  %2 = "pd.randint"(%call, %begin) {shape = array<i64: 2, 3>, dtype = i64, low = 2 : i64, high = 9 : i64, whole_shape = array<i64: 4, 3>, operandSegmentSizes = array<i32: 0, 1, 1>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xi64>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
}

// -----

// REMARK: its shape is known only at run time
// CHECK-LABEL: func.func @dynamic
// CHECK: pd.uniform
func.func @dynamic(%n: tensor<1xi64>) -> tensor<?xf32> {
  %0 = "pd.uniform"(%n) {shape = array<i64: -1>, dtype = f32, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_nd(%arg0: tensor<5x4xf32>, %arg1: tensor<2x3x1xi64>, %arg2: tensor<2x3x4xf32>)
// CHECK: %[[KEYS:.*]] = rt.scatter_keys %arg0, %arg1 : (tensor<5x4xf32>, tensor<2x3x1xi64>) -> tensor<2x3xi32>
// CHECK: %[[FLAT:.*]] = pd.reshape %[[KEYS]] {{.*}} -> tensor<6xi32>
// CHECK: %[[SORTED:.*]], %[[ORDER:.*]] = pd.argsort %[[FLAT]] {axis = 0 : i64, stable = true}
// CHECK: rt.scatter_sorted %arg0, %[[SORTED]], %[[ORDER]], %{{.*}} {depth = 1 : i64, reduce = {{.*}}} : {{.*}}tensor<6x4xf32>) -> tensor<5x4xf32>
func.func @scatter_nd(%x: tensor<5x4xf32>, %i: tensor<2x3x1xi64>, %u: tensor<2x3x4xf32>) -> tensor<5x4xf32> {
  %0 = pd.scatter_nd %x, %i, %u reduce = add : (tensor<5x4xf32>, tensor<2x3x1xi64>, tensor<2x3x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

// Whether the updates have as many elements as the indices is not known.
// REMARK: whether its updates fit is known only at run time
// CHECK-LABEL: func.func @scatter_dynamic
// CHECK: pd.scatter_nd
func.func @scatter_dynamic(%x: tensor<5x4xf32>, %i: tensor<?x1xi64>, %u: tensor<?x4xf32>) -> tensor<5x4xf32> {
  %0 = "pd.scatter_nd"(%x, %i, %u) : (tensor<5x4xf32>, tensor<?x1xi64>, tensor<?x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

// A value for all indices.
// CHECK-LABEL: func.func @put_along_axis
// CHECK: rt.scatter_keys %arg0, %arg1 {axis = 1 : i64} : (tensor<5x4xf32>, tensor<5x2xi64>) -> tensor<5x2xi32>
// CHECK: pd.expand {{.*}} -> tensor<5x2xf32>
// CHECK: rt.scatter_sorted {{.*}} {depth = 2 : i64
func.func @put_along_axis(%x: tensor<5x4xf32>, %i: tensor<5x2xi64>, %v: tensor<1x1xf32>) -> tensor<5x4xf32> {
  %0 = "pd.put_along_axis"(%x, %i, %v) {axis = 1 : i64} : (tensor<5x4xf32>, tensor<5x2xi64>, tensor<1x1xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

// Blocks compute parts of 32 elements or more, which start with the value of a constant.
// CHECK-LABEL: func.func @owned
// CHECK: %[[KEYS:.*]] = rt.scatter_keys
// CHECK-NOT: pd.argsort
// CHECK: rt.scatter_owned %[[KEYS]], %arg1 {depth = 1 : i64, reduce = {{.*}}, start = 2.000000e+00 : f64} : (tensor<6xi32>, tensor<6x32xf32>) -> tensor<5x32xf32>
// CHECK: rt.scatter_owned %{{.*}}, %arg1, %arg2 {depth = 1 : i64} : (tensor<6xi32>, tensor<6x32xf32>, tensor<5x32xf32>) -> tensor<5x32xf32>
func.func @owned(%i: tensor<6x1xi64>, %u: tensor<6x32xf32>, %y: tensor<5x32xf32>) -> (tensor<5x32xf32>, tensor<5x32xf32>) {
  %x = pd.constant dense<2.0> : tensor<5x32xf32>
  %0 = pd.scatter_nd %x, %i, %u reduce = add : (tensor<5x32xf32>, tensor<6x1xi64>, tensor<6x32xf32>) -> tensor<5x32xf32>
  %1 = "pd.scatter_nd"(%y, %i, %u) : (tensor<5x32xf32>, tensor<6x1xi64>, tensor<6x32xf32>) -> tensor<5x32xf32>
  return %0, %1 : tensor<5x32xf32>, tensor<5x32xf32>
}

// -----

// Sums of 16 bits would be rounded with each update, and 2^20 keys are too many for 1024 blocks.
// REMARK: pd.scatter_nd sorts its updates: sums in the memory of the result would be less exact
// REMARK: pd.scatter_nd sorts its updates: blocks read 1073741824 keys, and {{[0-9]+}} in the time of a sort
// CHECK-LABEL: func.func @sorted
// CHECK-COUNT-2: rt.scatter_sorted
// CHECK-NOT: rt.scatter_owned
func.func @sorted(%i: tensor<6x1xi64>, %u: tensor<6x32xf16>, %y: tensor<5x32xf16>, %k: tensor<1048576x1xi64>,
    %v: tensor<1048576x32xf32>, %z: tensor<4096x32xf32>) -> (tensor<5x32xf16>, tensor<4096x32xf32>) {
  %0 = pd.scatter_nd %y, %i, %u reduce = add : (tensor<5x32xf16>, tensor<6x1xi64>, tensor<6x32xf16>) -> tensor<5x32xf16>
  %1 = pd.scatter_nd %z, %k, %v reduce = add : (tensor<4096x32xf32>, tensor<1048576x1xi64>, tensor<1048576x32xf32>) -> tensor<4096x32xf32>
  return %0, %1 : tensor<5x32xf16>, tensor<4096x32xf32>
}

// -----

// With the option small parts are added atomically; other combinations are not.
// REMARK: pd.scatter_nd sorts its updates: a slice has 1 elements, fewer than 32
// CHECK-LABEL: func.func @small
// CHECK-NOT: rt.scatter_owned
// ATOMIC-LABEL: func.func @small
// ATOMIC: rt.scatter_owned {{.*}} {depth = 1 : i64, proa.strategy = #proa.strategy<atomic>, reduce = {{.*}}} : (tensor<6xi32>, tensor<6xf32>, tensor<5xf32>) -> tensor<5xf32>
// ATOMIC: rt.scatter_sorted
func.func @small(%i: tensor<6x1xi64>, %u: tensor<6xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = pd.scatter_nd %y, %i, %u reduce = add : (tensor<5xf32>, tensor<6x1xi64>, tensor<6xf32>) -> tensor<5xf32>
  %1 = pd.scatter_nd %y, %i, %u reduce = amax : (tensor<5xf32>, tensor<6x1xi64>, tensor<6xf32>) -> tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
