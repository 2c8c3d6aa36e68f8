/// A model of Paddle's new IR (model.json) in memory.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace proa::newir {

/// A tensor, a tensor array (`dims` describe its elements), a list of types ("0.t_vec"), or nothing.
struct Type {
  enum class Kind { Null, Tensor, Array, List, Other };
  Kind kind = Kind::Null;
  /// The file's name of the type, "0.t_dtensor".
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> dims; ///< -1: not known
  std::vector<Type> elements;
};

/// A literal. Types of elements ("1.a_dtype") are strings; lists hold literals.
struct Literal {
  /// The file's name of the kind, "0.a_i32".
  std::string kind;
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<Literal>> value;

  bool operator==(const Literal &) const = default;
};

/// "1.a_scalar" holds the name of its type, then the value: that one; another literal is its own.
const Literal &scalarOf(const Literal &literal);
/// A number, a bool or a scalar as a number; nothing for others.
std::optional<double> numberOf(const Literal &literal);
/// The numbers of a list, or the one number, as integers.
std::vector<int64_t> integersOf(const Literal &literal);

struct Attribute {
  std::string name;
  Literal value;
};

/// A definition: an op's result or a block's argument.
struct Definition {
  int64_t id = 0;
  Type type;
};

struct Block;

struct Operation {
  /// With its dialect's number: "1.matmul" is an op of pd_op.
  std::string name;
  /// 0: an optional operand that is absent.
  std::vector<int64_t> inputs;
  std::vector<Definition> outputs;
  std::vector<Attribute> attributes;
  std::vector<std::vector<Block>> regions;
  /// Where it stands, for messages: "program.regions[0].blocks[0].ops[3]".
  std::string path;

  const Literal *attribute(std::string_view attributeName) const;
};

struct Block {
  std::vector<Definition> arguments;
  std::vector<Operation> operations;
};

/// A weight, an op "p" of the file, or other state: a persistable op "data".
struct Parameter {
  std::string name;
  /// Whether it is in the file of weights; states of dropout are not.
  bool isPersistable = true;
  Definition value;
};

struct Model {
  int64_t version = 0;
  std::vector<Parameter> parameters;
  std::vector<Operation> operations;
};

/// Whether the file says that it holds new IR.
bool isNewIr(std::string_view text);

/// Reads model.json. Errors, all at once: no JSON; missing fields and fields of a wrong type, each with its
/// JSON path.
Result<Model> readModel(std::string_view text, const std::string &path);

} // namespace proa::newir
