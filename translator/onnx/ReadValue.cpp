#include "translator/onnx/ReadValue.h"

#include "translator/onnx/TensorReader.h"

#include <fmt/format.h>

#include <climits>
#include <filesystem>

namespace proa::onnx {
namespace {

class ValueReader {
public:
  ValueReader(FileReport &report, ExternalFiles &files) : report(report), tensors(report, files) {}

  /// Parses the message of the type's kind.
  Value parse(std::span<const std::byte> bytes, const Type &type) {
    switch (type.kind) {
    case Type::Kind::Tensor:
      return parseAs<proto::Tensor>(bytes, type, "TensorProto");
    case Type::Kind::Sequence:
      return parseAs<proto::Sequence>(bytes, type, "SequenceProto");
    case Type::Kind::Optional:
      return parseAs<proto::Optional>(bytes, type, "OptionalProto");
    default:
      report.add("", "values of type " + type.text() +
                         " cannot be read, expected a tensor, a sequence or an optional");
      return {};
    }
  }

private:
  template <class Message>
  Value parseAs(std::span<const std::byte> bytes, const Type &type, const char *name) {
    Message message;
    if (bytes.size() <= INT_MAX &&
        message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())))
      return read({nullptr, "value"}, message, type);
    report.add("", fmt::format("{} bytes that are not a {}", bytes.size(), name));
    return {};
  }

  Value read(const Location &at, proto::Tensor &from, const Type &) {
    return {Type::Kind::Tensor, tensors.read(at, from), {}};
  }

  Value read(const Location &at, proto::Sequence &from, const Type &type) {
    Value out{Type::Kind::Sequence, {}, {}};
    auto add = [&](auto &list) {
      for (auto &one : list)
        out.elements.push_back(
            read({&at, "element", {}, static_cast<int64_t>(out.elements.size())}, one, type.element[0]));
    };
    if (!hasKindOf(at, type, from.tensor_values_size(), from.sequence_values_size(),
                   from.optional_values_size(), from.map_values_size() + from.sparse_tensor_values_size()))
      return out;
    add(*from.mutable_tensor_values());
    add(*from.mutable_sequence_values());
    add(*from.mutable_optional_values());
    return out;
  }

  Value read(const Location &at, proto::Optional &from, const Type &type) {
    Value out{Type::Kind::Optional, {}, {}};
    if (!hasKindOf(at, type, from.has_tensor_value(), from.has_sequence_value(), from.has_optional_value(),
                   from.has_map_value() + from.has_sparse_tensor_value()))
      return out;
    Location element{&at, "element"};
    if (from.has_tensor_value())
      out.elements.push_back(read(element, *from.mutable_tensor_value(), type.element[0]));
    else if (from.has_sequence_value())
      out.elements.push_back(read(element, *from.mutable_sequence_value(), type.element[0]));
    else if (from.has_optional_value())
      out.elements.push_back(read(element, *from.mutable_optional_value(), type.element[0]));
    return out;
  }

  /// Whether all elements have the kind that the type's elements have.
  bool hasKindOf(const Location &at, const Type &type, int tensorCount, int sequences, int optionals,
                 int others) {
    if (type.element.empty()) {
      report.add(at.text(), "the type " + type.text() + " has no element type");
      return false;
    }
    Type::Kind kind = type.element[0].kind;
    bool isRight = others == 0 && (tensorCount == 0 || kind == Type::Kind::Tensor) &&
                   (sequences == 0 || kind == Type::Kind::Sequence) &&
                   (optionals == 0 || kind == Type::Kind::Optional);
    if (!isRight)
      report.add(at.text(),
                 fmt::format("found {} tensors, {} sequences, {} optionals, {} maps and sparse tensors, "
                             "expected elements of a value of type {}",
                             tensorCount, sequences, optionals, others, type.text()));
    return isRight;
  }

  FileReport &report;
  TensorReader tensors;
};

} // namespace

Result<Value> readValue(const std::string &path, const Type &type) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  FileReport report(path);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  ExternalFiles files(folder.empty() ? "." : folder.string());
  Value value = ValueReader(report, files).parse((*file)->bytes(), type);
  if (!report.empty())
    return report.take();
  return value;
}

} // namespace proa::onnx
