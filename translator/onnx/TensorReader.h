/// Reads the elements of tensors from all forms that the format has.
#pragma once

#include "lib/base/support/FileReport.h"
#include "translator/onnx/ExternalFiles.h"
#include "translator/onnx/Location.h"
#include "translator/onnx/Model.h"
#include "translator/onnx/onnx.pb.h"

#include <span>

namespace proa::onnx {

/// Takes strings and bytes out of the messages instead of copying them.
class TensorReader {
public:
  TensorReader(FileReport &report, ExternalFiles &files) : report(report), files(files) {}

  /// Reports an unknown type, wrong dims, and elements that are missing, are in the wrong field, have the
  /// wrong number or are out of the type's range. The result then has no elements.
  TensorValue read(const Location &at, proto::Tensor &from);

private:
  void readElements(const Location &at, proto::Tensor &from, TensorValue &out);
  void readRaw(const Location &at, std::string &bytes, TensorValue &out);
  void readTyped(const Location &at, proto::Tensor &from, TensorValue &out);
  template <class List>
  void readNumbers(const Location &at, const char *field, const List &list, TensorValue &out);
  void readNarrowed(const Location &at, std::span<const int32_t> values, TensorValue &out);
  void readExternal(const Location &at, const proto::Tensor &from, TensorValue &out);
  /// Bytes that `owner` keeps alive, in the form of raw_data.
  void useBytes(const Location &at, std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                TensorValue &out);
  /// Where in the external file the tensor is; nothing after an error.
  std::optional<std::span<const std::byte>> rangeOf(const Location &at, const MappedFile &file,
                                                    const proto::Tensor &from, size_t needed);
  void fail(const Location &at, std::string message) { report.add(at.text(), std::move(message)); }

  FileReport &report;
  ExternalFiles &files;
};

/// Bytes of `count` elements in raw_data; nothing if that overflows.
std::optional<size_t> rawBytes(DataType type, int64_t count);

/// Elements of less than 8 bits as raw_data has them, from a tensor with one byte for each.
std::string packed(DataType type, const Tensor &elements);

} // namespace proa::onnx
