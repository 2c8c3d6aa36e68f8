// RUN: proa-opt %s --split-input-file --verify-diagnostics --dist-to-process-groups="rings=1=mp"
dist.mesh @mesh = <["dp"=2, "mp"=2]>
func.func @lacking(%x: tensor<4x4x4xf32>, %b: tensor<4xi1>) {
  // expected-error @+1 {{has no legacy op: expected that it joins the shards of the first or of the last dimension}}
  %0 = dist.all_gather %x of tensor<4x8x4xf32> from <@mesh, [{}, {"mp"}, {}]> to <@mesh, [{}, {}, {}]> : tensor<4x4x4xf32> -> tensor<4x8x4xf32>
  // expected-error @+1 {{no process group has the axes 'dp': expected an entry for them in the option rings}}
  %1 = dist.all_gather %x of tensor<8x4x4xf32> from <@mesh, [{"dp"}, {}, {}]> to <@mesh, [{}, {}, {}]> : tensor<4x4x4xf32> -> tensor<8x4x4xf32>
  // expected-error @+1 {{has no legacy op: expected a sum, maximum, minimum or product}}
  %2 = dist.all_reduce %b of tensor<4xi1> from <@mesh, [{}], partial = [any {"mp"}]> to <@mesh, [{}]> : tensor<4xi1> -> tensor<4xi1>
  // expected-error @+1 {{has no legacy op: expected a collective on local tensors}}
  %3 = dist.reshard %x from <@mesh, [{}, {}, {}]> to <@mesh, [{"mp"}, {}, {}]> : tensor<4x4x4xf32>
  // expected-error @+1 {{has no legacy op: expected a collective on local tensors that is not started asynchronously}}
  %4 = dist.all_gather %x of tensor<8x4x4xf32> from <@mesh, [{"mp"}, {}, {}]> to <@mesh, [{}, {}, {}]> : tensor<4x4x4xf32> -> !dist.future<tensor<8x4x4xf32>>
  return
}
