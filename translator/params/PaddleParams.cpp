#include "translator/params/PaddleParams.h"

#include "translator/legacy/FormatNames.h"
#include "translator/legacy/Program.h"
#include "translator/legacy/framework.pb.h"
#include "translator/params/MappedTensor.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace proa::params {
namespace {

static_assert(std::endian::native == std::endian::little, "Paddle's files are little-endian");

/// Reads the tensors of one file, one after another:
///   uint32 version (0), uint64 LoD levels, for each its size in bytes as uint64 and the bytes,
///   uint32 tensor version (0), int32 size of a TensorDesc, the TensorDesc, the elements
class PaddleReader {
public:
  PaddleReader(std::string path, std::shared_ptr<const MappedFile> file)
      : path(std::move(path)), file(std::move(file)) {}

  bool atEnd() const { return offset == file->bytes().size(); }
  size_t bytesLeft() const { return file->bytes().size() - offset; }

  Result<Tensor> tensor(const std::string &name) {
    current = &name;
    std::optional<Tensor> tensor;
    if (expectVersion("version") && skipLod() && expectVersion("tensor version"))
      tensor = described();
    if (!tensor)
      return std::move(diagnostics);
    return std::move(*tensor);
  }

private:
  std::nullopt_t wrong(const std::string &message) {
    diagnostics.add(path, fmt::format("tensor '{}', at byte {}: {}", *current, offset, message));
    return std::nullopt;
  }

  template <class T> std::optional<T> number(std::string_view what) {
    T value;
    if (bytesLeft() < sizeof value)
      return wrong(fmt::format("the file ends in the {}", what));
    std::memcpy(&value, file->bytes().data() + offset, sizeof value);
    offset += sizeof value;
    return value;
  }

  bool expectVersion(std::string_view what) {
    auto version = number<uint32_t>(what);
    if (version && *version != 0)
      wrong(fmt::format("found {} {}, expected 0", what, *version));
    return version == 0u;
  }

  bool skipLod() {
    auto levels = number<uint64_t>("number of LoD levels");
    for (uint64_t level = 0; levels && level < *levels; ++level) {
      auto size = number<uint64_t>("size of a LoD level");
      if (!size)
        return false;
      if (*size > bytesLeft()) {
        wrong(fmt::format("LoD level {} has {} bytes, but the file has {} left", level, *size, bytesLeft()));
        return false;
      }
      offset += *size;
    }
    return levels.has_value();
  }

  std::optional<Tensor> described() {
    auto size = number<int32_t>("size of the description");
    if (!size)
      return std::nullopt;
    if (*size < 0 || static_cast<size_t>(*size) > bytesLeft())
      return wrong(fmt::format("the description has {} bytes, but the file has {} left", *size, bytesLeft()));
    legacy::proto::VarType::TensorDesc description;
    if (!description.ParsePartialFromArray(file->bytes().data() + offset, *size) ||
        !description.IsInitialized())
      return wrong("the description is damaged");
    offset += static_cast<size_t>(*size);
    std::optional<DType> dtype = legacy::dtypeFromCode(description.data_type());
    if (!dtype)
      return wrong(fmt::format("found elements of type {}, expected a number type",
                               legacy::varTypeName(description.data_type())));
    return elements(*dtype, {description.dims().begin(), description.dims().end()});
  }

  std::optional<Tensor> elements(DType dtype, std::vector<int64_t> dims) {
    std::optional<size_t> bytes = byteCount(dtype, dims);
    if (!bytes || *bytes > bytesLeft())
      return wrong(
          fmt::format("{} does not fit the {} bytes left in the file", describe(dtype, dims), bytesLeft()));
    Result<Tensor> tensor = mappedTensor(file, offset, dtype, std::move(dims));
    if (!tensor)
      return wrong(tensor.diagnostics()[0].message);
    offset += *bytes;
    return std::move(*tensor);
  }

  std::string path;
  std::shared_ptr<const MappedFile> file;
  size_t offset = 0;
  const std::string *current = nullptr;
  Diagnostics diagnostics;
};

} // namespace

Result<Tensors> readCombinedParams(const std::string &path, std::span<const std::string> names) {
  auto file = mapFile(path);
  return file ? readCombinedParams(path, *file, names) : file.diagnostics();
}

Result<Tensors> readCombinedParams(const std::string &path, const std::shared_ptr<const MappedFile> &content,
                                   std::span<const std::string> names) {
  PaddleReader reader(path, content);
  Tensors tensors;
  for (size_t i = 0; i < names.size(); ++i) {
    if (reader.atEnd())
      return errorAt(
          path, fmt::format("found {} tensors, expected {} (the next is '{}')", i, names.size(), names[i]));
    Result<Tensor> tensor = reader.tensor(names[i]);
    if (!tensor)
      return tensor.diagnostics();
    tensors.insert_or_assign(names[i], std::move(*tensor));
  }
  if (!reader.atEnd())
    return errorAt(path, fmt::format("expected {} tensors, but {} bytes follow the last", names.size(),
                                     reader.bytesLeft()));
  return tensors;
}

Result<void> writeCombinedParams(const std::string &path, std::span<const Tensor> tensors) {
  FileWriter file(path);
  auto append = [&](const auto &value) { file.append(std::as_bytes(std::span(&value, 1))); };
  for (const Tensor &tensor : tensors) {
    legacy::proto::VarType::TensorDesc description;
    description.set_data_type(static_cast<legacy::proto::VarType::Type>(legacy::numberOf(tensor.dtype())));
    for (int64_t dim : tensor.dims())
      description.add_dims(dim);
    std::string text = description.SerializeAsString();
    append(uint32_t(0)); // version
    append(uint64_t(0)); // LoD levels
    append(uint32_t(0)); // version of the tensor
    append(static_cast<int32_t>(text.size()));
    file.append(std::as_bytes(std::span(text)));
    file.append({static_cast<const std::byte *>(tensor.data()), tensor.bytes()});
  }
  return file.finish();
}

Result<Tensors> readSeparateParams(const std::string &folder, std::span<const std::string> names) {
  Tensors tensors;
  Diagnostics diagnostics;
  for (const std::string &name : names) {
    Result<Tensors> one = readCombinedParams(folder + "/" + name, std::span(&name, 1));
    if (one)
      tensors.merge(*one);
    else
      diagnostics.append(one.diagnostics());
  }
  if (!diagnostics.empty())
    return diagnostics;
  return tensors;
}

} // namespace proa::params
