/// The tensors of a model that are its parameters: weights.
#pragma once

#include "translator/onnx/Model.h"

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace proa::onnx {

struct Parameter {
  std::string name;
  const TensorValue *value;
};

/// The parameters of a model, which must outlive them.
/// An initializer, or the tensor of a Constant node, is a parameter unless it decides how other nodes
/// compute: integers and bools of up to `longestConstant` elements, vectors of equal integers (the zero
/// points of channels), single floats without dims, and vectors of one float that only nodes of type Where
/// select, are constants. A parameter has the name of its value;
/// one of a subgraph gets a suffix where another parameter has the name.
class Parameters {
public:
  static constexpr int64_t longestConstant = 64;

  explicit Parameters(const Model &model);

  const std::vector<Parameter> &all() const { return list; }
  /// The name of the parameter that a tensor of the model is; null for a constant.
  const std::string *nameOf(const TensorValue &tensor) const;

private:
  void add(const Graph &graph);
  void add(const std::vector<Node> &nodes);
  void add(const std::string &name, const TensorValue &tensor);
  /// Counts the uses of names by nodes of type Where, and by others.
  void countUses(const Graph &graph);
  void countUses(const std::vector<Node> &nodes);
  bool isSelected(const std::string &name, const TensorValue &tensor) const;
  /// Gives parameters whose name an earlier one has another name, which no tensor has.
  void makeUnique();

  std::unordered_set<std::string> selectedNames, otherNames; ///< read by nodes of type Where, and by others
  std::vector<Parameter> list;
  std::unordered_map<const TensorValue *, size_t> indices;
};

/// The tensors of the main graph whose elements an import may ask for, by name: the tensors of up to
/// `longestKnown` elements.
std::map<std::string, Tensor> knownTensors(const Model &model);
inline constexpr int64_t longestKnown = 4096;

} // namespace proa::onnx
