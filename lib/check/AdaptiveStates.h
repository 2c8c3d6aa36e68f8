/// Tolerances of parameters that adaptive optimizers update in mixed precision.
#pragma once

#include "translator/params/ModelTensors.h"

#include <vector>

namespace proa::check {

/// Compares again, with wider tolerances, the states of Adam and AdamW that failed compareLowPrecision.
///
/// An update divides the mean of the gradients by their size. A gradient that is zero but for rounding (the
/// gradient of the bias of keys, or of a bias before a batch norm) becomes an update of full size in any
/// direction. So a mean m may differ by the rounding of the gradients of the other parameters, and an element
/// of a parameter by the fraction of its largest possible update that is the relative error of its gradient:
///
///     allowed(m) = allowed + u * sqrt(n) * rms(all m)
///     allowed(p) = allowed + |2 * reach * min(1, error(m) / sqrt(v))|
///
/// with bias-corrected m and v, and `reach`, the largest change of an element of such a parameter.
/// `initial` are the values before the first step, `expected` and `got` those after the last one, by name. A
/// name in `compared` has the prefix `prefix`.
void allowRoundingNoise(std::vector<params::ComparedOutput> &compared, const std::string &prefix,
                        const params::Tensors &initial, const params::Tensors &expected,
                        const params::Tensors &got, DType format);

} // namespace proa::check
