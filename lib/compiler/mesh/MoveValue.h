/// Moves of distributed values between the meshes of two programs.
#pragma once

#include "lib/compiler/mesh/MeshProgram.h"

#include <memory>
#include <string>

namespace proa {

/// The shards of a value in another placement, also on another mesh: each rank receives the elements that it
/// lacks, and no others. `ranks` has the devices of both meshes. Both types have static dims and no partial
/// values. `name` is for messages. All processes must call it. Errors: from Communicator::exchange.
Result<ShardedTensor> moveValue(const ShardedTensor &value, const std::shared_ptr<const spmd::Mesh> &mesh,
                                const std::shared_ptr<const ShardedType> &type, RankGroup &ranks,
                                const std::string &name);

} // namespace proa
