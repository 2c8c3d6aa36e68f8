/// Domains of which the table of schemas has only some rows.
#pragma once

#include "translator/onnx/Schema.h"

namespace proa::onnx {

/// Whether there are schemas of all ops of the domain. ONNX Runtime's domain has schemas of the ops that the
/// import takes only.
inline bool hasAllSchemas(std::string_view domain) {
  return hasSchemas(domain) && canonicalDomain(domain) != "com.microsoft";
}

} // namespace proa::onnx
