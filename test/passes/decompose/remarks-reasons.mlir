// RUN: proa-opt %s --pd-decompose --remarks=pd-decompose --verify-diagnostics -o /dev/null

// Reasons that a user can act on: number of processes, dynamic dims, operands that are not constants. After each,
// a near miss that is decomposed.

func.func @several_ranks(%x: tensor<4x6xf32>) -> tensor<8x6xf32> {
  // expected-remark @below {{pd.all_gather is not decomposed: it has several ranks}}
  %0 = pd.all_gather %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

func.func @one_rank(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{pd.all_gather is decomposed}}
  %0 = pd.all_gather %x {nranks = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @other_root(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{pd.c_reduce_sum is not decomposed: its root is another process}}
  %0 = pd.c_reduce_sum %x {root = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @own_root(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{pd.c_reduce_sum is decomposed}}
  %0 = pd.c_reduce_sum %x {root = 0 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @several_images(%input: tensor<5x4xf64>, %info: tensor<?x3xf64>) -> tensor<5x4xf64> {
  // expected-remark @below {{pd.box_clip is not decomposed: without offsets, im_info must have one row}}
  %0 = pd.box_clip %input, %info : (tensor<5x4xf64>, tensor<?x3xf64>) -> tensor<5x4xf64>
  return %0 : tensor<5x4xf64>
}

func.func @dynamic_windows(%x: tensor<1x2x?x6xf32>) -> tensor<1x2x4x4xf32> {
  // expected-remark @below {{pd.fractional_max_pool2d is not decomposed: its windows depend on dynamic dims}}
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 4, 4>, random_u = 0.3 : f64} : (tensor<1x2x?x6xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xi32>)
  return %0#0 : tensor<1x2x4x4xf32>
}

func.func @static_windows(%x: tensor<?x2x6x6xf32>) -> tensor<?x2x4x4xf32> {
  // expected-remark @below {{pd.fractional_max_pool2d is decomposed}}
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 4, 4>, random_u = 0.3 : f64} : (tensor<?x2x6x6xf32>) -> (tensor<?x2x4x4xf32>, tensor<?x2x4x4xi32>)
  return %0#0 : tensor<?x2x4x4xf32>
}

func.func @dynamic_sections(%x: tensor<6x2xf32>, %sizes: tensor<2xi64>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  // expected-remark @below {{pd.split is not decomposed: several of its sections are dynamic}}
  %0:2 = pd.split %x sections = %sizes : (tensor<6x2xf32>, tensor<2xi64>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  return %0#0, %0#1 : tensor<?x2xf32>, tensor<?x2xf32>
}

func.func @ones_among_dynamic_dims(%x: tensor<?x1xf32>) -> tensor<?xf32> {
  // expected-remark @below {{pd.squeeze is not decomposed: a dynamic dim may be 1, and would be removed}}
  %0 = pd.squeeze %x : (tensor<?x1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @axis_of_dynamic_dims(%x: tensor<?x1xf32>) -> tensor<?xf32> {
  // expected-remark @below {{pd.squeeze is decomposed}}
  %0 = pd.squeeze %x {axis = array<i64: 1>} : (tensor<?x1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @resize_gradient_by_scales(%x: tensor<1x2x3x4xf32>, %g: tensor<1x2x6x8xf32>, %s: tensor<?xf32>) -> tensor<1x2x3x4xf32> {
  // expected-remark @below {{pd.interpolate_gradient is not decomposed: the number of its scales is dynamic}}
  %0 = pd.interpolate_gradient %x, %g scale = %s interp_method = bilinear : (tensor<1x2x3x4xf32>, tensor<1x2x6x8xf32>, tensor<?xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

func.func @boxes_of_eight_numbers(%boxes: tensor<2x8x8xf32>, %scores: tensor<2x3x8xf32>) -> (tensor<?x10xf32>, tensor<?x1xi32>, tensor<2xi32>) {
  // expected-remark @below {{pd.multiclass_nms3 is not decomposed: its boxes do not have four numbers}}
  %0, %1, %2 = pd.multiclass_nms3 %boxes, %scores {keep_top_k = 7 : i64, nms_top_k = 6 : i64, score_threshold = 0.2 : f64} : (tensor<2x8x8xf32>, tensor<2x3x8xf32>) -> (tensor<?x10xf32>, tensor<?x1xi32>, tensor<2xi32>)
  return %0, %1, %2 : tensor<?x10xf32>, tensor<?x1xi32>, tensor<2xi32>
}

func.func @dynamic_anchors(%s: tensor<2x?x3x4xf32>, %d: tensor<2x?x3x4xf32>, %i: tensor<2x2xf32>, %a: tensor<3x4x2x4xf32>, %v: tensor<3x4x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<2xi32>) {
  // expected-remark @below {{pd.generate_proposals is not decomposed: its number of anchors is dynamic}}
  %0, %1, %2 = pd.generate_proposals %s, %d, %i, %a, %v : (tensor<2x?x3x4xf32>, tensor<2x?x3x4xf32>, tensor<2x2xf32>, tensor<3x4x2x4xf32>, tensor<3x4x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<2xi32>)
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x1xf32>, tensor<2xi32>
}

func.func @dynamic_classes(%boxes: tensor<2x8x4xf32>, %scores: tensor<2x?x8xf32>) -> (tensor<?x?xf32>, tensor<?xi64>) {
  // expected-remark @below {{pd.locality_aware_nms is not decomposed: its number of classes is dynamic}}
  %0, %1 = pd.locality_aware_nms %boxes, %scores {keep_top_k = 7 : i64, nms_top_k = 6 : i64, score_threshold = 0.2 : f64} : (tensor<2x8x4xf32>, tensor<2x?x8xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  return %0, %1 : tensor<?x?xf32>, tensor<?xi64>
}

func.func @background_alone(%boxes: tensor<2x8x4xf32>, %scores: tensor<2x1x8xf32>) -> (tensor<?x?xf32>, tensor<?xi64>) {
  // expected-remark @below {{pd.locality_aware_nms is not decomposed: it has no class but the background}}
  %0, %1 = pd.locality_aware_nms %boxes, %scores {background_label = 0 : i64, keep_top_k = 7 : i64, nms_top_k = 6 : i64, score_threshold = 0.2 : f64} : (tensor<2x8x4xf32>, tensor<2x1x8xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  return %0, %1 : tensor<?x?xf32>, tensor<?xi64>
}
