/// The results of a program without fetch ops, such as a training program: values that no op reads.
#pragma once

#include "translator/legacy/Program.h"

#include <string>
#include <vector>

namespace proa::import {

/// Tensors of block 0 that no op reads, and the loss, in the order of their ops. Persistable variables, and
/// results beside others that are read, are not among them.
std::vector<std::string> unreadValues(const legacy::Program &program);

} // namespace proa::import
