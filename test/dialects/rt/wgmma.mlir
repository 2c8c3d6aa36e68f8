// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --mlir-print-op-generic | proa-opt | FileCheck %s
// RUN: proa-opt %s --convert-nvvm-to-llvm | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: llvm.func @wgmma
// PTX-LABEL: llvm.func @wgmma
llvm.func @wgmma(%x: i32, %y: i64, %sums: !llvm.struct<(f32, f32, f32, f32)>) -> !llvm.struct<(f32, f32, f32, f32)> {
  // CHECK: rt.wgmma f16(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}), %{{.*}}, %{{.*}} {transposes_y} : !llvm.struct<(f32, f32, f32, f32)>
  // PTX: llvm.inline_asm has_side_effects asm_dialect = att
  // PTX-SAME: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, p, 1, 1, 1;
  // PTX-SAME: "=f,=f,=f,=f,r,r,r,r,l,0,1,2,3"
  %0 = rt.wgmma f16 (%x, %x, %x, %x), %y, %sums {transposes_y} : !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: rt.wgmma bf16(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}), %{{.*}}, %{{.*}} : !llvm.struct<(f32, f32, f32, f32)>
  // PTX: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, p, 1, 1, 0;
  %1 = rt.wgmma bf16 (%x, %x, %x, %x), %y, %0 : !llvm.struct<(f32, f32, f32, f32)>
  llvm.return %1 : !llvm.struct<(f32, f32, f32, f32)>
}

// CHECK-LABEL: llvm.func @exp2
llvm.func @exp2(%x: f32) -> f32 {
  // CHECK: rt.exp2_ftz %{{.*}}
  %0 = rt.exp2_ftz %x
  llvm.return %0 : f32
}
