// Layers and losses on sequences, whose gradients kernels compute; derivatives of those come from their formulas.

// The second of three sequences is empty.
func.func @gru(%x: tensor<5x6xf64>, %w: tensor<2x6xf64>, %o: tensor<4xi64> {test.values = [0.0, 2.0, 2.0, 5.0]}, %h: tensor<3x2xf64>, %b: tensor<1x6xf64>) -> (tensor<5x2xf64>) attributes {test.twice} {
  %y = pd.gru %x, %w, %o h0 = %h bias = %b : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<4xi64>, tensor<3x2xf64>, tensor<1x6xf64>) -> tensor<5x2xf64>
  return %y : tensor<5x2xf64>
}

func.func @gru_reverse(%x: tensor<5x6xf64>, %w: tensor<2x6xf64>, %o: tensor<3xi64> {test.values = [0.0, 2.0, 5.0]}) -> (tensor<5x2xf64>) attributes {test.twice} {
  %y = pd.gru %x, %w, %o activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<3xi64>) -> tensor<5x2xf64>
  return %y : tensor<5x2xf64>
}

func.func @lstm(%x: tensor<5x8xf64>, %w: tensor<2x8xf64>, %b: tensor<1x14xf64>, %o: tensor<3xi64> {test.values = [0.0, 2.0, 5.0]}, %h: tensor<2x2xf64>, %c: tensor<2x2xf64>) -> (tensor<5x2xf64>, tensor<5x2xf64>) attributes {test.twice} {
  %y, %z = pd.lstm %x, %w, %b, %o h0 = %h c0 = %c : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x14xf64>, tensor<3xi64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return %y, %z : tensor<5x2xf64>, tensor<5x2xf64>
}

func.func @lstm_reverse(%x: tensor<5x8xf64>, %w: tensor<2x8xf64>, %b: tensor<1x8xf64>, %o: tensor<4xi64> {test.values = [0.0, 2.0, 2.0, 5.0]}) -> (tensor<5x2xf64>) attributes {test.twice} {
  %y, %z = pd.lstm %x, %w, %b, %o cell_activation = identity candidate_activation = sigmoid {use_peepholes = false, is_reverse = true} : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x8xf64>, tensor<4xi64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return %y : tensor<5x2xf64>
}

func.func @crf_rows(%x: tensor<5x3xf64>, %w: tensor<5x3xf64>, %l: tensor<5x1xi64> {test.high = 2.0}, %o: tensor<4xi64> {test.values = [0.0, 2.0, 2.0, 5.0]}) -> (tensor<3x1xf64>) attributes {test.twice} {
  %a, %e, %t, %y = pd.linear_chain_crf %x, %w, %l offsets = %o : (tensor<5x3xf64>, tensor<5x3xf64>, tensor<5x1xi64>, tensor<4xi64>) -> (tensor<5x3xf64>, tensor<5x3xf64>, tensor<5x3xf64>, tensor<3x1xf64>)
  return %y : tensor<3x1xf64>
}

func.func @crf_padded(%x: tensor<2x3x3xf64>, %w: tensor<5x3xf64>, %l: tensor<2x3x1xi64> {test.high = 2.0}, %n: tensor<2xi64> {test.values = [3.0, 2.0]}) -> (tensor<2x1xf64>, tensor<2x3x3xf64>, tensor<2x3x3xf64>) attributes {test.twice} {
  %a, %e, %t, %y = pd.linear_chain_crf %x, %w, %l length = %n : (tensor<2x3x3xf64>, tensor<5x3xf64>, tensor<2x3x1xi64>, tensor<2xi64>) -> (tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<5x3xf64>, tensor<2x1xf64>)
  return %y, %a, %e : tensor<2x1xf64>, tensor<2x3x3xf64>, tensor<2x3x3xf64>
}

// The labels of the second sample are equal; the third one's do not fit into its steps, the fourth has none.
func.func @ctc(%x: tensor<5x4x3xf64>, %l: tensor<4x2xi32> {test.values = [1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 2.0]}, %t: tensor<4xi64> {test.values = [5.0, 4.0, 2.0, 3.0]}, %n: tensor<4xi64> {test.values = [2.0, 2.0, 2.0, 0.0]}) -> (tensor<4x1xf64>) attributes {test.twice} {
  %y, %g = pd.warpctc %x, %l logits_length = %t labels_length = %n : (tensor<5x4x3xf64>, tensor<4x2xi32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4x1xf64>, tensor<5x4x3xf64>)
  return %y : tensor<4x1xf64>
}

func.func @ctc_whole(%x: tensor<4x2x3xf64>, %l: tensor<2x2xi32> {test.values = [0.0, 1.0, 1.0, 0.0]}) -> (tensor<2x1xf64>) attributes {test.twice} {
  %y, %g = pd.warpctc %x, %l {blank = 2 : i64} : (tensor<4x2x3xf64>, tensor<2x2xi32>) -> (tensor<2x1xf64>, tensor<4x2x3xf64>)
  return %y : tensor<2x1xf64>
}

func.func @transducer(%x: tensor<2x3x3x3xf64>, %l: tensor<2x2xi32> {test.values = [1.0, 2.0, 1.0, 0.0]}, %t: tensor<2xi32> {test.values = [3.0, 2.0]}, %n: tensor<2xi32> {test.values = [2.0, 1.0]}) -> (tensor<2xf64>) attributes {test.twice} {
  %y, %g = pd.warprnnt %x, %l, %t, %n : (tensor<2x3x3x3xf64>, tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xf64>, tensor<2x3x3x3xf64>)
  return %y : tensor<2xf64>
}

// The second box has size 0, the anchor of the third one is not in the mask.
func.func @yolo(%x: tensor<1x14x2x2xf64>, %b: tensor<1x4x4xf64> {test.constant, test.values = [0.3, 0.3, 0.2, 0.3, 0.5, 0.5, 0.0, 0.0, 0.6, 0.7, 0.9, 0.9, 0.8, 0.2, 0.35, 0.3]}, %l: tensor<1x4xi32>, %s: tensor<1x4xf64> {test.constant, test.low = 0.5, test.high = 1.0}) -> (tensor<1xf64>) attributes {test.twice} {
  %y, %o, %m, %g = pd.yolo_loss %x, %b, %l, %s {anchors = array<i64: 10, 20, 20, 15, 60, 60>, anchor_mask = array<i64: 1, 0>, class_num = 2 : i64, ignore_thresh = 0.3, scale_x_y = 1.1} : (tensor<1x14x2x2xf64>, tensor<1x4x4xf64>, tensor<1x4xi32>, tensor<1x4xf64>) -> (tensor<1xf64>, tensor<1x2x2x2xf64>, tensor<1x4xi32>, tensor<1x14x2x2xf64>)
  return %y : tensor<1xf64>
}

func.func @prod_of_zeros(%x: tensor<3x4xf64> {test.values = [0.0, 2.0, 0.0, 3.0, 0.5, 0.0, 2.0, -1.0, 0.0, 0.0, 0.0, 2.0]}, %y: tensor<2x3xf64>) -> (tensor<3xf64>, tensor<f64>) attributes {test.twice} {
  %p = pd.prod %x {axis = array<i64: 1>} : (tensor<3x4xf64>) -> tensor<3xf64>
  %q = pd.prod %y : (tensor<2x3xf64>) -> tensor<f64>
  return %p, %q : tensor<3xf64>, tensor<f64>
}

// What has no gradient, beside something that has: batches of it.
func.func @decoding(%x: tensor<5x3xf64> {test.constant}, %z: tensor<2xf64>, %w: tensor<5x3xf64> {test.constant}, %o: tensor<3xi64> {test.values = [0.0, 2.0, 5.0]}, %p: tensor<2x3x3xf64> {test.constant}, %n: tensor<2xi64> {test.values = [3.0, 2.0]}) -> (tensor<2xf64>, tensor<5x1xi64>, tensor<2x3xi64>) {
  %s = pd.sin %z : (tensor<2xf64>) -> tensor<2xf64>
  %y = pd.crf_decoding %x, %w offsets = %o : (tensor<5x3xf64>, tensor<5x3xf64>, tensor<3xi64>) -> tensor<5x1xi64>
  %q = pd.crf_decoding %p, %w length = %n : (tensor<2x3x3xf64>, tensor<5x3xf64>, tensor<2xi64>) -> tensor<2x3xi64>
  return %s, %y, %q : tensor<2xf64>, tensor<5x1xi64>, tensor<2x3xi64>
}

func.func @labels(%z: tensor<2xf64>, %h: tensor<2x4xi64> {test.high = 3.0}, %r: tensor<2x3xi64> {test.high = 3.0}, %n: tensor<2xi64> {test.values = [4.0, 3.0]}, %m: tensor<2xi64> {test.values = [2.0, 3.0]}, %p: tensor<3x2x2xi64>) -> (tensor<2xf64>, tensor<1xi64>, tensor<2x1xi64>, tensor<2x4xi64>, tensor<2x1xi64>, tensor<3x2x2xi64>, tensor<2x3x1xi64>) {
  %s = pd.sin %z : (tensor<2xf64>) -> tensor<2xf64>
  %c, %d = pd.edit_distance %h, %r hyps_length = %n refs_length = %m : (tensor<2x4xi64>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1xi64>, tensor<2x1xf32>)
  %a, %k = pd.ctc_align %h length = %n : (tensor<2x4xi64>, tensor<2xi64>) -> (tensor<2x4xi64>, tensor<2x1xi64>)
  %t = pd.gather_tree %p, %p : (tensor<3x2x2xi64>, tensor<3x2x2xi64>) -> tensor<3x2x2xi64>
  %e = pd.hash %h {num_hash = 3 : i64, mod_by = 50 : i64} : (tensor<2x4xi64>) -> tensor<2x3x1xi64>
  %i = pd.cast %d {dtype = i64} : (tensor<2x1xf32>) -> tensor<2x1xi64>
  return %s, %c, %i, %a, %k, %t, %e : tensor<2xf64>, tensor<1xi64>, tensor<2x1xi64>, tensor<2x4xi64>, tensor<2x1xi64>, tensor<3x2x2xi64>, tensor<2x3x1xi64>
}

func.func @boxes(%a: tensor<3x4xf64> {test.constant, test.low = 0.0}, %z: tensor<2xf64>, %v: tensor<4xf64> {test.constant, test.values = [0.1, 0.1, 0.2, 0.2]}, %t: tensor<3x8xf64> {test.constant}, %p: tensor<3x2xf64> {test.constant}) -> (tensor<2xf64>, tensor<3x8xf64>, tensor<3x4xf64>) {
  %s = pd.sin %z : (tensor<2xf64>) -> tensor<2xf64>
  %d, %b = pd.box_decoder_and_assign %a, %v, %t, %p : (tensor<3x4xf64>, tensor<4xf64>, tensor<3x8xf64>, tensor<3x2xf64>) -> (tensor<3x8xf64>, tensor<3x4xf64>)
  return %s, %d, %b : tensor<2xf64>, tensor<3x8xf64>, tensor<3x4xf64>
}

func.func @attention(%x: tensor<5x3xf64> {test.constant}, %z: tensor<2xf64>, %o: tensor<3xi64> {test.values = [0.0, 2.0, 5.0]}, %c: tensor<2x2xf64> {test.constant}, %a: tensor<5x1xf64> {test.constant}, %w: tensor<5x8xf64> {test.constant}, %b: tensor<1x8xf64> {test.constant}) -> (tensor<2xf64>, tensor<5x2xf64>) {
  %s = pd.sin %z : (tensor<2xf64>) -> tensor<2xf64>
  %h, %y = pd.attention_lstm %x, %o, %c, %a, %w, %b : (tensor<5x3xf64>, tensor<3xi64>, tensor<2x2xf64>, tensor<5x1xf64>, tensor<5x8xf64>, tensor<1x8xf64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return %s, %h : tensor<2xf64>, tensor<5x2xf64>
}

// Parts with dynamic dims.
func.func @concat_of_open_parts(%x: tensor<4x2xf64>, %y: tensor<3x2xf64>) -> (tensor<2xf64>) attributes {test.twice} {
  %s = pd.constant dense<[1, 0]> : tensor<2xi64>
  %n = pd.constant dense<[1, 2]> : tensor<2xi64>
  %r, %o = pd.ranges %s, %n : (tensor<2xi64>, tensor<2xi64>) -> (tensor<?xi64>, tensor<3xi64>)
  %g = pd.gather %x, %r : (tensor<4x2xf64>, tensor<?xi64>) -> tensor<?x2xf64>
  %c = pd.concat %y, %g, %y {axis = 0 : i64} : (tensor<3x2xf64>, tensor<?x2xf64>, tensor<3x2xf64>) -> tensor<?x2xf64>
  %a = pd.cumsum %c {axis = 0 : i64} : (tensor<?x2xf64>) -> tensor<?x2xf64>
  %e = pd.sin %a : (tensor<?x2xf64>) -> tensor<?x2xf64>
  %t = pd.sum %e {axis = array<i64: 0>} : (tensor<?x2xf64>) -> tensor<2xf64>
  return %t : tensor<2xf64>
}
