/// Members of zip files without compression, as PyTorch writes them.
#pragma once

#include "proa/Result.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace proa::checkpoints {

/// The members of a zip file by name; they refer to `content`. Errors: no zip file, a damaged directory, a
/// member that is compressed or outside of the content. `where` begins messages.
Result<std::map<std::string, std::span<const std::byte>>> readZip(std::span<const std::byte> content,
                                                                  const std::string &where);

} // namespace proa::checkpoints
