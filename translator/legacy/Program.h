/// A legacy PaddlePaddle program (ProgramDesc) in memory, as both readers (JSON and .pdmodel) return it.
#pragma once

#include "proa/Tensor.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace proa::legacy {

/// VarType.Type numbers of variables, except the numbers of element types.
enum class VariableKind : int32_t {
  DenseTensor = 7,
  SelectedRows = 8,
  FeedMinibatch = 9,
  FetchList = 10,
  StepScopes = 11,
  LodRankTable = 12,
  DenseTensorArray = 13,
  PlaceList = 14,
  Reader = 15,
  Raw = 17,
  Tuple = 18,
  String = 25,
  Strings = 26,
  Vocab = 27,
  FeedList = 28,
  PString = 29,
  SparseCoo = 30,
  SparseCsr = 31,
};

/// The element type of a VarType.Type number (5 = FP32); nothing for other kinds. And the reverse.
std::optional<DType> dtypeFromCode(int64_t code);
int32_t numberOf(DType dtype);

struct Variable {
  std::string name;
  VariableKind kind = VariableKind::DenseTensor;
  std::optional<DType> dtype;
  std::vector<int64_t> dims; ///< -1: not known
  int32_t lodLevel = 0;
  bool persistable = false;
  bool isParameter = false;
  bool stopGradient = false;
  bool needCheckFeed = false;
  /// The declared type as text, if dtype and dims follow the weights instead. Not part of a file.
  std::string declaredAs = {};

  bool operator==(const Variable &) const = default;
};

/// The argument of a slot without a variable.
inline const std::string emptyVariable = "@EMPTY@";

/// A slot of an op and the names of the variables in it.
struct Slot {
  std::string name;
  std::vector<std::string> arguments;

  bool operator==(const Slot &) const = default;
};

struct BlockIndex {
  int32_t index = 0;
  bool operator==(const BlockIndex &) const = default;
};
struct BlockIndices {
  std::vector<int32_t> indices;
  bool operator==(const BlockIndices &) const = default;
};
/// An attribute whose value comes from a variable (or several), not from a literal.
struct VariableName {
  std::string name;
  bool operator==(const VariableName &) const = default;
};
struct VariableNames {
  std::vector<std::string> names;
  bool operator==(const VariableNames &) const = default;
};
struct Complex {
  double real = 0, imaginary = 0;
  bool operator==(const Complex &) const = default;
};
struct Scalar {
  std::variant<bool, int64_t, double, Complex> value;
  bool operator==(const Scalar &) const = default;
};

using AttributeValue = std::variant<int32_t, float, std::string, std::vector<int32_t>, std::vector<float>,
                                    std::vector<std::string>, bool, std::vector<bool>, BlockIndex, int64_t,
                                    BlockIndices, std::vector<int64_t>, std::vector<double>, VariableName,
                                    VariableNames, double, Scalar, std::vector<Scalar>>;

/// The alternatives of AttributeValue are in the order of the AttrType numbers (INT 0, FLOAT 1, STRING 2,
/// ...).
struct Attribute {
  std::string name;
  AttributeValue value;

  /// Whether the value comes from variables.
  bool isVariable() const {
    return std::holds_alternative<VariableName>(value) || std::holds_alternative<VariableNames>(value);
  }
  bool operator==(const Attribute &) const = default;
};

/// The attributes of an op. Ops with equal attributes may share their memory.
class Attributes {
public:
  Attributes() = default;
  Attributes(std::initializer_list<Attribute> list) : Attributes(std::vector<Attribute>(list)) {}
  explicit Attributes(std::vector<Attribute> list)
      : shared(std::make_shared<std::vector<Attribute>>(std::move(list))) {}

  const Attribute *begin() const { return shared ? shared->data() : nullptr; }
  const Attribute *end() const { return shared ? shared->data() + shared->size() : nullptr; }
  size_t size() const { return shared ? shared->size() : 0; }
  const Attribute &operator[](size_t i) const { return (*shared)[i]; }

  /// The list for changes; copies it first if other ops share it.
  std::vector<Attribute> &own() {
    if (!shared || shared.use_count() != 1)
      shared = std::make_shared<std::vector<Attribute>>(begin(), end());
    return *shared;
  }
  void push_back(Attribute attribute) { own().push_back(std::move(attribute)); }

  bool isSharedWith(const Attributes &other) const { return shared == other.shared; }
  bool operator==(const Attributes &other) const {
    return isSharedWith(other) || std::equal(begin(), end(), other.begin(), other.end());
  }

private:
  std::shared_ptr<std::vector<Attribute>> shared;
};

/// The line of the user's Python code that created an op.
struct SourceLine {
  std::string file;
  int line = 0;
};

struct Operation {
  std::string type;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  Attributes attributes;
  bool isTarget = false;

  const Slot *input(std::string_view name) const;
  const Slot *output(std::string_view name) const;
  const Attribute *attribute(std::string_view name) const;
  /// The innermost frame of op_callstack in the user's code, not in Paddle's; nothing without a call stack.
  std::optional<SourceLine> sourceLine() const;

  bool operator==(const Operation &) const = default;
};

struct Block {
  int32_t index = 0;
  int32_t parent = -1;
  int32_t forwardBlock = -1;
  std::vector<Variable> variables;
  std::vector<Operation> operations;

  bool operator==(const Block &) const = default;
};

struct Program {
  int64_t version = 0;
  std::vector<Block> blocks;
  std::vector<std::pair<std::string, int32_t>> opVersions;

  bool operator==(const Program &) const = default;
};

} // namespace proa::legacy
