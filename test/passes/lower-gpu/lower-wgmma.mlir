// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=contraction=wgmma | FileCheck %s
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_80 | FileCheck %s --check-prefix=SM80

// Tensor maps are passed by value, after the range of rows. The shared memory of more than 48 KiB is dynamic.
// CHECK: llvm.mlir.global external @product_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @product(
// CHECK-SAME: %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, proa.tensor_map = #proa.tensor_map<
// CHECK-SAME: resident_blocks = 2, shared_bytes =
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// SM80-NOT: nvvm.wgmma
// SM80: nvvm.mma.sync
func.func private @product(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xbf16> attributes {proa.kernel} {
  %0 = pd.matmul %x, %w : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}
