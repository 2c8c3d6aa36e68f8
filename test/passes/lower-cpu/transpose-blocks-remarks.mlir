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
  // expected-remark @below {{computed in blocks of 16 x 16 elements, transposed in vectors of 4}}
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x48xf64>) outs(%y : memref<48x64xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  }
  return
}

// The element type of the operand decides the vectors.
func.func @bytes_to_floats(%x: memref<64x48xi8>, %y: memref<48x64xf32>) {
  // expected-remark @below {{computed in blocks of 16 x 16 elements, transposed in vectors of 16}}
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x48xi8>) outs(%y : memref<48x64xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.uitofp %a : i8 to f32
    linalg.yield %0 : f32
  }
  return
}

// Vectors of bits are packed, but not buffers of bits.
func.func @bits(%x: memref<64x48xi1>, %y: memref<48x64xi1>) {
  // expected-remark @below {{not computed in transposed blocks: its result is not a dense tensor of elements of 8, 16, 32 or 64 bits}}
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x48xi1>) outs(%y : memref<48x64xi1>) {
  ^bb0(%a: i1, %o: i1):
    linalg.yield %a : i1
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
