// RUN: proa-opt %s --split-input-file --verify-diagnostics --dist-from-process-groups="rings=0=dp,1=mp,2=dp+mp expand"
// RUN: sed '/^.. REST/,$d' %s | not proa-opt --dist-from-process-groups="rings=0=xx" 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: sed '/^.. REST/,$d' %s | not proa-opt --dist-from-process-groups="rings=dp" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: sed '/^.. REST/,$d' %s | not proa-opt --dist-from-process-groups="rings=0=dp,0=mp" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sed '/^.. REST/,$d' %s | not proa-opt --dist-from-process-groups="rank=6" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: sed '/^.. REST/,$d' %s | not proa-opt --dist-from-process-groups 2>&1 | FileCheck %s --check-prefix=DEFAULT
// AXIS: rings: the mesh 'dp=2,mp=3' has no axis 'xx'
// FORM: rings: expected ID=AXIS or ID=AXIS+AXIS, found 'dp'
// TWICE: rings: process group 0 is given twice
// RANK: rank: expected a position of the mesh, from 0 to 5, found 6
// DEFAULT: 'pd.c_allreduce_sum' op process group 3 has no axes: expected an entry such as 3=mp in the option rings; the mesh is 'dp=2,mp=3'
dist.mesh @mesh = <["dp"=2, "mp"=3]>
func.func @ring(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{process group 3 has no axes: expected an entry such as 3=mp in the option rings; the mesh is 'dp=2,mp=3'}}
  %0 = pd.c_allreduce_sum %x {ring_id = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// REST
dist.mesh @mesh = <["dp"=2, "mp"=3]>
func.func @processes(%x: tensor<4x6xf32>, %w: tensor<5x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{nranks is 2, expected 3, the size of the axes of its process group}}
  %0 = pd.all_gather %x {ring_id = 1 : i64, nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  // expected-error @+1 {{root is 3, expected less than 3, the size of the axes of its process group}}
  %1 = pd.broadcast %x {ring_id = 1 : i64, root = 3 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{rank is 1, expected 0, the rank of the program in its process group (option rank)}}
  %2 = pd.c_split %x {ring_id = 1 : i64, nranks = 3 : i64, rank = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x2xf32>
  // expected-error @+1 {{reduce_type must be from 0 to 4, found 7}}
  %3 = pd.all_reduce %x {ring_id = 1 : i64, reduce_type = 7 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{expected static dims and a first dim that the 3 processes of the group divide, found 'tensor<4x6xf32>'}}
  %4 = pd.all_to_all %x {ring_id = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{peer is 0, the rank of the program in its process group (option rank)}}
  pd.send_v2 %x {peer = 0 : i64, ring_id = 2 : i64} : (tensor<4x6xf32>) -> ()
  // expected-error @+1 {{expected a use by mp_allreduce_sum or c_allreduce_sum}}
  %5 = pd.c_embedding %w, %i : (tensor<5x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // expected-error @+1 {{expected the start_index 0 on process 0 of the process group, for 5 rows; found 5}}
  %6 = pd.c_embedding %w, %i {start_index = 5 : i64} : (tensor<5x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %7 = pd.mp_allreduce_sum %6 {ring_id = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// expected-error @+1 {{expected one dist.mesh (--dist-annotate=mesh=mp=2 adds one), found 0}}
module {
  func.func @mesh(%x: tensor<4xf32>) { return }
}

// -----

dist.mesh @mesh = <["dp"=2, "mp"=3]>
// expected-error @+1 {{sharding of a local tensor: expected a final sharding on @mesh}}
func.func @sharding(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [{?}]>}) { return }
// The annotation of a whole tensor: blocks of its dims.
// expected-error @+1 {{sharding of a local tensor: C5: expected blocks that add up to the dim size 36, found 12}}
func.func @blocks(%x: tensor<12xf32> {dist.sharding = #dist.sharding<@mesh, [{"mp"} blocks(6, 6)]>}) { return }

// -----

// The whole tensors say how they are split, if one choice of axes does.
dist.mesh @mesh = <["dp"=2, "mp"=3, "ep"=3]>
// expected-error @+1 {{type of a whole tensor: its local tensor is 'tensor<4x2xf32>', the whole one 'tensor<4x5xf32>': dimension 1 is not split into equal shards}}
func.func @uneven(%x: tensor<4x2xf32> {dist.global = tensor<4x5xf32>}) { return }
// expected-error @+1 {{no axes have the size 4 by which dimension 0 is split; state its sharding}}
func.func @no_axes(%x: tensor<4x2xf32> {dist.global = tensor<16x2xf32>}) { return }
// expected-error @+1 {{several axes have the size 3 by which dimension 1 is split; state its sharding}}
func.func @several(%x: tensor<4x2xf32> {dist.global = tensor<4x6xf32>}) { return }
// expected-error @+1 {{dimension 0 is not split into equal shards}}
func.func @dynamic(%x: tensor<?xf32> {dist.global = tensor<8xf32>}) { return }

// -----

dist.mesh @mesh = <["dp"=2, "mp"=3]>
func.func @experts(%x: tensor<4x6xf32>, %a: tensor<4xi64>, %b: tensor<?xi64>, %c: tensor<6xi64>) {
  // expected-error @+1 {{expected counts whose static size 3, the number of processes of the group, divides; found 'tensor<4xi64>' and 'tensor<4xi64>'}}
  %0 = pd.global_scatter %x, %a, %a {ring_id = 1 : i64} : (tensor<4x6xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<?x6xf32>
  // expected-error @+1 {{found 'tensor<6xi64>' and 'tensor<?xi64>'}}
  %1 = pd.global_gather %x, %c, %b {ring_id = 1 : i64} : (tensor<4x6xf32>, tensor<6xi64>, tensor<?xi64>) -> tensor<?x6xf32>
  // expected-error @+1 {{expected static dims and a number of elements that num = 5 divides, found 'tensor<4x6xf32>'}}
  pd.partial_send %x {peer = 1 : i64, ring_id = 1 : i64, num = 5 : i64} : (tensor<4x6xf32>) -> ()
  return
}
