/// The layout of the checkpoints of a model on a mesh.
#pragma once

#include "lib/checkpoint/Layout.h"
#include "proa/Model.h"

#include <map>
#include <memory>
#include <string>

namespace proa {

/// The layout of checkpoints that a session of a model on a mesh saves after a run with such feeds. The
/// program is distributed for them, but not compiled; their elements are not read. Errors: a model without a
/// mesh, feeds that do not fit, a program that cannot be distributed; of Layout::place, tensors that are no
/// variables of the program, or have other dims.
Result<std::unique_ptr<checkpoints::Layout>> checkpointLayout(const Model &model,
                                                              const std::map<std::string, Tensor> &feeds);

} // namespace proa
