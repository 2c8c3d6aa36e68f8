/// Python pickles as data. A pickle is a program that may call any function; this reader knows a closed list
/// of opcodes and globals, and calls nothing.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa::checkpoints {

/// A value of a pickle.
struct PickleValue {
  enum class Kind : uint8_t {
    None,
    Bool,
    Integer,
    Float,
    Text,
    Bytes,
    List,       ///< or a tuple: `items`
    Dict,       ///< `items` are keys and values in turn
    Global,     ///< a class or function: `text` is "module.name"
    Object,     ///< a call of `callable` with `items`; `state` is what the object is built with
    Persistent, ///< an object outside of the pickle, by its id items[0]
  };
  Kind kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  std::string_view text; ///< in the content or in Pickle::owned
  std::vector<const PickleValue *> items;
  const PickleValue *callable = nullptr, *state = nullptr;

  bool is(Kind other) const { return kind == other; }
  /// Whether it is a call of a global whose name ends with `name`.
  bool isCallOf(std::string_view name) const;
  /// The value of a text key of a dict, or an attribute of an object that a dict builds; null without it.
  const PickleValue *member(std::string_view key) const;
  /// Item `index`; null without it.
  const PickleValue *item(size_t index) const { return index < items.size() ? items[index] : nullptr; }
  /// A list or tuple of integers.
  bool integers(std::vector<int64_t> &values) const;
};

/// A pickle and its values, which refer to its content.
class Pickle {
public:
  /// Reads the first pickle of a content, which must outlive this. Errors, with the byte: an opcode or a
  /// global that is not on the list, the end of the content, an opcode that does not fit the stack. `where`
  /// begins messages.
  static Result<Pickle> read(std::span<const std::byte> content, const std::string &where);
  Pickle(Pickle &&) = default;
  Pickle &operator=(Pickle &&) = default;

  const PickleValue &root() const { return *result; }

private:
  friend class PickleReader;
  Pickle() = default;
  std::deque<PickleValue> values;
  std::deque<std::string> owned;
  const PickleValue *result = nullptr;
};

/// The first pickle of a file.
struct PickleFile {
  std::shared_ptr<const MappedFile> file;
  Pickle pickle;

  /// Errors: the file cannot be read; as Pickle::read.
  static Result<PickleFile> open(const std::string &path);
};

} // namespace proa::checkpoints
