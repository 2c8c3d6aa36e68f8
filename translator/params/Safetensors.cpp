#include "translator/params/Safetensors.h"

#include "lib/base/support/Json.h"
#include "translator/params/MappedTensor.h"
#include "translator/params/NamedDType.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace proa::params {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr size_t lengthBytes = 8;
constexpr std::string_view metadataKey = "__metadata__", complexKey = "complex128";

constexpr std::array<NamedDType, 16> safetensorsDTypes{{{"F32", DType::Float32},
                                                        {"F64", DType::Float64},
                                                        {"F16", DType::Float16},
                                                        {"BF16", DType::BFloat16},
                                                        {"I64", DType::Int64},
                                                        {"I32", DType::Int32},
                                                        {"I16", DType::Int16},
                                                        {"I8", DType::Int8},
                                                        {"U64", DType::UInt64},
                                                        {"U32", DType::UInt32},
                                                        {"U16", DType::UInt16},
                                                        {"U8", DType::UInt8},
                                                        {"BOOL", DType::Bool},
                                                        {"C64", DType::Complex64},
                                                        {"F8_E4M3", DType::Float8E4M3FN},
                                                        {"F8_E5M2", DType::Float8E5M2}}};

std::optional<DType> dtypeOf(const json &name) {
  for (const NamedDType &entry : safetensorsDTypes)
    if (name == entry.name)
      return entry.dtype;
  return std::nullopt;
}

std::string_view nameInFile(DType dtype) {
  for (const NamedDType &entry : safetensorsDTypes)
    if (entry.dtype == dtype)
      return entry.name;
  return "F64"; // complex128, as pairs
}

/// Numbers that are no negative and no fraction.
std::optional<std::vector<int64_t>> sizesOf(const json &value) {
  if (!value.is_array())
    return std::nullopt;
  std::vector<int64_t> out;
  for (const json &element : value) {
    if (!element.is_number_unsigned() || element.get<uint64_t>() > INT64_MAX)
      return std::nullopt;
    out.push_back(element.get<int64_t>());
  }
  return out;
}

/// Where a tensor's bytes lie in the file.
struct ByteRange {
  size_t begin = 0;
  size_t end = 0;
  std::string name;
};

class SafetensorsReader {
public:
  SafetensorsReader(std::string path, std::shared_ptr<const MappedFile> file)
      : path(std::move(path)), file(std::move(file)) {}

  Result<TensorsAndMetadata> read() {
    if (readHeader()) {
      for (auto &[name, entry] : header.items())
        if (name != metadataKey)
          readTensor(name, entry);
      checkRanges();
    }
    if (!diagnostics.empty())
      return diagnostics;
    return TensorsAndMetadata{std::move(tensors), std::move(metadata)};
  }

private:
  void wrong(const std::string &name, std::string message) {
    diagnostics.add(path, fmt::format("tensor '{}': {}", name, std::move(message)));
  }

  bool readHeader() {
    std::span<const std::byte> bytes = file->bytes();
    uint64_t length = 0;
    if (bytes.size() < lengthBytes) {
      diagnostics.add(path, fmt::format("found {} bytes, expected at least {} for the length of the header",
                                        bytes.size(), lengthBytes));
      return false;
    }
    std::memcpy(&length, bytes.data(), lengthBytes);
    if (length > bytes.size() - lengthBytes) {
      diagnostics.add(path, fmt::format("the header should have {} bytes, but the file ends after {}", length,
                                        bytes.size() - lengthBytes));
      return false;
    }
    data = lengthBytes + length;
    return parseHeader({reinterpret_cast<const char *>(bytes.data()) + lengthBytes, length});
  }

  bool parseHeader(std::string_view text) {
    std::set<std::string> names;
    auto noteKey = [&](int depth, json::parse_event_t event, json &parsed) {
      if (event == json::parse_event_t::key && depth == 1 && !names.insert(parsed.get<std::string>()).second)
        wrong(parsed.get<std::string>(), "occurs twice");
      return true;
    };
    Result<json> parsed = parseJson(text, path + ": header", noteKey);
    if (!parsed) {
      diagnostics.append(parsed.diagnostics());
      return false;
    }
    header = std::move(*parsed);
    if (!header.is_object()) {
      diagnostics.add(path, "the header is not a JSON object");
      return false;
    }
    if (auto entry = header.find(metadataKey); entry != header.end() && entry->is_object())
      for (const auto &[key, text] : entry->items())
        if (text.is_string())
          metadata[key] = text.get<std::string>();
    if (auto names = metadata.extract(std::string(complexKey)); !names.empty())
      readComplexNames(names.mapped());
    return true;
  }

  void readComplexNames(std::string_view list) {
    for (size_t begin = 0; begin <= list.size();) {
      size_t end = std::min(list.find(',', begin), list.size());
      complexNames.emplace(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  void readTensor(const std::string &name, const json &entry) {
    if (!entry.is_object())
      return wrong(name, "found no JSON object");
    static const json absent;
    auto member = [&](const char *key) -> const json & {
      auto found = entry.find(key);
      return found == entry.end() ? absent : *found;
    };
    std::optional<DType> dtype = dtypeOf(member("dtype"));
    std::optional<std::vector<int64_t>> dims = sizesOf(member("shape")),
                                        offsets = sizesOf(member("data_offsets"));
    if (!dtype)
      wrong(name,
            fmt::format(
                "found dtype {}, expected F32, F64, F16, BF16, I8 to I64, U8 to U64, BOOL, C64, F8_E4M3 or "
                "F8_E5M2",
                shortened(member("dtype"))));
    if (!dims)
      wrong(name, fmt::format("found shape {}, expected a list of sizes", shortened(member("shape"))));
    if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
      wrong(name,
            fmt::format("found data_offsets {}, expected begin and end", shortened(member("data_offsets"))));
    else if (dtype && dims)
      addTensor(name, *dtype, std::move(*dims), static_cast<size_t>((*offsets)[0]),
                static_cast<size_t>((*offsets)[1]));
  }

  /// nlohmann's dump recurses, so that it gets only values of one level.
  static std::string shortened(const json &value) {
    if (std::any_of(value.begin(), value.end(), [](const json &element) { return element.is_structured(); }))
      return value.is_array() ? "a nested list" : "a nested object";
    return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60);
  }

  void addTensor(const std::string &name, DType dtype, std::vector<int64_t> dims, size_t begin, size_t end) {
    size_t available = file->bytes().size() - data;
    if (end > available)
      return wrong(name, fmt::format("its bytes end at {}, past the end of the data at {}", end, available));
    std::optional<size_t> needed = byteCount(dtype, dims);
    if (needed != end - begin)
      return wrong(name, fmt::format("{} does not fit {} bytes", describe(dtype, dims), end - begin));
    if (complexNames.contains(name)) {
      if (dtype != DType::Float64 || dims.empty() || dims.back() != 2)
        return wrong(name, fmt::format("found {}, expected F64 with a last dimension of 2 for complex128",
                                       describe(dtype, dims)));
      dtype = DType::Complex128;
      dims.pop_back();
    }
    ranges.push_back({begin, end, name});
    Result<Tensor> tensor = mappedTensor(file, data + begin, dtype, std::move(dims));
    if (!tensor)
      return wrong(name, tensor.diagnostics()[0].message);
    tensors.emplace(name, std::move(*tensor));
  }

  void checkRanges() {
    if (!diagnostics.empty()) // tensors are missing, so that gaps would be reported that are none
      return;
    std::sort(ranges.begin(), ranges.end(), [](const ByteRange &a, const ByteRange &b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    size_t end = 0;
    const ByteRange *previous = nullptr;
    for (const ByteRange &range : ranges) {
      if (range.begin < end && range.begin != range.end)
        wrong(range.name, fmt::format("its bytes from {} on overlap the bytes of '{}', which end at {}",
                                      range.begin, previous->name, end));
      if (range.begin > end)
        diagnostics.add(path, fmt::format("data bytes {} to {} belong to no tensor", end, range.begin));
      if (range.end >= end) {
        end = range.end;
        previous = &range;
      }
    }
    if (size_t available = file->bytes().size() - data; end < available)
      diagnostics.add(path, fmt::format("data bytes {} to {} belong to no tensor", end, available));
  }

  std::string path;
  std::shared_ptr<const MappedFile> file;
  json header;
  /// Offset of the data in the file.
  size_t data = 0;
  std::set<std::string, std::less<>> complexNames;
  std::vector<ByteRange> ranges;
  Tensors tensors;
  Metadata metadata;
  Diagnostics diagnostics;
};

/// The header with its length before it, padded so that the data begins at a multiple of 64 bytes.
std::string makeHeader(const std::vector<Tensors::const_iterator> &order, const Metadata &metadata) {
  constexpr size_t alignment = 64;
  json header = json::object();
  std::string complexNames;
  size_t offset = 0;
  for (auto entry : order) {
    const auto &[name, tensor] = *entry;
    std::vector<int64_t> dims = tensor.dims();
    if (tensor.dtype() == DType::Complex128) {
      dims.push_back(2);
      complexNames += (complexNames.empty() ? "" : ",") + name;
    }
    header[name] = {{"dtype", nameInFile(tensor.dtype())},
                    {"shape", dims},
                    {"data_offsets", {offset, offset + tensor.bytes()}}};
    offset += tensor.bytes();
  }
  if (!metadata.empty())
    header[metadataKey] = metadata;
  if (!complexNames.empty())
    header[metadataKey][complexKey] = complexNames;
  std::string text = header.dump();
  text.resize((lengthBytes + text.size() + alignment - 1) / alignment * alignment - lengthBytes, ' ');
  uint64_t length = text.size();
  return std::string(reinterpret_cast<const char *>(&length), lengthBytes) + text;
}

} // namespace

Result<Tensors> readSafetensors(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  return readSafetensors(path, *file);
}

Result<TensorsAndMetadata> readSafetensorsFile(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  return SafetensorsReader(path, *file).read();
}

Result<Tensors> readSafetensors(const std::string &path, const std::shared_ptr<const MappedFile> &content) {
  Result<TensorsAndMetadata> read = SafetensorsReader(path, content).read();
  return read ? Result<Tensors>(std::move(read->tensors)) : read.diagnostics();
}

Result<void> writeSafetensors(const std::string &path, const Tensors &tensors, const Metadata &metadata) {
  std::vector<Tensors::const_iterator> order;
  for (auto entry = tensors.begin(); entry != tensors.end(); ++entry)
    order.push_back(entry);
  // The greatest elements first: the file has no gaps, and yet each tensor is aligned.
  std::sort(order.begin(), order.end(), [](auto a, auto b) {
    size_t left = sizeOf(a->second.dtype()), right = sizeOf(b->second.dtype());
    return left != right ? left > right : a->first < b->first;
  });
  std::string header;
  try {
    header = makeHeader(order, metadata);
  } catch (const json::type_error &) {
    return errorAt(path, "the name of a tensor is not UTF-8");
  }
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(header))};
  for (auto entry : order)
    pieces.emplace_back(static_cast<const std::byte *>(entry->second.data()), entry->second.bytes());
  return writeFilePieces(path, pieces);
}

} // namespace proa::params
