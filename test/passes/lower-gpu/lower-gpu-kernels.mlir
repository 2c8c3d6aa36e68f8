// RUN: proa-opt %s --proa-lower-gpu-kernels | FileCheck %s

// A kernel with bare pointers, dims and a range of rows; functions of shapes stay host code.
// CHECK: llvm.func @softmax_shape
// CHECK: llvm.mlir.global private @softmax_shared() {addr_space = 3 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @softmax(
// CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, {{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias},
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 256>, proa.kernel
// CHECK-SAME: proa.launch = #proa.launch<threads = 256>
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK-NOT: gpu.module
func.func private @softmax(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> attributes {proa.kernel} {
  %max = pd.max %x {axis = array<i64: 1>, keepdim = true} : (tensor<?x1024xf32>) -> tensor<?x1xf32>
  %shifted = pd.subtract %x, %max : (tensor<?x1024xf32>, tensor<?x1xf32>) -> tensor<?x1024xf32>
  %exp = pd.exp %shifted : (tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %sum = pd.sum %exp {axis = array<i64: 1>, keepdim = true} : (tensor<?x1024xf32>) -> tensor<?x1xf32>
  %result = pd.divide %exp, %sum : (tensor<?x1024xf32>, tensor<?x1xf32>) -> tensor<?x1024xf32>
  return %result : tensor<?x1024xf32>
}
