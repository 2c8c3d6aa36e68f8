// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @array_add
func.func @array_add(%x: !pd.array<*>, %y: !pd.array<tensor<?x3xf32>>) {
  // CHECK: pd.array_add %{{.*}}, %{{.*}} : (!pd.array<*>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  %0 = pd.array_add %x, %y : (!pd.array<*>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  return
}

// CHECK-LABEL: func @array_cast
func.func @array_cast(%array: !pd.array<tensor<2x3xf32>>) {
  // CHECK: pd.array_cast %{{.*}} : <tensor<2x3xf32>> to <tensor<?x3xf32>>
  %0 = pd.array_cast %array : <tensor<2x3xf32>> to <tensor<?x3xf32>>
  return
}

// CHECK-LABEL: func @array_concat
func.func @array_concat(%x: !pd.array<*>, %y: !pd.array<tensor<?x3xf32>>) {
  // CHECK: pd.array_concat %{{.*}}, %{{.*}} : (!pd.array<*>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  %0 = pd.array_concat %x, %y : (!pd.array<*>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  return
}

// CHECK-LABEL: func @array_create
func.func @array_create() {
  // CHECK: pd.array_create  : () -> !pd.array<*>
  %0 = pd.array_create : () -> !pd.array<*>
  return
}

// CHECK-LABEL: func @array_length
func.func @array_length(%array: !pd.array<tensor<3xf64>>) {
  // CHECK: pd.array_length %{{.*}} : (!pd.array<tensor<3xf64>>) -> tensor<1xi64>
  %0 = pd.array_length %array : (!pd.array<tensor<3xf64>>) -> tensor<1xi64>
  return
}

// CHECK-LABEL: func @array_read
func.func @array_read(%array: !pd.array<tensor<3xf64>>, %index: tensor<1xi64>) {
  // CHECK: pd.array_read %{{.*}}, %{{.*}} : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %0 = pd.array_read %array, %index : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @array_read_or
func.func @array_read_or(%array: !pd.array<tensor<3xf32>>, %index: tensor<1xi64>, %otherwise: tensor<3xf32>) {
  // CHECK: pd.array_read_or %{{.*}}, %{{.*}}, %{{.*}} : (!pd.array<tensor<3xf32>>, tensor<1xi64>, tensor<3xf32>) -> tensor<3xf32>
  %0 = pd.array_read_or %array, %index, %otherwise : (!pd.array<tensor<3xf32>>, tensor<1xi64>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @array_slice
func.func @array_slice(%array: !pd.array<tensor<2x3xf32>>, %start: tensor<1xi64>, %end: tensor<1xi64>) {
  // CHECK: pd.array_slice %{{.*}}, %{{.*}}, %{{.*}} : (!pd.array<tensor<2x3xf32>>, tensor<1xi64>, tensor<1xi64>) -> !pd.array<tensor<2x3xf32>>
  %0 = pd.array_slice %array, %start, %end : (!pd.array<tensor<2x3xf32>>, tensor<1xi64>, tensor<1xi64>) -> !pd.array<tensor<2x3xf32>>
  return
}

// CHECK-LABEL: func @array_split
func.func @array_split(%x: tensor<5x3xf32>, %sizes: tensor<2xi32>) {
  // CHECK: pd.array_split %{{.*}}, %{{.*}} {axis = 1 : i64, use_stack = true} : (tensor<5x3xf32>, tensor<2xi32>) -> !pd.array<tensor<5xf32>>
  %0 = pd.array_split %x, %sizes {axis = 1, use_stack = true} : (tensor<5x3xf32>, tensor<2xi32>) -> !pd.array<tensor<5xf32>>
  return
}

// CHECK-LABEL: func @array_to_tensor
func.func @array_to_tensor(%array: !pd.array<tensor<3xf64>>) {
  // CHECK: pd.array_to_tensor %{{.*}} : (!pd.array<tensor<3xf64>>) -> (tensor<?xf64>, tensor<?xi32>)
  %0:2 = pd.array_to_tensor %array {axis = 0 : i64} : (!pd.array<tensor<3xf64>>) -> (tensor<?xf64>, tensor<?xi32>)
  return
}

// CHECK-LABEL: func @array_write
func.func @array_write(%array: !pd.array<*>, %index: tensor<1xi64>, %x: tensor<2xf32>) {
  // CHECK: pd.array_write %{{.*}}, %{{.*}}, %{{.*}} : (!pd.array<*>, tensor<1xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
  %0 = pd.array_write %array, %index, %x : (!pd.array<*>, tensor<1xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
  return
}

// CHECK-LABEL: func @array_zeros_like
func.func @array_zeros_like(%array: !pd.array<tensor<?x3xf32>>) {
  // CHECK: pd.array_zeros_like %{{.*}} : (!pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  %0 = pd.array_zeros_like %array : (!pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  return
}

// CHECK-LABEL: func @gradients
func.func @gradients(%x: tensor<5x3xf32>, %sizes: tensor<2xi32>, %i: tensor<1xi64>, %zeros: tensor<2x3xf32>) -> tensor<?x3xf32> {
  // CHECK: pd.array_split {{.*}} -> !pd.array<tensor<?x3xf32>>
  %0 = pd.array_split %x, %sizes : (tensor<5x3xf32>, tensor<2xi32>) -> !pd.array<tensor<?x3xf32>>
  // CHECK: pd.array_split {{.*}} -> !pd.array<tensor<5xf32>>
  %1 = pd.array_split %x, %sizes {axis = 1, use_stack = true} : (tensor<5x3xf32>, tensor<2xi32>) -> !pd.array<tensor<5xf32>>
  %2 = pd.array_create : () -> !pd.array<*>
  // CHECK: pd.array_add {{.*}} -> !pd.array<tensor<?x3xf32>>
  %3 = pd.array_add %2, %0 : (!pd.array<*>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  // CHECK: pd.array_concat {{.*}} -> !pd.array<tensor<?x3xf32>>
  %5 = pd.array_concat %2, %0 : (!pd.array<*>, !pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  // CHECK: pd.array_zeros_like {{.*}} -> !pd.array<tensor<?x3xf32>>
  %6 = pd.array_zeros_like %3 : (!pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x3xf32>>
  // CHECK: pd.array_read_or {{.*}} -> tensor<?x3xf32>
  %4 = pd.array_read_or %6, %i, %zeros : (!pd.array<tensor<?x3xf32>>, tensor<1xi64>, tensor<2x3xf32>) -> tensor<?x3xf32>
  return %4 : tensor<?x3xf32>
}
