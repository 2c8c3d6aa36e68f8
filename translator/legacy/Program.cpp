#include "translator/legacy/Program.h"

#include <array>
#include <charconv>
#include <ranges>

namespace proa::legacy {
namespace {

struct TypeCode {
  int32_t code;
  DType dtype;
};

constexpr std::array<TypeCode, 17> typesByCode{{{0, DType::Bool},
                                                {1, DType::Int16},
                                                {2, DType::Int32},
                                                {3, DType::Int64},
                                                {4, DType::Float16},
                                                {5, DType::Float32},
                                                {6, DType::Float64},
                                                {20, DType::UInt8},
                                                {21, DType::Int8},
                                                {22, DType::BFloat16},
                                                {23, DType::Complex64},
                                                {24, DType::Complex128},
                                                {32, DType::Float8E4M3FN},
                                                {33, DType::Float8E5M2},
                                                {36, DType::UInt16},
                                                {37, DType::UInt32},
                                                {38, DType::UInt64}}};

template <class List> auto findByName(const List &list, std::string_view name) {
  for (const auto &item : list)
    if (item.name == name)
      return &item;
  return static_cast<decltype(&list[0])>(nullptr);
}

/// A frame is `  File "FILE", line N, in FUNCTION`.
struct Frame {
  std::string_view file, line;

  bool isPaddle() const {
    return file.find("/paddle/") != std::string_view::npos ||
           file.find("decorator-gen") != std::string_view::npos;
  }
};

std::optional<Frame> parseFrame(std::string_view frame) {
  size_t open = frame.find("File \"");
  if (open == std::string_view::npos)
    return std::nullopt;
  size_t begin = open + 6, close = frame.find('"', begin);
  size_t line = frame.find("line ", close == std::string_view::npos ? begin : close);
  if (close == std::string_view::npos || line == std::string_view::npos)
    return std::nullopt;
  return Frame{frame.substr(begin, close - begin), frame.substr(line + 5)};
}

} // namespace

std::optional<DType> dtypeFromCode(int64_t code) {
  for (const TypeCode &entry : typesByCode)
    if (entry.code == code)
      return entry.dtype;
  return std::nullopt;
}

int32_t numberOf(DType dtype) {
  for (const TypeCode &entry : typesByCode)
    if (entry.dtype == dtype)
      return entry.code;
  return -1;
}

const Slot *Operation::input(std::string_view name) const { return findByName(inputs, name); }
const Slot *Operation::output(std::string_view name) const { return findByName(outputs, name); }
const Attribute *Operation::attribute(std::string_view name) const { return findByName(attributes, name); }

std::optional<SourceLine> Operation::sourceLine() const {
  const Attribute *stack = attribute("op_callstack");
  const auto *frames = stack ? std::get_if<std::vector<std::string>>(&stack->value) : nullptr;
  if (!frames)
    return std::nullopt;
  // The innermost frame stands last. Where all are Paddle's own, the outermost one serves.
  std::optional<Frame> found;
  for (const std::string &text : std::views::reverse(*frames))
    if (std::optional<Frame> frame = parseFrame(text)) {
      found = frame;
      if (!frame->isPaddle())
        break;
    }
  if (!found)
    return std::nullopt;
  int line = 0;
  std::from_chars(found->line.data(), found->line.data() + found->line.size(), line);
  return SourceLine{std::string(found->file), line};
}

} // namespace proa::legacy
