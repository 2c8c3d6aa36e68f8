/// Reads values of inputs and outputs from the data files beside a model.
#pragma once

#include "proa/Result.h"
#include "translator/onnx/Model.h"

#include <string>
#include <vector>

namespace proa::onnx {

/// A tensor, a sequence of values, or an optional.
struct Value {
  Type::Kind kind = Type::Kind::Tensor;
  TensorValue tensor;          ///< of kind Tensor
  std::vector<Value> elements; ///< of a sequence; one or none of an optional
};

/// Reads the value of an input or output of type `type` from `path`: a TensorProto, SequenceProto or
/// OptionalProto, as in ONNX's tests (test_data_set_0/input_0.pb). Errors, all at once: a file that cannot be
/// read or is not such a message, elements of another kind than the type's, maps, sparse tensors, and what
/// `readModel` reports about tensors. A tensor has the element type of the file.
Result<Value> readValue(const std::string &path, const Type &type);

} // namespace proa::onnx
