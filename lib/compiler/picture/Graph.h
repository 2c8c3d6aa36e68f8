/// The nodes and edges of a picture.
#pragma once

#include "proa/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace proa::picture {

/// Statistics of a weight.
struct WeightStatistics {
  double minimum = 0, maximum = 0, mean = 0, deviation = 0; ///< of the finite elements
  int64_t zeros = 0, nans = 0, infinities = 0;
};
WeightStatistics weightStatistics(const Tensor &tensor);

/// An operand: a value that a node computes, or a parameter or constant, which have no nodes.
struct Operand {
  int32_t value = -1; ///< into Graph::values; -1: a parameter or a constant
  std::string name;   ///< of a parameter
  std::string type;   ///< "float32[2, 3]"
};

enum class NodeKind : uint8_t {
  Op,
  Feed,
  Fetch,
  Argument, ///< of a region
  Group,    ///< nodes folded together; not an op
};

struct Node {
  NodeKind kind = NodeKind::Op;
  std::string op;   ///< "pd.relu"; of a group, its title
  std::string name; ///< of the variable that it computes; may be empty
  std::string line; ///< the user's line, "net.py:42"; may be empty
  int32_t parent = -1;
  std::vector<int32_t> children; ///< of a group, or of an op with regions or of a call
  std::vector<Operand> operands;
  std::vector<std::string> results; ///< types
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::string> states; ///< variables whose new values it computes
  std::vector<std::string> axes;   ///< mesh axes that split the results
  int64_t communicatedBytes = 0;   ///< of a communication op
};

/// A value that leads from one node to others.
struct Value {
  int32_t producer = -1; ///< node
  std::string name;
  std::string type;
  std::vector<int32_t> consumers; ///< nodes, each once
};

/// The nodes of a module: roots are the feeds, ops and fetches of its functions, in program order.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<int32_t> roots;
  std::map<std::string, WeightStatistics> weights; ///< by parameter, if weights are given
};

/// The graph of a module: `main`, else all public functions, with the bodies of regions and of called kernels
/// as children of their ops. Constants without location and parameters are operands, not nodes.
Graph graphOf(mlir::ModuleOp module, const std::map<std::string, Tensor> &weights);

} // namespace proa::picture
