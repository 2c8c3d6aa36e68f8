/// Parameters that lie in the memory of others.
#pragma once

#include "translator/legacy/SharedStorage.h"

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <map>

namespace proa {

/// Gives each buffer what its parts hold, where all of them are there. Errors: parts that do not fit into it.
Result<void> updateBuffers(const std::vector<legacy::SharedStorage> &shared,
                           std::map<std::string, Tensor> &values);
/// Gives the parts of `buffer` what it holds, if it is one.
void updateParts(const std::vector<legacy::SharedStorage> &shared, const std::string &buffer,
                 std::map<std::string, Tensor> &values);

} // namespace proa
