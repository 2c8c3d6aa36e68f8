/// The position in a model, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace proa::onnx {

/// A chain on the stack. Its text is computed only for errors.
struct Location {
  const Location *parent = nullptr;
  std::string_view kind; ///< "graph", "node"
  std::string_view name = {};
  int64_t index = -1; ///< instead of an empty name
  std::string_view type = {};

  /// "graph 'main', node 'conv1' (Conv)".
  std::string text() const {
    std::string out = (parent ? parent->text() + ", " : std::string()) + std::string(kind);
    if (!name.empty())
      out += " '" + std::string(name) + "'";
    else if (index >= 0)
      out += " " + std::to_string(index);
    return type.empty() ? out : out + " (" + std::string(type) + ")";
  }
};

} // namespace proa::onnx
