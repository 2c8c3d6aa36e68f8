// --check finds a stack frame and spills.
// RUN: not proa-ptx %s --check 2>&1 | FileCheck %s
// RUN: proa-ptx %s --emit=resources | FileCheck %s --check-prefix=RESOURCES
// REQUIRES: cuda-assembler

// CHECK-DAG: error: kernel 'stack' for sm_90a: has a stack frame of {{[0-9]+}} bytes, expected none
// CHECK-DAG: error: kernel 'spill' for sm_90a: spills registers ({{[0-9]+}} bytes stored, {{[0-9]+}} bytes loaded)

// RESOURCES-DAG: stack sm_90a: {{.*}} {{[1-9][0-9]*}} bytes stack, 0 bytes spilled
// RESOURCES-DAG: spill sm_90a: {{.*}} {{[1-9][0-9]*}} bytes spilled

llvm.func @stack(%x: !llvm.ptr, %i: i64, %j: i64)
    attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 32>, proa.launch = #proa.launch<threads = 32>} {
  %count = llvm.mlir.constant(16 : i32) : i32
  %array = llvm.alloca %count x f32 : (i32) -> !llvm.ptr
  %value = llvm.load volatile %x : !llvm.ptr -> f32
  %one = llvm.mlir.constant(1.0 : f32) : f32
  %to = llvm.getelementptr %array[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %from = llvm.getelementptr %array[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store volatile %value, %to : f32, !llvm.ptr
  %read = llvm.load volatile %from : !llvm.ptr -> f32
  llvm.store %read, %x : f32, !llvm.ptr
  llvm.return
}

// All 64 values are needed for their sum and again after it.
llvm.func @spill(%x: !llvm.ptr, %y: !llvm.ptr)
    attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = 24 : i32, proa.launch = #proa.launch<threads = 32>} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %first = llvm.mlir.constant(0 : i32) : i32
  %v = llvm.load volatile %x : !llvm.ptr -> vector<64xf32>
  %sum = "llvm.intr.vector.reduce.fadd"(%zero, %v) : (f32, vector<64xf32>) -> f32
  %none = llvm.mlir.poison : vector<64xf32>
  %one = llvm.insertelement %sum, %none[%first : i32] : vector<64xf32>
  %sums = llvm.shufflevector %one, %none [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<64xf32>
  %product = llvm.fmul %v, %sums : vector<64xf32>
  llvm.store volatile %product, %y : vector<64xf32>, !llvm.ptr
  llvm.return
}
