// RUN: proa-opt %s --proa-transpose-blocks --remarks=proa-transpose-blocks --verify-diagnostics -o /dev/null

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

func.func @copy(%x: memref<64x48xf32>, %y: memref<48x64xf32>) {
  // expected-remark @below {{computed in blocks of 16 x 16 elements, transposed in vectors of 8}}
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x48xf32>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

func.func @same_order(%x: memref<48x64xf32>, %y: memref<48x64xf32>) {
  // expected-remark @below {{not computed in transposed blocks: no operand is transposed}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<48x64xf32>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

func.func @few_channels(%x: memref<3x64xf32>, %y: memref<64x3xf32>) {
  // expected-remark @below {{not computed in transposed blocks: a dimension has fewer than 16 elements}}
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3x64xf32>) outs(%y : memref<64x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

func.func @doubles(%x: memref<64x48xf64>, %y: memref<48x64xf64>) {
  // expected-remark @below {{not computed in transposed blocks: its result is not a dense tensor of 32-bit elements}}
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x48xf64>) outs(%y : memref<48x64xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  }
  return
}

func.func @reduction(%x: memref<64x48xf32>, %y: memref<48xf32>) {
  // expected-remark @below {{not computed in transposed blocks: it is not an elementwise op with one result}}
  linalg.generic {indexing_maps = [#transposed, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x48xf32>) outs(%y : memref<48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}
