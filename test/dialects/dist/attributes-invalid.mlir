// Constraints of attributes. The name of a function or mesh says which: ATTRIBUTE_cN.
// RUN: proa-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{C1: expected a name of an axis, found an empty string}}
func.func private @axis_c1() attributes {a = #dist.axis<"">}

// -----

// expected-error @+1 {{C2: expected a sub-axis with a pre-size of at least 1 and a size of at least 2, found "x":(0)2}}
func.func private @axis_c2_pre() attributes {a = #dist.axis<"x":(0)2>}

// -----

// expected-error @+1 {{C2: expected a sub-axis with a pre-size of at least 1 and a size of at least 2, found "x":(2)1}}
func.func private @axis_c2_size() attributes {a = #dist.axis<"x":(2)1>}

// -----

// expected-error @+1 {{C2: expected a sub-axis with a pre-size of at least 1 and a size of at least 2}}
func.func private @axis_c2_zero() attributes {a = #dist.axis<"x":(0)0>}

// -----

// expected-error @+1 {{C1: expected unique names of axes that are not empty, found "x" twice}}
dist.mesh @mesh_c1 = <["x"=2, "x"=4]>

// -----

// expected-error @+1 {{C2: expected positive sizes of axes and at most 16777216 devices, found an axis of size 0}}
dist.mesh @mesh_c2_zero = <["x"=0]>

// -----

// expected-error @+1 {{C2: expected positive sizes of axes and at most 16777216 devices, found an axis of size 4294967296}}
dist.mesh @mesh_c2_large = <["x"=4294967296, "y"=4294967296]>

// -----

// expected-error @+1 {{C3: expected a list of 2 devices, found 3}}
dist.mesh @mesh_c3_count = <["x"=2], devices = [0, 1, 2]>

// -----

// expected-error @+1 {{C3: expected unique devices from 0 to 2^31 - 1, found 1 twice or too large}}
dist.mesh @mesh_c3_twice = <["x"=2], devices = [1, 1]>

// -----

// expected-error @+1 {{C3: expected unique devices from 0 to 2^31 - 1, found -1}}
dist.mesh @mesh_c3_negative = <["x"=2], devices = [-1, 1]>

// -----

// expected-error @+1 {{C1: expected no priority of a closed dimension without axes, found p1}}
func.func private @dim_c1() attributes {a = #dist.dim<{}p1>}

// -----

// expected-error @+1 {{C2: expected no blocks of a closed dimension without axes}}
func.func private @dim_c2_whole() attributes {a = #dist.dim<{} blocks(1, 2)>}

// -----

// expected-error @+1 {{C2: expected blocks of positive sizes, found 0}}
func.func private @dim_c2_zero() attributes {a = #dist.dim<{"x"} blocks(1, 0)>}

// -----

// expected-error @+1 {{C2: expected blocks of positive sizes, found 9223372036854775807}}
func.func private @dim_c2_overflow() attributes {a = #dist.dim<{"x"} blocks(9223372036854775807, 9223372036854775807)>}

// -----

// expected-error @+1 {{C2: expected at least two blocks, found 1}}
func.func private @dim_c2_one() attributes {a = #dist.dim<{"x"} blocks(8)>}

// -----

// expected-error @+1 {{C2: expected at most 4096 blocks, found 4097}}
func.func private @dim_c2_many() attributes {a = #dist.dim<{"x"} blocks(4096 * 2, 1)>}

// -----

// expected-error @+1 {{expected 1 to 4096 blocks, found 0}}
func.func private @dim_no_blocks() attributes {a = #dist.dim<{"x"} blocks(0 * 16)>}

// -----

// expected-error @+1 {{expected 1 to 4096 blocks, found 9223372036854775807}}
func.func private @dim_most_blocks() attributes {a = #dist.dim<{"x"} blocks(9223372036854775807 * 16)>}

// -----

// expected-error @+1 {{C1: expected an axis after 'sum'}}
func.func private @partial_c1() attributes {a = #dist.partial<sum {}>}

// -----

// expected-error @+1 {{C1: expected each axis at most once, found "x" or sub-axes of it twice}}
func.func private @sharding_c1() attributes {a = #dist.sharding<@m, [{"x"}, {"x"}]>}

// -----

// expected-error @+1 {{C1: expected each axis at most once, found "x" or sub-axes of it twice}}
func.func private @sharding_c1_sub_axes() attributes {a = #dist.sharding<@m, [{"x":(1)4}, {"x":(2)4}]>}

// -----

// Of an axis of 6, the major 2 of (2, 3) and the minor 2 of (3, 2) are disjoint, but no order of devices has both.
// expected-error @+1 {{C1: expected each axis at most once, found "x" or sub-axes of it twice, or sub-axes that do not nest}}
func.func private @sharding_c1_nesting() attributes {a = #dist.sharding<@m, [{"x":(1)2}, {"x":(3)2}]>}

// -----

// expected-error @+1 {{C1: expected each axis at most once, found "x" or sub-axes of it twice}}
func.func private @sharding_c1_partial() attributes {a = #dist.sharding<@m, [{"x"}], partial = [sum {"x":(1)2}]>}

// -----

// expected-error @+1 {{C2: expected each reduction once, found 'sum' twice}}
func.func private @sharding_c2() attributes {a = #dist.sharding<@m, [], partial = [sum {"x"}, sum {"y"}]>}

// -----

// expected-error @+1 {{C3: expected reductions that commute, found 'sum' and 'max'}}
func.func private @sharding_c3() attributes {a = #dist.sharding<@m, [], partial = [sum {"x"}, max {"y"}]>}

// -----

// expected-error @+1 {{C1: expected an axis of the group}}
func.func private @group_c1() attributes {a = #dist.group<@m, {}>}

// -----

// expected-error @+1 {{C1: expected each axis at most once, found "x" or sub-axes of it twice}}
func.func private @group_c1_twice() attributes {a = #dist.group<@m, {"x", "x"}>}

// -----

// Text.
// expected-error @+1 {{expected one of sum, max, min, prod, avg, any, all, found 'median'}}
func.func private @reduction() attributes {a = #dist.partial<median {"x"}>}

// -----

// expected-error @+1 {{expected a priority as 'p1' or 'blocks(...)'}}
func.func private @priority() attributes {a = #dist.dim<{"x"}q1>}

// -----

// expected-error @+1 {{expected '}' after '?'}}
func.func private @open() attributes {a = #dist.dim<{?, "x"}>}

// -----

// expected-error @+1 {{expected 'replicated' or 'partial'}}
func.func private @keyword() attributes {a = #dist.sharding<@m, [{}], closed = {"x"}>}

// -----

// Annotations.
func.func @annotation_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute 'dist.shardings': expected an array with one entry for each of the 1 results}}
  %0 = pd.relu %x {dist.shardings = []} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @annotation_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute 'dist.sharding': is not an attribute of ops; expected 'dist.shardings'}}
  %0 = pd.relu %x {dist.sharding = #dist.sharding<@m, [{}]>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @annotation_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute 'dist.shardings': the sharding has 2 dimensions, but the tensor 1}}
  %0 = pd.relu %x {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{attribute 'dist.sharding' of argument 0: expected a #dist.sharding, found 1 : i64}}
func.func @annotation_of_argument(%x: tensor<4xf32> {dist.sharding = 1}) {
  return
}

// -----

// expected-error @below {{attribute 'dist.split' of argument 0: is not an attribute of arguments or results; expected 'dist.sharding'}}
func.func @annotation_of_argument_name(%x: tensor<4xf32> {dist.split = 1}) {
  return
}

// -----

// expected-error @below {{attribute 'dist.sharding' of result 0: expected a sharding of a ranked tensor, found one of 'index'}}
func.func private @annotation_of_result() -> (index {dist.sharding = #dist.sharding<@m, [{}]>})

// -----

// expected-error @below {{attribute 'dist.global' of argument 0: expected the rank and element type of 'tensor<4xf32>', found 'tensor<8x2xf32>'}}
func.func @global_type(%x: tensor<4xf32> {dist.global = tensor<8x2xf32>}) {
  return
}

// -----

// expected-error @below {{attribute 'dist.global' of result 0: expected the type of a ranked tensor, found 1 : i64}}
func.func private @global_type_of_result() -> (tensor<4xf32> {dist.global = 1})
