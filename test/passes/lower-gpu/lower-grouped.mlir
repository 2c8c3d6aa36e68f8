// RUN: proa-opt %s --proa-set-target=gpu=sm_90a --proa-choose-contraction --proa-lower-grouped --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --proa-set-target=gpu=sm_80 --proa-choose-contraction --split-input-file | FileCheck %s --check-prefix=CHOICE
// RUN: proa-opt %s --proa-lower-gpu-kernels=chip=sm_90a --split-input-file | FileCheck %s --check-prefix=DEVICE

// Groups of 256 rows on average. The matrices are read by the tensor memory accelerator on sm_90a.
// CHOICE-LABEL: func.func private @rows
// CHOICE: pd.grouped_matmul {{.*}} {proa.contraction = #proa.contraction<kind = mma
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: %[[X:[^:]*]]: memref<2048x1024xf16>
// CHECK-SAME: %[[Y:[^:]*]]: memref<8x1024x2048xf16>
// CHECK-SAME: %[[SIZES:[^:]*]]: memref<8xi64>
// CHECK-SAME: proa.index_checks = [#proa.index_check<indices = 2, bound = 0, size = 2048, kind = group_size>]
// CHECK-SAME: proa.kernel
// The group, the first row and the number of rows of a tile.
// CHECK: scf.for
// CHECK: %[[FOUND:.*]]:5 = scf.for %[[GROUP:.*]] = %{{.*}} to %c8
// CHECK: memref.load %[[SIZES]][%[[GROUP]]]
// CHECK: memref.atomic_rmw minu
// Rows after the last group.
// CHECK: linalg.fill
// CHECK: memref.subview %[[X]][%[[FOUND]]#3, 0] [%[[FOUND]]#4, 1024] [1, 1]
// CHECK: memref.subview %[[Y]][%[[FOUND]]#2, 0, %{{.*}}] [1, 1024, {{[0-9]+}}] [1, 1, 1]
// CHECK: linalg.generic
// CHECK-SAME: proa.contraction = #proa.contraction<kind = wgmma, {{.*}}, split_k = 1>
// CHECK-SAME: proa.loops = #proa.loops<starts = [0.000000e+00 : f32]>
// CHECK: linalg.generic
// CHECK-SAME: proa.loops = #proa.loops<fused_with = result>
// DEVICE-LABEL: llvm.func @rows
// DEVICE: wgmma.mma_async
func.func private @rows(%x: tensor<2048x1024xf16>, %y: tensor<8x1024x2048xf16>, %sizes: tensor<8xi64>) -> tensor<2048x2048xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<2048x1024xf16>, tensor<8x1024x2048xf16>, tensor<8xi64>) -> tensor<2048x2048xf16>
  return %0 : tensor<2048x2048xf16>
}

// -----

// The rows of a group are a slice of the contracted dim, which wgmma does not end.
// CHOICE-LABEL: func.func private @columns
// CHECK-LABEL: func.func private @columns
// CHECK: linalg.generic
// CHECK-SAME: proa.contraction = #proa.contraction<kind = mma
// CHECK-NOT: linalg.fill
// DEVICE-LABEL: llvm.func @columns
// DEVICE: nvvm.mma.sync
func.func private @columns(%x: tensor<2048x1024xf16>, %g: tensor<2048x2048xf16>, %sizes: tensor<8xi64>) -> tensor<8x1024x2048xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul_y_grad %x, %g, %sizes : (tensor<2048x1024xf16>, tensor<2048x2048xf16>, tensor<8xi64>) -> tensor<8x1024x2048xf16>
  return %0 : tensor<8x1024x2048xf16>
}

// -----

// float32 without TF32: no epilogue. A tile is a part of 33 columns.
// CHOICE-LABEL: func.func private @single
// CHOICE: pd.grouped_matmul {{.*}} {proa.contraction = #proa.contraction<kind = fma
// CHECK-LABEL: func.func private @single
// CHECK-NOT: proa.loops = #proa.loops<fused_with = result>
// CHECK: linalg.generic
// CHECK-SAME: proa.contraction = #proa.contraction<kind = fma
func.func private @single(%x: tensor<5x7xf32>, %y: tensor<2x7x33xf32>, %sizes: tensor<2xi32>) -> tensor<5x33xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<5x7xf32>, tensor<2x7x33xf32>, tensor<2xi32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}
