/// Parameters that share memory with others.
#pragma once

#include "translator/legacy/SharedStorage.h"

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <map>

namespace proa {

/// Sets each buffer from its members, if all of them have values. Error: members that do not fit.
Result<void> updateBuffers(const std::vector<legacy::SharedStorage> &shared,
                           std::map<std::string, Tensor> &values);
/// Sets the members of `buffer` from it, if it is a buffer.
void updateMembers(const std::vector<legacy::SharedStorage> &shared, const std::string &buffer,
                   std::map<std::string, Tensor> &values);

} // namespace proa
