// RUN: proa-opt --pd-form-kernels=target=gpu %s | FileCheck %s
// RUN: proa-opt --pd-form-kernels %s | FileCheck %s --check-prefix=CPU

// A product with its epilogue is one kernel. On the CPU it is a library op.
// CHECK-LABEL: func @epilogue
// CHECK-NEXT: call @[[EPILOGUE:kernel_[0-9]+]](%arg0, %arg1, %arg2) {proa.kernel_call = #proa.kernel_call<label = "matmul+add+tanh">}
// CHECK-NEXT: return
// CPU-LABEL: func @epilogue
// CPU: pd.matmul
// CPU: call @kernel_0{{.*}}"add+tanh"
func.func @epilogue(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %p = pd.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %s = pd.add %p, %b : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %r = pd.tanh %s : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Operands are read through transposes and widening casts.
// CHECK-LABEL: func @operands
// CHECK-NEXT: call @kernel{{.*}}(%arg0, %arg1) {proa.kernel_call = #proa.kernel_call<label = "transpose+cast+matmul">}
// CHECK-NEXT: return
func.func @operands(%x: tensor<8x4xf32>, %y: tensor<8x6xf16>) -> tensor<4x6xf32> {
  %t = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %c = pd.cast %y {dtype = f32} : (tensor<8x6xf16>) -> tensor<8x6xf32>
  %p = pd.matmul %t, %c : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}

// Near miss: other ops on operands would be repeated in each tile, and a narrower type rounded.
// CHECK-LABEL: func @computed_operands
// CHECK-COUNT-2: call @kernel
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
func.func @computed_operands(%x: tensor<4x8xf16>, %y: tensor<8x6xf32>) -> tensor<4x6xf16> {
  %e = pd.exp %x : (tensor<4x8xf16>) -> tensor<4x8xf16>
  %c = pd.cast %y {dtype = f16} : (tensor<8x6xf32>) -> tensor<8x6xf16>
  %p = pd.matmul %e, %c : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  return %p : tensor<4x6xf16>
}

// Attention is a kernel of its own: operands that would be cheap to compute again are stored.
// CHECK-LABEL: func @attention_operand
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "subtract">}
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "fused_attention">}
// CHECK-NEXT: return
func.func @attention_operand(%q: tensor<1x2x16x8xf32>, %r: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %k = pd.subtract %q, %r : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %o:3 = pd.fused_attention %q, %k, %r : (tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> (tensor<1x2x16x8xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>)
  return %o#0 : tensor<1x2x16x8xf32>
}

// Near miss: a transposed operand that something else uses is computed once.
// CHECK-LABEL: func @used_twice
// CHECK-COUNT-2: call @kernel
// CHECK: return
func.func @used_twice(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %t = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = pd.matmul %t, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %t, %p : tensor<8x8xf32>, tensor<8x8xf32>
}

// Near miss: a reduction of the result needs whole rows, and a second product tiles of its own.
// CHECK-LABEL: func @reduced
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "sum">}
func.func @reduced(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4xf32> {
  %p = pd.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %s = pd.sum %p {axis = array<i64: 1>, keepdim = false} : (tensor<4x6xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-LABEL: func @two_products
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul+add">}
func.func @two_products(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>, %z: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %p = pd.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %q = pd.matmul %x, %z : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %s = pd.add %p, %q : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// Near miss: complex products stay library ops.
// CHECK-LABEL: func @complex
// CHECK-NEXT: pd.matmul
func.func @complex(%x: tensor<4x8xcomplex<f32>>, %y: tensor<8x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>> {
  %p = pd.matmul %x, %y : (tensor<4x8xcomplex<f32>>, tensor<8x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  return %p : tensor<4x6xcomplex<f32>>
}

// Integers are extended while a product reads them.
// CHECK-LABEL: func @integers
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast+cast+matmul+cast">}
// CHECK-NEXT: return
func.func @integers(%x: tensor<4x8xi8>, %y: tensor<8x6xui8>) -> tensor<4x6xf32> {
  %a = pd.cast %x {dtype = i32} : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %b = pd.cast %y {dtype = i32} : (tensor<8x6xui8>) -> tensor<8x6xi32>
  %p = pd.matmul %a, %b : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
  %s = pd.cast %p {dtype = f32} : (tensor<4x6xi32>) -> tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// So are 8-bit floats.
// CHECK-LABEL: func @float8
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast+cast+matmul+cast">}
// CHECK-NEXT: return
func.func @float8(%x: tensor<4x8xf8E4M3FN>, %y: tensor<8x6xf8E5M2>) -> tensor<4x6xf16> {
  %a = pd.cast %x {dtype = f32} : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xf32>
  %b = pd.cast %y {dtype = f32} : (tensor<8x6xf8E5M2>) -> tensor<8x6xf32>
  %p = pd.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %s = pd.cast %p {dtype = f16} : (tensor<4x6xf32>) -> tensor<4x6xf16>
  return %s : tensor<4x6xf16>
}

// Near miss: bools. Integers that become floats are converted while they are copied.
// CHECK-LABEL: func @other_casts
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast">}
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast+matmul">}
func.func @other_casts(%x: tensor<4x8xi1>, %y: tensor<8x6xi8>) -> (tensor<4x6xi32>, tensor<4x6xf32>) {
  %a = pd.cast %x {dtype = i32} : (tensor<4x8xi1>) -> tensor<4x8xi32>
  %z = pd.full {dtype = i32, shape = array<i64: 8, 6>, value = 3.0} : () -> tensor<8x6xi32>
  %p = pd.matmul %a, %z : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
  %b = pd.cast %y {dtype = f32} : (tensor<8x6xi8>) -> tensor<8x6xf32>
  %f = pd.full {dtype = f32, shape = array<i64: 4, 8>, value = 3.0} : () -> tensor<4x8xf32>
  %q = pd.matmul %f, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %p, %q : tensor<4x6xi32>, tensor<4x6xf32>
}

// Small kernels that do not depend on each other are one: the factors of an optimizer step for two parameters. The
// constants are part of it.
// CHECK-LABEL: func @factors
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "multiply+sqrt+multiply+sqrt">}
// CHECK-NEXT: return
// CPU-LABEL: func @factors
// CPU-COUNT-2: call @kernel
func.func @factors(%x: tensor<1xf32>, %y: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %b = pd.constant dense<0.9> : tensor<1xf32>
  %p = pd.multiply %x, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %q = pd.sqrt %p : (tensor<1xf32>) -> tensor<1xf32>
  %c = pd.constant dense<0.8> : tensor<1xf32>
  %r = pd.multiply %y, %c : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %s = pd.sqrt %r : (tensor<1xf32>) -> tensor<1xf32>
  return %q, %s : tensor<1xf32>, tensor<1xf32>
}

// A value that is reshaped in between does not hinder.
// CHECK-LABEL: func @reshaped
// CHECK-NEXT: pd.reshape %arg1
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "exp+exp">}
// CHECK-NEXT: return
func.func @reshaped(%x: tensor<f32>, %y: tensor<1xf32>) -> (tensor<f32>, tensor<f32>) {
  %p = pd.exp %x : (tensor<f32>) -> tensor<f32>
  %v = pd.reshape %y : (tensor<1xf32>) -> tensor<f32>
  %q = pd.exp %v : (tensor<f32>) -> tensor<f32>
  return %p, %q : tensor<f32>, tensor<f32>
}

// The label names equal series once.
// CHECK-LABEL: func @labels
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "3x(exp+tanh)">}
// CHECK-NEXT: return
func.func @labels(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = pd.exp %x : (tensor<f32>) -> tensor<f32>
  %p = pd.tanh %a : (tensor<f32>) -> tensor<f32>
  %b = pd.exp %y : (tensor<f32>) -> tensor<f32>
  %q = pd.tanh %b : (tensor<f32>) -> tensor<f32>
  %c = pd.exp %z : (tensor<f32>) -> tensor<f32>
  %r = pd.tanh %c : (tensor<f32>) -> tensor<f32>
  return %p, %q, %r : tensor<f32>, tensor<f32>, tensor<f32>
}

// Near misses: other domains, domains that fill a device, and an operand that is computed later.
// CHECK-LABEL: func @other_domains
// CHECK-COUNT-2: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "exp">}
func.func @other_domains(%x: tensor<1xf32>, %y: tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>) {
  %p = pd.exp %x : (tensor<1xf32>) -> tensor<1xf32>
  %q = pd.exp %y : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %q : tensor<1xf32>, tensor<2xf32>
}
// CHECK-LABEL: func @large
// CHECK-COUNT-2: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "exp">}
func.func @large(%x: tensor<1025xf32>, %y: tensor<1025xf32>) -> (tensor<1025xf32>, tensor<1025xf32>) {
  %p = pd.exp %x : (tensor<1025xf32>) -> tensor<1025xf32>
  %q = pd.exp %y : (tensor<1025xf32>) -> tensor<1025xf32>
  return %p, %q : tensor<1025xf32>, tensor<1025xf32>
}
// CHECK-LABEL: func @later
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "exp">}
// CHECK: pd.cholesky
// CHECK: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "exp">}
func.func @later(%x: tensor<1xf32>, %y: tensor<1x1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %p = pd.exp %x : (tensor<1xf32>) -> tensor<1xf32>
  %c = pd.cholesky %y : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %v = pd.reshape %c {shape = array<i64: 1>} : (tensor<1x1xf32>) -> tensor<1xf32>
  %q = pd.exp %v : (tensor<1xf32>) -> tensor<1xf32>
  return %p, %q : tensor<1xf32>, tensor<1xf32>
}

// A product computes quantized weights while it copies them: they are smaller than the operand.
// CHECK-LABEL: func @quantized_weights
// CHECK-NEXT: call @kernel{{.*}}(%arg1, %arg2, %arg0) {proa.kernel_call = #proa.kernel_call<label = "cast+multiply+matmul">}
// CHECK-NEXT: return
func.func @quantized_weights(%x: tensor<4x8xf16>, %w: tensor<8x6xi8>, %s: tensor<6xf16>) -> tensor<4x6xf16> {
  %c = pd.cast %w {dtype = f16} : (tensor<8x6xi8>) -> tensor<8x6xf16>
  %m = pd.multiply %c, %s : (tensor<8x6xf16>, tensor<6xf16>) -> tensor<8x6xf16>
  %p = pd.matmul %x, %m : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  return %p : tensor<4x6xf16>
}

// Near miss: the scales have as many bytes as the operand.
// CHECK-LABEL: func @scale_of_each
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast+multiply">}
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
func.func @scale_of_each(%x: tensor<4x8xf16>, %w: tensor<8x6xi8>, %s: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %c = pd.cast %w {dtype = f16} : (tensor<8x6xi8>) -> tensor<8x6xf16>
  %m = pd.multiply %c, %s : (tensor<8x6xf16>, tensor<8x6xf16>) -> tensor<8x6xf16>
  %p = pd.matmul %x, %m : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  return %p : tensor<4x6xf16>
}

// Near miss: something else reads the weights, so they are computed once.
// CHECK-LABEL: func @weights_used_twice
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast+multiply">}
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
func.func @weights_used_twice(%x: tensor<4x8xf16>, %w: tensor<8x6xi8>, %s: tensor<6xf16>) -> (tensor<4x6xf16>, tensor<8x6xf16>) {
  %c = pd.cast %w {dtype = f16} : (tensor<8x6xi8>) -> tensor<8x6xf16>
  %m = pd.multiply %c, %s : (tensor<8x6xf16>, tensor<6xf16>) -> tensor<8x6xf16>
  %p = pd.matmul %x, %m : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  return %p, %m : tensor<4x6xf16>, tensor<8x6xf16>
}

// Near miss: of dynamic dims it is not known which is smaller.
// CHECK-LABEL: func @dynamic_weights
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "cast+multiply">}
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "matmul">}
func.func @dynamic_weights(%x: tensor<4x8xf16>, %w: tensor<8x?xi8>, %s: tensor<?xf16>) -> tensor<4x?xf16> {
  %c = pd.cast %w {dtype = f16} : (tensor<8x?xi8>) -> tensor<8x?xf16>
  %m = pd.multiply %c, %s : (tensor<8x?xf16>, tensor<?xf16>) -> tensor<8x?xf16>
  %p = pd.matmul %x, %m : (tensor<4x8xf16>, tensor<8x?xf16>) -> tensor<4x?xf16>
  return %p : tensor<4x?xf16>
}
