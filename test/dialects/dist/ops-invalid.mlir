// Constraints of the ops. The name of a function says which: OP_cN.
// RUN: proa-opt %s --split-input-file --verify-diagnostics

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.reshard %x from <@none, [{}, {}]> to <@m, [{}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c1_function(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @reshard_c1_function}}
  %0 = dist.reshard %x from <@reshard_c1_function, [{}, {}]> to <@m, [{}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"x"}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"; the axes are "x" "y" "u"}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"w"}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c3_divides(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected a sub-axis of "y", which has size 4, found "y":(1)3}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"y":(1)3}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c3_whole(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected a sub-axis of "y", which has size 4, found "y":(1)4}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"y":(1)4}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c3_overflow(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected a sub-axis of "y", which has size 4, found "y":(9223372036854775807)2}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"y":(9223372036854775807)2}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"y":(1)2, "y":(2)2}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c4_order(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{}, {}], partial = [sum {"y", "x"}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c4_unit(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"u"}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 9}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"x"} blocks(4, 5), {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c5_dynamic(%x: tensor<?x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size (it is dynamic), found 9}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"x"} blocks(4, 5), {}]> : tensor<?x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{}, {}], partial = [any {"x"}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c6_max(%x: tensor<8x16xcomplex<f32>>) {
  // expected-error @below {{C6: expected an element type that 'max' reduces, found 'complex<f32>'}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{}, {}], partial = [max {"x"}]> : tensor<8x16xcomplex<f32>>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c6_avg(%x: tensor<8x16xi32>) {
  // expected-error @below {{C6: expected an element type that 'avg' reduces, found 'i32'}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{}, {}], partial = [avg {"x"}]> : tensor<8x16xi32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c6_sum(%x: tensor<8x16xi1>) {
  // expected-error @below {{C6: expected an element type that 'sum' reduces, found 'i1'}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xi1>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c7_open(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions, no priorities and no replicated axes}}
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"x", ?}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reshard_c7_replicated(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions, no priorities and no replicated axes}}
  %0 = dist.reshard %x from <@m, [{}, {}], replicated = {"x"}> to <@m, [{}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @constrain_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.constrain %x to <@none, [{}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @constrain_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 3}}
  %0 = dist.constrain %x to <@m, [{}, {}, {}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @constrain_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.constrain %x to <@m, [{}, {}], replicated = {"w"}> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @constrain_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.constrain %x to <@m, [{}, {}], replicated = {"y", "x"}> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @constrain_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 16, found 3}}
  %0 = dist.constrain %x to <@m, [{}, {?} blocks(1, 2)]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @constrain_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'all' reduces, found 'f32'}}
  %0 = dist.constrain %x to <@m, [{}, {}], partial = [all {"x"}]> : tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.to_local %x with <@none, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.to_local %x with <@m, [{"x"}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.to_local %x with <@m, [{"w"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.to_local %x with <@m, [{"x", "u"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.to_local %x with <@m, [{"x"} blocks(4, 3), {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.to_local %x with <@m, [{"x"}, {}], partial = [any {"y"}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c7(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.to_local %x with <@m, [{"x"}, {?}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c8(%x: tensor<8x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<8x8xf32>', found 'tensor<4x16xf32>'}}
  %0 = dist.to_local %x with <@m, [{}, {"x"}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c1(%x: tensor<4x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.to_global %x with <@none, [{"x"}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c2(%x: tensor<4x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.to_global %x with <@m, [{"x"}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c3(%x: tensor<4x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.to_global %x with <@m, [{"w"}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c4(%x: tensor<4x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.to_global %x with <@m, [{"x", "u"}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c5(%x: tensor<4x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.to_global %x with <@m, [{"x"} blocks(4, 3), {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c6(%x: tensor<4x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.to_global %x with <@m, [{"x"}, {}], partial = [any {"y"}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c7(%x: tensor<4x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.to_global %x with <@m, [{"x"}, {?}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_global_c8(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<8x8xf32>', found 'tensor<4x16xf32>'}}
  %0 = dist.to_global %x with <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

// Shards of 9 rows are 5 and 4.
dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c8_uneven(%x: tensor<9x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<?x16xf32>', found 'tensor<3x16xf32>'}}
  %0 = dist.to_local %x with <@m, [{"x"}, {}]> : tensor<9x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_local_c8_element(%x: tensor<8x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<4x16xf32>', found 'tensor<4x16xf64>'}}
  %0 = dist.to_local %x with <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf64>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@none, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c7(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c8(%x: tensor<8x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c9(%x: tensor<8x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{}, {}]> to <@same, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @slice_c10(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: axes must be added to dimensions, as the minor ones}}
  %0 = dist.slice %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@none, [{}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c7(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c8(%x: tensor<8x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c9(%x: tensor<8x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{}, {}]> to <@same, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c10(%x: tensor<8x16xf32>) {
  // expected-error @below {{C10: partial axes must stay partial}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c1(%x: tensor<4x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@none, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c2(%x: tensor<4x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c3(%x: tensor<4x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c4(%x: tensor<4x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c5(%x: tensor<4x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c6(%x: tensor<4x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c7(%x: tensor<4x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c8(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c9(%x: tensor<4x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@same, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c10(%x: tensor<8x16xf32>) {
  // expected-error @below {{C10: minor axes must be removed from dimensions}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c1(%x: tensor<4x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@none, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c2(%x: tensor<4x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c3(%x: tensor<4x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c4(%x: tensor<4x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c5(%x: tensor<4x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c6(%x: tensor<4x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c7(%x: tensor<4x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c8(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c9(%x: tensor<4x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@same, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_to_all_c10(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: axes that are removed from a dimension must be added to one}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c1(%x: tensor<4x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@none, [{"x"}, {}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c2(%x: tensor<4x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c3(%x: tensor<4x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c4(%x: tensor<4x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c5(%x: tensor<4x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c6(%x: tensor<4x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c7(%x: tensor<4x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c8(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c9(%x: tensor<4x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@same, [{"y":(1)2}, {}]> : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @permute_c10(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: each dimension must keep its number of shards and its blocks}}
  %0 = dist.permute %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@none, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c7(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c8(%x: tensor<8x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c9(%x: tensor<8x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@same, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @reduce_scatter_c10(%x: tensor<8x16xf32>) {
  // expected-error @below {{C10: the reduced axes must be added to dimensions, as the minor ones}}
  %0 = dist.reduce_scatter %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@none, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c5(%x: tensor<8x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c6(%x: tensor<8x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [any {"y"}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c7(%x: tensor<8x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{?}, {}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c8(%x: tensor<8x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<3x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
dist.mesh @same = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c9(%x: tensor<8x16xf32>) {
  // expected-error @below {{C9: expected shardings on one mesh, found @m and @same}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}]> to <@same, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c10(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: a partial axis must be reduced}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @to_partial_c10_avg(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: a shard of a dimension cannot become a term of an average}}
  %0 = dist.to_partial %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}], partial = [avg {"x"}]> : tensor<4x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_reduce_c10_two(%x: tensor<8x16xf32>) {
  // expected-error @below {{C10: all reduced axes must have one reduction}}
  %0 = dist.all_reduce %x of tensor<8x16xf32> from <@m, [{}, {}], partial = [sum {"x"}, avg {"y"}]> to <@m, [{}, {}]> : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @all_gather_c8_future(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<8x16xf32>', found a future without a tensor}}
  %0 = dist.all_gather %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x16xf32> -> !dist.future<>
  return
}

// -----

dist.mesh @six = <["x"=6]>
func.func @all_to_all_c10_nest(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: the sub-axes of the placements must nest}}
  %0 = dist.all_to_all %x of tensor<8x16xf32> from <@six, [{"x":(1)2}, {}]> to <@six, [{}, {"x":(1)3}]> : tensor<4x16xf32> -> tensor<8x?xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @broadcast_c1(%x: tensor<8x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.broadcast %x over <@none, {"x"}> root [0] : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @broadcast_c2(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected 1 coordinates of the root, found 2}}
  %0 = dist.broadcast %x over <@m, {"x"}> root [0, 0] : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @broadcast_c2_range(%x: tensor<8x16xf32>) {
  // expected-error @below {{C2: expected a coordinate from 0 to 1 on "x", found 2}}
  %0 = dist.broadcast %x over <@m, {"x"}> root [2] : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @broadcast_c3(%x: tensor<8x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.broadcast %x over <@m, {"w"}> root [0] : tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @broadcast_c4(%x: tensor<8x16xf32>) {
  // expected-error @below {{C4: expected a result of type 'tensor<8x16xf32>' or a future of it, found 'tensor<8xf32>'}}
  %0 = dist.broadcast %x over <@m, {"x"}> root [0] : tensor<8x16xf32> -> tensor<8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c1(%x: tensor<8x16xf32>, %s: tensor<2xi64>, %r: tensor<2xi64>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.exchange_rows %x, %s, %r over <@none, {"x"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c2(%x: tensor<8x16xf32>, %s: tensor<2xi64>, %r: tensor<3xi64>) {
  // expected-error @below {{C2: expected counts of type tensor<2xi64>, found 'tensor<3xi64>'}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"x"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<3xi64> -> tensor<?x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c2_type(%x: tensor<8x16xf32>, %s: tensor<8xi32>, %r: tensor<8xi64>) {
  // expected-error @below {{C2: expected counts of type tensor<8xi64>, found 'tensor<8xi32>'}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"x", "y"}> : tensor<8x16xf32>, tensor<8xi32>, tensor<8xi64> -> tensor<?x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c2_sub_axis(%x: tensor<8x16xf32>, %s: tensor<4xi64>, %r: tensor<2xi64>) {
  // expected-error @below {{C2: expected counts of type tensor<2xi64>, found 'tensor<4xi64>'}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"y":(1)2}> : tensor<8x16xf32>, tensor<4xi64>, tensor<2xi64> -> tensor<?x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c3(%x: tensor<8x16xf32>, %s: tensor<2xi64>, %r: tensor<2xi64>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"w"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c4(%x: tensor<8x16xf32>, %s: tensor<2xi64>, %r: tensor<2xi64>) {
  // expected-error @below {{C4: expected rows of 'tensor<8x16xf32>', found 'tensor<?x15xf32>'}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"x"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x15xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c4_element(%x: tensor<8x16xf32>, %s: tensor<2xi64>, %r: tensor<2xi64>) {
  // expected-error @below {{C4: expected rows of 'tensor<8x16xf32>', found 'tensor<?x16xf64>'}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"x"}> : tensor<8x16xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<?x16xf64>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @exchange_rows_c4_rank(%x: tensor<f32>, %s: tensor<2xi64>, %r: tensor<2xi64>) {
  // expected-error @below {{C4: expected rows of 'tensor<f32>', found 'tensor<f32>'}}
  %0 = dist.exchange_rows %x, %s, %r over <@m, {"x"}> : tensor<f32>, tensor<2xi64>, tensor<2xi64> -> tensor<f32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c1(%x: tensor<4x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  dist.send %x of tensor<8x16xf32> from <@none, [{"x"}, {}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c2(%x: tensor<4x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"x"}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c3(%x: tensor<4x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"w"}, {}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c4(%x: tensor<4x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"x", "u"}, {}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c5(%x: tensor<4x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"x"} blocks(4, 3), {}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c6(%x: tensor<4x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"x"}, {}], partial = [any {"y"}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c7(%x: tensor<4x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"x", ?}, {}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c8(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<8x8xf32>'}}
  dist.send %x of tensor<8x16xf32> from <@m, [{}, {"x"}]> to <@m, [{}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @send_c10(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: expected a channel that is not negative, found -1}}
  dist.send %x of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> channel -1 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c1(%x: tensor<4x16xf32>) {
  // expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@none, [{"x"}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c2(%x: tensor<4x16xf32>) {
  // expected-error @below {{C2: expected a sharding with 2 dimensions, found 1}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c3(%x: tensor<4x16xf32>) {
  // expected-error @below {{C3: expected an axis of the mesh, found "w"}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"w"}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c4(%x: tensor<4x16xf32>) {
  // expected-error @below {{C4: expected adjacent sub-axes as one}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x", "u"}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c5(%x: tensor<4x16xf32>) {
  // expected-error @below {{C5: expected blocks that add up to the dim size 8, found 7}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"} blocks(4, 3), {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c6(%x: tensor<4x16xf32>) {
  // expected-error @below {{C6: expected an element type that 'any' reduces, found 'f32'}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}], partial = [any {"y"}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c7(%x: tensor<4x16xf32>) {
  // expected-error @below {{C7: expected closed dimensions}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x", ?}, {}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c8(%x: tensor<4x16xf32>) {
  // expected-error @below {{C8: expected a local tensor of type 'tensor<8x8xf32>'}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{}, {"x"}]> channel 0 : tensor<4x16xf32>
  return
}

// -----

dist.mesh @m = <["x"=2, "y"=4, "u"=1]>
func.func @recv_c10(%x: tensor<4x16xf32>) {
  // expected-error @below {{C10: expected a channel that is not negative, found -1}}
  %0 = dist.recv of tensor<8x16xf32> from <@m, [{}, {}]> to <@m, [{"x"}, {}]> channel -1 : tensor<4x16xf32>
  return
}

// -----

func.func @wait_c1(%x: !dist.future<tensor<4xf32>>) {
  // expected-error @below {{C1: expected a result of type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %0 = dist.wait %x : !dist.future<tensor<4xf32>> -> tensor<8xf32>
  return
}

// -----

func.func @wait_c1_none(%x: !dist.future<tensor<4xf32>>) {
  // expected-error @below {{C1: expected a result of type 'tensor<4xf32>', found none}}
  dist.wait %x : !dist.future<tensor<4xf32>>
  return
}

// -----

func.func @wait_c1_send(%x: !dist.future<>) {
  // expected-error @below {{C1: expected no result, found 'tensor<8xf32>'}}
  %0 = dist.wait %x : !dist.future<> -> tensor<8xf32>
  return
}
