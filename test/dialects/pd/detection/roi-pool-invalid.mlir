// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @roi_c1(%a: tensor<1x2x4x4xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4], found tensor<1x2x4x4xf32> and tensor<3x5xf32>}}
  %0 = "pd.roi_align"(%a, %b) {} : (tensor<1x2x4x4xf32>, tensor<3x5xf32>) -> tensor<3x2x1x1xf32>
  return
}

// -----

func.func @roi_c2(%a: tensor<1x2x4x4xf32>, %b: tensor<3x4xf64>) {
  // expected-error@+1 {{C2: x and boxes must have one element type}}
  %0 = "pd.roi_align"(%a, %b) {} : (tensor<1x2x4x4xf32>, tensor<3x4xf64>) -> tensor<3x2x1x1xf32>
  return
}

// -----

func.func @roi_c3(%a: tensor<1x2x4x4xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive, found 1 and 0}}
  %0 = "pd.roi_align"(%a, %b) {pooled_width = 0 : i64} : (tensor<1x2x4x4xf32>, tensor<3x4xf32>) -> tensor<3x2x1x1xf32>
  return
}

// -----

func.func @roi_align_c1(%a0: tensor<8x4x4xf32>, %a1: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4]}}
  %0 = "pd.roi_align"(%a0, %a1) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64}> : (tensor<8x4x4xf32>, tensor<3x4xf32>) -> tensor<3x8x2x2xf32>
  return
}

// -----

func.func @roi_pool_c2(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf64>) {
  // expected-error@+1 {{C2: x and boxes must have one element type}}
  %0:2 = "pd.roi_pool"(%a0, %a1) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64}> : (tensor<1x8x4x4xf32>, tensor<3x4xf64>) -> (tensor<3x8x2x2xf32>, tensor<3x8x2x2xi64>)
  return
}

// -----

func.func @roi_align_c3(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive, found 0 and 1}}
  %0 = "pd.roi_align"(%a0, %a1) <{pooled_height = 0 : i64}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>) -> tensor<3x8x2x2xf32>
  return
}

// -----

func.func @psroi_pool_c4(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>) {
  // expected-error@+1 {{C4: output_channels must be positive and x have a channel for each cell of each, found 3 and 8 channels of x}}
  %0 = "pd.psroi_pool"(%a0, %a1) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, output_channels = 3 : i64}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>) -> tensor<3x3x2x2xf32>
  return
}

// -----

func.func @roi_align_grad_c1(%a0: tensor<8x4x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x8x2x2xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4]}}
  %0 = "pd.roi_align_grad"(%a0, %a1, %a2) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, sampling_ratio = -1 : i64, aligned = false}> : (tensor<8x4x4xf32>, tensor<3x4xf32>, tensor<3x8x2x2xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @roi_align_grad_c5(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x8x2x3xf32>) {
  // expected-error@+1 {{C5: out_grad must have the type tensor<3x8x2x2xf32> of the pooling's result, and arg_max its dimensions, found tensor<3x8x2x3xf32>}}
  %0 = "pd.roi_align_grad"(%a0, %a1, %a2) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, sampling_ratio = -1 : i64, aligned = false}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>, tensor<3x8x2x3xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @roi_pool_grad_c5(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x8x2x2xf32>, %a3: tensor<3x8x2x1xi64>) {
  // expected-error@+1 {{C5: out_grad must have the type tensor<3x8x2x2xf32>}}
  %0 = "pd.roi_pool_grad"(%a0, %a1, %a2, %a3) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>, tensor<3x8x2x2xf32>, tensor<3x8x2x1xi64>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @psroi_pool_grad_c4(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x0x2x2xf32>) {
  // expected-error@+1 {{C4: output_channels must be positive}}
  %0 = "pd.psroi_pool_grad"(%a0, %a1, %a2) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, output_channels = 0 : i64}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>, tensor<3x0x2x2xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @psroi_pool_grad_c5(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x2x2x2xf64>) {
  // expected-error@+1 {{C5: out_grad must have the type tensor<3x2x2x2xf32>}}
  %0 = "pd.psroi_pool_grad"(%a0, %a1, %a2) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, output_channels = 2 : i64}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf64>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @roi_align_grad_c2(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf64>, %a2: tensor<3x8x2x2xf32>) {
  // expected-error@+1 {{C2: x and boxes must have one element type}}
  %0 = "pd.roi_align_grad"(%a0, %a1, %a2) <{pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, sampling_ratio = -1 : i64, aligned = false}> : (tensor<1x8x4x4xf32>, tensor<3x4xf64>, tensor<3x8x2x2xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @roi_align_grad_c3(%a0: tensor<1x8x4x4xf32>, %a1: tensor<3x4xf32>, %a2: tensor<3x8x2x2xf32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive}}
  %0 = "pd.roi_align_grad"(%a0, %a1, %a2) <{pooled_height = 0 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64, sampling_ratio = -1 : i64, aligned = false}> : (tensor<1x8x4x4xf32>, tensor<3x4xf32>, tensor<3x8x2x2xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @moved_c1(%x: tensor<2x8x6x5xf32>, %b: tensor<3x4xf32>, %t: tensor<3x2x4xf32>) {
  // expected-error@+1 {{C1: x and trans must have rank 4 and boxes be [R, 4]}}
  %0:2 = "pd.deformable_psroi_pooling"(%x, %b, %t) {output_dim = 2 : i64, part_size = array<i64: 2, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x4xf32>) -> (tensor<3x2x1x1xf32>, tensor<3x2x1x1xf32>)
  return
}

// -----

func.func @moved_c2(%x: tensor<2x8x6x5xf32>, %b: tensor<3x4xf32>, %t: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{C2: output_dim, sample_per_part, the pooled dims and the pairs group_size and part_size must be positive}}
  %0:2 = "pd.deformable_psroi_pooling"(%x, %b, %t) {output_dim = 2 : i64, part_size = array<i64: 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>) -> (tensor<3x2x1x1xf32>, tensor<3x2x1x1xf32>)
  return
}

// -----

func.func @psroi_pool_c1(%x: tensor<2x8x12x14xf32>, %boxes_num: tensor<2xi32>, %v1: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4], found tensor<2x8x12x14xf32> and tensor<3x5xf32>}}
  %0 = pd.psroi_pool %x, %v1, %boxes_num {pooled_height = 2, pooled_width = 2, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<3x5xf32>, tensor<2xi32>) -> tensor<9x2x2x2xf32>
  return
}

// -----

func.func @psroi_pool_c3(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive, found 0 and 2}}
  %0 = pd.psroi_pool %x, %boxes, %boxes_num {pooled_height = 0 : i64, pooled_width = 2, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x2x2x2xf32>
  return
}

// -----

func.func @psroi_pool_grad_c1(%x: tensor<2x8x12x14xf32>, %out_grad: tensor<9x2x2x2xf32>, %boxes_num: tensor<2xi32>, %v1: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4], found tensor<2x8x12x14xf32> and tensor<3x5xf32>}}
  %0 = pd.psroi_pool_grad %x, %v1, %out_grad, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<3x5xf32>, tensor<9x2x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// -----

func.func @psroi_pool_grad_c3(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %out_grad: tensor<9x2x2x2xf32>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive, found 0 and 2}}
  %0 = pd.psroi_pool_grad %x, %boxes, %out_grad, %boxes_num {pooled_height = 0 : i64, pooled_width = 2, spatial_scale = 1.0, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x2x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// -----

func.func @roi_pool_c1(%x: tensor<2x2x6x5xf64>, %boxes_num: tensor<2xi32>, %v1: tensor<3x5xf64>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4], found tensor<2x2x6x5xf64> and tensor<3x5xf64>}}
  %0:2 = pd.roi_pool %x, %v1, %boxes_num {pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x5xf64>, tensor<2xi32>) -> (tensor<3x2x2x2xf64>, tensor<3x2x2x2xi64>)
  return
}

// -----

func.func @roi_pool_c3(%x: tensor<2x2x6x5xf64>, %boxes: tensor<3x4xf64>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive, found 0 and 2}}
  %0:2 = pd.roi_pool %x, %boxes, %boxes_num {pooled_height = 0 : i64, pooled_width = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> (tensor<3x2x2x2xf64>, tensor<3x2x2x2xi64>)
  return
}

// -----

func.func @roi_pool_grad_c1(%x: tensor<2x8x12x14xf32>, %out_grad: tensor<9x8x2x2xf32>, %arg_max: tensor<9x8x2x2xi64>, %boxes_num: tensor<2xi32>, %v1: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and boxes be [R, 4], found tensor<2x8x12x14xf32> and tensor<3x5xf32>}}
  %0 = pd.roi_pool_grad %x, %v1, %out_grad, %arg_max, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0} : (tensor<2x8x12x14xf32>, tensor<3x5xf32>, tensor<9x8x2x2xf32>, tensor<9x8x2x2xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// -----

func.func @roi_pool_grad_c3(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %out_grad: tensor<9x8x2x2xf32>, %arg_max: tensor<9x8x2x2xi64>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C3: pooled_height and pooled_width must be positive, found 0 and 2}}
  %0 = pd.roi_pool_grad %x, %boxes, %out_grad, %arg_max, %boxes_num {pooled_height = 0 : i64, pooled_width = 2, spatial_scale = 1.0} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<9x8x2x2xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// -----

func.func @psroi_pool_c2(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf64>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C2: x and boxes must have one element type, found tensor<2x8x12x14xf32> and tensor<9x4xf64>}}
  %0 = pd.psroi_pool %x, %boxes, %boxes_num {pooled_height = 2, pooled_width = 2, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf64>, tensor<2xi32>) -> tensor<9x2x2x2xf32>
  return
}

// -----

func.func @psroi_pool_grad_c2(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf64>, %out_grad: tensor<9x2x2x2xf32>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C2: x and boxes must have one element type, found tensor<2x8x12x14xf32> and tensor<9x4xf64>}}
  %0 = pd.psroi_pool_grad %x, %boxes, %out_grad, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf64>, tensor<9x2x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// -----

func.func @roi_pool_grad_c2(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf64>, %out_grad: tensor<9x8x2x2xf32>, %arg_max: tensor<9x8x2x2xi64>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C2: x and boxes must have one element type, found tensor<2x8x12x14xf32> and tensor<9x4xf64>}}
  %0 = pd.roi_pool_grad %x, %boxes, %out_grad, %arg_max, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0} : (tensor<2x8x12x14xf32>, tensor<9x4xf64>, tensor<9x8x2x2xf32>, tensor<9x8x2x2xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// -----

func.func @deformable_psroi_pooling_c1_trans(%x: tensor<2x8x6x5xf32>, %boxes: tensor<3x4xf32>, %boxes_num: tensor<2xi64>, %v2: tensor<4x2xf32>) {
  // expected-error@+1 {{C1: x and trans must have rank 4 and boxes be [R, 4], found tensor<2x8x6x5xf32>, tensor<4x2xf32> and tensor<3x4xf32>}}
  %0:2 = pd.deformable_psroi_pooling %x, %boxes, %v2, %boxes_num {output_dim = 2 : i64, group_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64, part_size = array<i64: 2, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<4x2xf32>, tensor<2xi64>) -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>)
  return
}

// -----

func.func @deformable_psroi_pooling_c2_part(%x: tensor<2x8x6x5xf32>, %boxes: tensor<3x4xf32>, %trans: tensor<3x2x2x2xf32>, %boxes_num: tensor<2xi64>) {
  // expected-error@+1 {{C2: output_dim, sample_per_part, the pooled dims and the pairs group_size and part_size must be positive}}
  %0:2 = pd.deformable_psroi_pooling %x, %boxes, %trans, %boxes_num {output_dim = 2 : i64, group_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64, part_size = array<i64: 0, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>)
  return
}

// -----

func.func @roi_pool_grad_c5_argmax(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %out_grad: tensor<9x8x2x2xf32>, %arg_max: tensor<9x8x2x3xi64>, %boxes_num: tensor<2xi32>) {
  // expected-error@+1 {{C5: out_grad must have the type tensor<9x8x2x2xf32> of the pooling's result, and arg_max its dimensions, found tensor<9x8x2x2xf32>, tensor<9x8x2x3xi64>}}
  %0 = pd.roi_pool_grad %x, %boxes, %out_grad, %arg_max, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<9x8x2x3xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}
