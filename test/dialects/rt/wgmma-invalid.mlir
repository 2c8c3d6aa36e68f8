// RUN: proa-opt %s --split-input-file --verify-diagnostics

llvm.func @registers(%x: i32, %y: i64, %sums: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{C1: x has 3 registers, expected 4}}
  %0 = rt.wgmma f16 (%x, %x, %x), %y, %sums : !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @count(%x: i32, %y: i64, %sums: !llvm.struct<(f32, f32)>) {
  // expected-error@+1 {{C2: sums are '!llvm.struct<(f32, f32)>', expected 4 to 128 values of f32, a multiple of 4}}
  %0 = rt.wgmma f16 (%x, %x, %x, %x), %y, %sums : !llvm.struct<(f32, f32)>
  llvm.return
}

// -----

llvm.func @sums(%x: i32, %y: i64, %sums: !llvm.struct<(f16, f16, f16, f16)>) {
  // expected-error@+1 {{C2: sums are '!llvm.struct<(f16, f16, f16, f16)>', expected 4 to 128 values of f32}}
  %0 = rt.wgmma f16 (%x, %x, %x, %x), %y, %sums : !llvm.struct<(f16, f16, f16, f16)>
  llvm.return
}

// -----

llvm.func @element(%x: i32, %y: i64, %sums: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{C3: element is 'f32', expected f16 or bf16}}
  %0 = rt.wgmma f32 (%x, %x, %x, %x), %y, %sums : !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}
