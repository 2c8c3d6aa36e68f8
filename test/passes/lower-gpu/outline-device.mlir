// RUN: proa-opt %s --proa-outline-device | FileCheck %s

// CHECK-NOT: @on_host
// CHECK: func.func @kernel_shape
// CHECK: gpu.module @device {
// CHECK: memref.global "private" @kernel_shared
// CHECK: func.func @kernel
memref.global "private" @kernel_shared : memref<64xi8, #gpu.address_space<workgroup>> = uninitialized
func.func @kernel(%a: memref<4xf32>) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %shared = memref.get_global @kernel_shared : memref<64xi8, #gpu.address_space<workgroup>>
  return
}
func.func @kernel_shape(%n: index) -> index {
  return %n : index
}
func.func @on_host(%a: memref<4xf32>) attributes {proa.kernel} {
  return
}
func.func @on_host_shape(%n: index) -> index {
  return %n : index
}
