// Errors of the ops of rt that communicate.
// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @wait_c1_argument(%x: !dist.future<tensor<4xf32>>) {
  // expected-error @below {{C1: expected the result of an op of rt in the same block, with no other use}}
  %0 = rt.wait %x : !dist.future<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @wait_c1_twice(%x: tensor<4xf32>) {
  %0 = rt.all_reduce %x of [4] on <["x"=2]> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> number 0
    : tensor<4xf32> -> !dist.future<tensor<4xf32>>
  // expected-error @below {{C1: expected the result of an op of rt in the same block, with no other use}}
  %1 = rt.wait %0 of %x : !dist.future<tensor<4xf32>> of tensor<4xf32> -> tensor<4xf32>
  %2 = rt.wait %0 of %x : !dist.future<tensor<4xf32>> of tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wait_c1_other_block(%x: tensor<4xf32>, %c: i1) {
  %0 = rt.all_reduce %x of [4] on <["x"=2]> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> number 0
    : tensor<4xf32> -> !dist.future<tensor<4xf32>>
  scf.if %c {
    // expected-error @below {{C1: expected the result of an op of rt in the same block, with no other use}}
    %1 = rt.wait %0 of %x : !dist.future<tensor<4xf32>> of tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

func.func @wait_c2(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rt.all_reduce %x of [4] on <["x"=2]> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> number 0
    : tensor<4xf32> -> !dist.future<tensor<4xf32>>
  // expected-error @below {{C2: expected the operand of the op that was started}}
  %1 = rt.wait %0 of %y : !dist.future<tensor<4xf32>> of tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @wait_c2_none(%x: tensor<4xf32>) {
  %0 = rt.all_reduce %x of [4] on <["x"=2]> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> number 0
    : tensor<4xf32> -> !dist.future<tensor<4xf32>>
  // expected-error @below {{C2: expected the operand of the op that was started}}
  %1 = rt.wait %0 : !dist.future<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @wait_c3(%x: tensor<4xf32>) {
  %0 = rt.all_reduce %x of [4] on <["x"=2]> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> number 0
    : tensor<4xf32> -> !dist.future<tensor<4xf32>>
  // expected-error @below {{C3: the result has type 'tensor<8xf32>', expected 'tensor<4xf32>'}}
  %1 = rt.wait %0 of %x : !dist.future<tensor<4xf32>> of tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @fetch_c1() {
  // expected-error @below {{C1: expected a tensor with static dims, found 'tensor<?xf32>'}}
  %0 = rt.fetch "m" : tensor<?xf32>
  return
}
