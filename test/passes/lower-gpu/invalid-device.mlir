// RUN: proa-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(proa-place-shared,proa-outline-device,proa-inline-device)"

// expected-error@+1 {{'kernel_shared' exists, expected the name to be free for shared memory}}
func.func @kernel_shared() {
  return
}
func.func @kernel(%v: f32) attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  %a = memref.alloc() : memref<f32>
  memref.store %v, %a[] : memref<f32>
  return
}

// -----

// expected-error@+1 {{kernel 'called' is called, but its signature must change}}
func.func @called() attributes {proa.kernel, proa.launch = #proa.launch<threads = 32>} {
  return
}
func.func @caller() {
  // expected-note@+1 {{used here}}
  call @called() : () -> ()
  return
}

// -----

func.func @twice() {
  return
}
gpu.module @other {
  // expected-error@+1 {{the module has a symbol 'twice' already}}
  func.func @twice() {
    return
  }
}

// -----

// expected-error@+1 {{kernel 'declared' is called, but its signature must change}}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel}
func.func @main(%x: tensor<4xf32>) {
  // expected-note@+1 {{used here}}
  %0 = call @declared(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
