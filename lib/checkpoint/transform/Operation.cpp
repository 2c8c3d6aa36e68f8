#include "lib/checkpoint/transform/Operation.h"

#include "lib/base/support/Suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <span>

namespace proa::transform {
namespace {

template <class T> std::optional<T> valueFrom(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// The numbers of "[1, 0]"; brackets may be missing.
template <class T> std::optional<std::vector<T>> listFrom(std::string_view text) {
  auto trim = [](std::string_view text) {
    size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
  };
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']') && text.size() >= 2)
    text = trim(text.substr(1, text.size() - 2));
  std::vector<T> values;
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    std::optional<T> value = valueFrom<T>(trim(text.substr(0, comma)));
    if (!value)
      return std::nullopt;
    values.push_back(*value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return values;
}

/// Reads the attributes of one statement. The first error is kept.
class AttributeReader {
public:
  AttributeReader(const Statement &statement, std::string &error) : statement(statement), error(error) {}

  bool has(std::string_view key) const { return statement.find(key); }

  /// Error: an attribute that is not in the list.
  void allow(std::string_view what, std::span<const std::string_view> keys) {
    for (const Attribute &attribute : statement.attributes)
      if (std::ranges::find(keys, attribute.key) == keys.end())
        fail(fmt::format("{} does not take the attribute `{}`{}", what, attribute.key,
                         expectation(attribute.key, keys)));
  }

  std::optional<int64_t> integer(std::string_view key) {
    return value<int64_t>(key, valueFrom<int64_t>, "an integer");
  }
  std::optional<double> real(std::string_view key) {
    return value<double>(key, valueFrom<double>, "a number");
  }
  std::optional<std::vector<int64_t>> integers(std::string_view key) {
    return value<std::vector<int64_t>>(key, listFrom<int64_t>, "a list of integers as \"[1, 0]\"");
  }
  std::optional<std::vector<double>> reals(std::string_view key) {
    return value<std::vector<double>>(key, listFrom<double>, "a list of numbers as \"[0.5, 0.5]\"");
  }
  /// A floating-point dtype.
  std::optional<DType> floatType(std::string_view key) {
    auto read = [](std::string_view text) {
      std::optional<DType> dtype = dtypeFromName(text);
      bool isFloat = dtype && (*dtype == DType::Float16 || *dtype == DType::BFloat16 ||
                               *dtype == DType::Float32 || *dtype == DType::Float64);
      return isFloat ? dtype : std::nullopt;
    };
    return value<DType>(key, read, "float16, bfloat16, float32 or float64");
  }
  std::optional<DType> dtype(std::string_view key) {
    return value<DType>(key, dtypeFromName, "a dtype as float32");
  }

  void fail(std::string message) {
    if (error.empty())
      error = std::move(message);
  }

private:
  static std::string expectation(const std::string &key, std::span<const std::string_view> keys) {
    if (keys.empty())
      return ", expected none";
    std::vector<std::string> names(keys.begin(), keys.end());
    return fmt::format(", expected {}{}", fmt::join(names, ", "), didYouMean(key, names));
  }

  template <class T, class Read>
  std::optional<T> value(std::string_view key, Read read, std::string_view expected) {
    const Attribute *attribute = statement.find(key);
    if (!attribute)
      return std::nullopt;
    std::optional<T> result = read(attribute->value);
    if (!result)
      fail(fmt::format("`{}` is \"{}\", expected {}", key, attribute->value, expected));
    return result;
  }

  const Statement &statement;
  std::string &error;
};

std::vector<std::string> namesOf(const std::vector<Term> &terms) {
  std::vector<std::string> names;
  for (const Term &term : terms)
    names.push_back(term.name);
  return names;
}

void checkNames(const Statement &statement, AttributeReader &reader) {
  bool isOneToOne = statement.sources.size() == 1 && statement.targets.size() == 1;
  for (const auto *terms : {&statement.sources, &statement.targets})
    for (const Term &term : *terms)
      if (term.name == noTensor && !isOneToOne)
        reader.fail("`_` is in a list of names, expected it alone, as `a -> _`");
  std::vector<std::string> targets = namesOf(statement.targets);
  std::ranges::sort(targets);
  if (auto at = std::ranges::adjacent_find(targets); at != targets.end())
    reader.fail(fmt::format("the target `{}` is repeated, expected different targets", *at));
  if (statement.sources.size() > 1 && statement.targets.size() > 1)
    reader.fail(fmt::format("{} sources and {} targets, expected one source or one target",
                            statement.sources.size(), statement.targets.size()));
}

/// `a -> _` and `_ -> a`; both may say what an addition needs.
void readAddition(AttributeReader &reader, Operation &operation) {
  constexpr std::string_view keys[] = {"shape", "dtype", "value"};
  reader.allow(operation.kind == OperationKind::Add ? "an addition" : "a removal", keys);
  operation.dims = reader.integers("shape");
  operation.dtype = reader.dtype("dtype");
  operation.value = reader.real("value").value_or(0);
  if (operation.dims && !elementCount(*operation.dims))
    reader.fail("`shape` has a negative dim or too many elements");
  if (operation.dims.has_value() != operation.dtype.has_value())
    reader.fail("only one of `shape` and `dtype` is present, expected both or none");
}

void readSplitOrMerge(AttributeReader &reader, Operation &operation, size_t pieces) {
  constexpr std::string_view keys[] = {"axis", "sizes"};
  reader.allow(operation.kind == OperationKind::Split ? "a split" : "a merge", keys);
  if (!reader.has("axis"))
    reader.fail("`axis` is missing, expected the dimension along which tensors are split or merged");
  operation.axis = reader.integer("axis").value_or(0);
  operation.sizes = reader.integers("sizes").value_or(std::vector<int64_t>());
  if (reader.has("sizes") && operation.sizes.size() != pieces)
    reader.fail(fmt::format("`sizes` has {} elements, expected {}: one for each name of the list",
                            operation.sizes.size(), pieces));
  if (std::ranges::any_of(operation.sizes, [](int64_t size) { return size < 0; }))
    reader.fail("`sizes` has a negative element, expected sizes of a dimension");
}

void readAverage(AttributeReader &reader, const Statement &statement, Operation &operation) {
  constexpr std::string_view keys[] = {"average"};
  reader.allow("an average", keys);
  if (operation.targets.size() != 1)
    reader.fail("an average has several targets, expected one");
  size_t count = operation.sources.size();
  operation.weights.assign(count, 1);
  if (!statement.find("average")->isFlag)
    operation.weights = reader.reals("average").value_or(operation.weights);
  double sum = std::accumulate(operation.weights.begin(), operation.weights.end(), 0.0);
  if (operation.weights.size() != count || !(sum > 0))
    return reader.fail(
        fmt::format("`average` has {} weights of sum {}, expected {} weights of a positive sum",
                    operation.weights.size(), sum, count));
  for (double &weight : operation.weights)
    weight /= sum;
}

void readRotary(AttributeReader &reader, const Statement &statement, Operation &operation) {
  constexpr std::string_view keys[] = {"rotary", "num_heads", "rotary_dim", "axis"};
  reader.allow("a change of the rotary style", keys);
  const std::string &style = statement.find("rotary")->value;
  if (style != "half_to_interleaved" && style != "interleaved_to_half")
    reader.fail(
        fmt::format("`rotary` is \"{}\", expected half_to_interleaved or interleaved_to_half", style));
  operation.style = style == "half_to_interleaved" ? RotaryStyle::Half : RotaryStyle::Interleaved;
  if (!reader.has("num_heads"))
    reader.fail("`num_heads` is missing, expected the number of heads of the tensor");
  operation.heads = reader.integer("num_heads").value_or(1);
  operation.rotaryDim = reader.integer("rotary_dim").value_or(0);
  operation.axis = reader.integer("axis").value_or(1);
  if (operation.heads < 1 || operation.rotaryDim < 0)
    reader.fail("`num_heads` or `rotary_dim` is not positive");
}

void readTranspose(AttributeReader &reader, Operation &operation) {
  constexpr std::string_view keys[] = {"permute"};
  reader.allow("a transpose", keys);
  operation.permutation = reader.integers("permute").value_or(std::vector<int64_t>());
  std::vector<int64_t> sorted = operation.permutation;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<int64_t>(i))
      return reader.fail(fmt::format("`permute` is [{}], expected each number from 0 to {} once",
                                     fmt::join(operation.permutation, ", "), sorted.size() - 1));
}

void readCast(AttributeReader &reader, Operation &operation) {
  constexpr std::string_view oneType[] = {"dtype"};
  constexpr std::string_view twoTypes[] = {"src_dtype", "dst_dtype"};
  reader.allow("a cast", reader.has("dtype") ? std::span<const std::string_view>(oneType) : twoTypes);
  if (!reader.has("dtype") && !(reader.has("src_dtype") && reader.has("dst_dtype")))
    reader.fail("only one of `src_dtype` and `dst_dtype` is present, expected both");
  operation.sourceDType = reader.floatType("src_dtype");
  operation.dtype = reader.floatType(reader.has("dtype") ? "dtype" : "dst_dtype");
}

void readOneToOne(AttributeReader &reader, Operation &operation) {
  if (reader.has("permute")) {
    operation.kind = OperationKind::Transpose;
    readTranspose(reader, operation);
  } else if (reader.has("dtype") || reader.has("src_dtype") || reader.has("dst_dtype")) {
    operation.kind = OperationKind::Cast;
    readCast(reader, operation);
  } else {
    // A split into one piece, or a merge of one: macros write them.
    constexpr std::string_view keys[] = {"axis",      "permute", "dtype",  "src_dtype",
                                         "dst_dtype", "rotary",  "average"};
    reader.allow("a rename", keys);
    reader.integer("axis");
  }
}

} // namespace

OperationOrError operationOf(const Statement &statement) {
  OperationOrError result;
  AttributeReader reader(statement, result.error);
  Operation &operation = result.operation;
  operation.sources = namesOf(statement.sources);
  operation.targets = namesOf(statement.targets);
  checkNames(statement, reader);
  if (operation.sources.front() == noTensor || operation.targets.front() == noTensor) {
    if (operation.sources == operation.targets)
      reader.fail("`_ -> _` names no tensor");
    operation.kind = operation.sources.front() == noTensor ? OperationKind::Add : OperationKind::Drop;
    readAddition(reader, operation);
  } else if (reader.has("average")) {
    operation.kind = OperationKind::Average;
    readAverage(reader, statement, operation);
  } else if (reader.has("rotary")) {
    operation.kind = OperationKind::Rotary;
    if (operation.sources.size() + operation.targets.size() != 2)
      reader.fail("a change of the rotary style has several names on a side, expected `a -> b`");
    readRotary(reader, statement, operation);
  } else if (operation.sources.size() == 1 && operation.targets.size() == 1) {
    readOneToOne(reader, operation);
  } else {
    bool isSplit = operation.sources.size() == 1;
    operation.kind = isSplit ? OperationKind::Split : OperationKind::Merge;
    readSplitOrMerge(reader, operation, isSplit ? operation.targets.size() : operation.sources.size());
  }
  return result;
}

OperationOrError inverseOf(const Operation &operation) {
  OperationOrError result{operation};
  Operation &inverse = result.operation;
  std::swap(inverse.sources, inverse.targets);
  switch (operation.kind) {
  case OperationKind::Rename:
    break;
  case OperationKind::Split:
    inverse.kind = OperationKind::Merge;
    break;
  case OperationKind::Merge:
    inverse.kind = OperationKind::Split;
    break;
  case OperationKind::Transpose:
    for (size_t i = 0; i < operation.permutation.size(); ++i)
      inverse.permutation[static_cast<size_t>(operation.permutation[i])] = static_cast<int64_t>(i);
    break;
  case OperationKind::Cast:
    if (!operation.sourceDType)
      result.error = "a cast with `dtype` has no inverse, expected `src_dtype` and `dst_dtype`";
    std::swap(inverse.sourceDType, inverse.dtype);
    break;
  case OperationKind::Rotary:
    inverse.style = operation.style == RotaryStyle::Half ? RotaryStyle::Interleaved : RotaryStyle::Half;
    break;
  case OperationKind::Average:
    result.error = "an average has no inverse";
    break;
  case OperationKind::Drop:
    inverse.kind = OperationKind::Add;
    if (!operation.dims)
      result.error =
          fmt::format("the removal of `{}` has no inverse, expected `shape` and `dtype` of the tensor to add",
                      operation.sources.front());
    break;
  case OperationKind::Add:
    inverse.kind = OperationKind::Drop;
    break;
  }
  return result;
}

} // namespace proa::transform
