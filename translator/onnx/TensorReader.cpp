#include "translator/onnx/TensorReader.h"

#include "lib/base/support/SharedTensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace proa::onnx {
namespace {

constexpr int32_t externalLocation = 1;

/// The names of the set fields with elements.
std::vector<std::string> elementFields(const proto::Tensor &from) {
  std::vector<std::string> names;
  auto add = [&](bool isSet, const char *name) {
    if (isSet)
      names.emplace_back(name);
  };
  add(!from.float_data().empty(), "float_data");
  add(!from.int32_data().empty(), "int32_data");
  add(!from.string_data().empty(), "string_data");
  add(!from.int64_data().empty(), "int64_data");
  add(!from.raw_data().empty(), "raw_data");
  add(!from.double_data().empty(), "double_data");
  add(!from.uint64_data().empty(), "uint64_data");
  return names;
}

std::string joinedNames(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The field for elements of the type that are not raw.
std::string_view fieldOf(DataType type) {
  switch (type) {
  case DataType::Float:
  case DataType::Complex64:
    return "float_data";
  case DataType::Double:
  case DataType::Complex128:
    return "double_data";
  case DataType::Int64:
    return "int64_data";
  case DataType::UInt32:
  case DataType::UInt64:
    return "uint64_data";
  case DataType::String:
    return "string_data";
  default:
    return "int32_data";
  }
}

bool isPacked(DataType type) { return bitsOf(type) < 8; }

/// Spreads elements of less than 8 bits over bytes.
Tensor unpacked(DataType type, std::vector<int64_t> dims, std::span<const std::byte> bytes) {
  Tensor out(*storageOf(type), std::move(dims));
  unsigned bits = static_cast<unsigned>(bitsOf(type)), mask = (1u << bits) - 1, sign = 1u << (bits - 1);
  for (int64_t i = 0; i < out.size(); ++i) {
    size_t bit = static_cast<size_t>(i) * bits, at = bit / 8;
    unsigned word = static_cast<unsigned>(bytes[at]);
    if (at + 1 < bytes.size())
      word |= static_cast<unsigned>(bytes[at + 1]) << 8;
    unsigned element = (word >> (bit % 8)) & mask;
    if (isSigned(type))
      element = (element ^ sign) - sign;
    out.as<uint8_t>()[i] = static_cast<uint8_t>(element);
  }
  return out;
}

/// The value of the external_data entry; the last one if there are several.
std::optional<std::string_view> externalEntry(const proto::Tensor &from, std::string_view key) {
  std::optional<std::string_view> value;
  for (const proto::Entry &entry : from.external_data())
    if (entry.key() == key)
      value = entry.value();
  return value;
}

} // namespace

std::optional<size_t> rawBytes(DataType type, int64_t count) {
  size_t bits = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(count), static_cast<size_t>(bitsOf(type)), &bits))
    return std::nullopt;
  return bits / 8 + (bits % 8 != 0);
}

std::string packed(DataType type, const Tensor &elements) {
  unsigned bits = static_cast<unsigned>(bitsOf(type)), mask = (1u << bits) - 1;
  std::string out(*rawBytes(type, elements.size()) + 1, '\0'); // one more for the carry of the last element
  for (int64_t i = 0; i < elements.size(); ++i) {
    size_t bit = static_cast<size_t>(i) * bits, at = bit / 8;
    unsigned word = (elements.as<uint8_t>()[i] & mask) << (bit % 8);
    out[at] = static_cast<char>(static_cast<uint8_t>(out[at]) | (word & 0xff));
    out[at + 1] = static_cast<char>(static_cast<uint8_t>(out[at + 1]) | (word >> 8));
  }
  out.pop_back();
  return out;
}

TensorValue TensorReader::read(const Location &at, proto::Tensor &from) {
  TensorValue out;
  out.name = std::move(*from.mutable_name());
  out.docString = std::move(*from.mutable_doc_string());
  for (proto::Entry &entry : *from.mutable_metadata_props())
    out.metadata.emplace_back(std::move(*entry.mutable_key()), std::move(*entry.mutable_value()));
  out.unknownFields = from.unknown_fields();
  out.dims.assign(from.dims().begin(), from.dims().end());
  Location here{&at, "tensor", out.name};
  if (!isDataType(from.data_type())) {
    fail(here, fmt::format("found data_type {}, expected 1 to {}", from.data_type(),
                           static_cast<int32_t>(DataType::Float6E3M2)));
    return out;
  }
  out.type = static_cast<DataType>(from.data_type());
  std::optional<int64_t> count = elementCount(out.dims);
  // In memory, elements have one byte at least.
  if (!count || !rawBytes(out.type, *count) || *count > INT64_MAX / 16)
    fail(here, fmt::format("found dims [{}], expected sizes whose product fits in memory",
                           fmt::join(out.dims, ", ")));
  else
    readElements(here, from, out);
  return out;
}

void TensorReader::readElements(const Location &at, proto::Tensor &from, TensorValue &out) {
  std::vector<std::string> fields = elementFields(from);
  int64_t count = *elementCount(out.dims);
  if (from.data_location() == externalLocation) {
    if (!fields.empty())
      return fail(at, fmt::format("its data is in another file, but {} is set too", joinedNames(fields)));
    return readExternal(at, from, out);
  }
  if (from.data_location() != 0)
    return fail(at, fmt::format("found data_location {}, expected 0 or 1", from.data_location()));
  if (fields.size() > 1)
    return fail(at, fmt::format("{} are set, expected one field with elements", joinedNames(fields)));
  if (count == 0) {
    if (!fields.empty())
      return fail(at, fmt::format("the dims have no elements, but {} is set", fields[0]));
    if (std::optional<DType> storage = storageOf(out.type))
      out.elements = Tensor(*storage, out.dims);
    return;
  }
  if (fields.empty())
    return fail(at, fmt::format("{} elements are missing: no field with elements is set", count));
  if (fields[0] == "raw_data")
    return readRaw(at, *from.mutable_raw_data(), out);
  if (fields[0] != fieldOf(out.type))
    return fail(at, fmt::format("elements of type {} are in {}, expected {} or raw_data", nameOf(out.type),
                                fields[0], fieldOf(out.type)));
  readTyped(at, from, out);
}

void TensorReader::readRaw(const Location &at, std::string &bytes, TensorValue &out) {
  if (out.type == DataType::String)
    return fail(at, "strings are in raw_data, expected string_data");
  auto owner = std::make_shared<std::string>(std::move(bytes));
  useBytes(at, owner, std::as_bytes(std::span(*owner)), out);
}

void TensorReader::useBytes(const Location &at, std::shared_ptr<const void> owner,
                            std::span<const std::byte> bytes, TensorValue &out) {
  int64_t count = *elementCount(out.dims);
  size_t needed = *rawBytes(out.type, count);
  if (bytes.size() != needed)
    return fail(at, fmt::format("found {} bytes of elements, expected {} for {} of type {}", bytes.size(),
                                needed, count, nameOf(out.type)));
  if (isPacked(out.type)) {
    out.elements = unpacked(out.type, out.dims, bytes);
    return;
  }
  auto elements = sharedTensor(std::move(owner), bytes, *storageOf(out.type), out.dims);
  if (!elements)
    return fail(at, elements.diagnostics()[0].message);
  out.elements = std::move(*elements);
}

void TensorReader::readTyped(const Location &at, proto::Tensor &from, TensorValue &out) {
  switch (out.type) {
  case DataType::Float:
  case DataType::Complex64:
    return readNumbers(at, "float_data", from.float_data(), out);
  case DataType::Double:
  case DataType::Complex128:
    return readNumbers(at, "double_data", from.double_data(), out);
  case DataType::Int64:
    return readNumbers(at, "int64_data", from.int64_data(), out);
  case DataType::UInt64:
    return readNumbers(at, "uint64_data", from.uint64_data(), out);
  case DataType::Int32:
    return readNumbers(at, "int32_data", from.int32_data(), out);
  case DataType::UInt32: {
    std::vector<uint32_t> narrowed;
    for (uint64_t index : from.uint64_data()) {
      if (index > UINT32_MAX)
        return fail(at, fmt::format("element {} is {}, expected a uint32", narrowed.size(), index));
      narrowed.push_back(static_cast<uint32_t>(index));
    }
    return readNumbers(at, "uint64_data", narrowed, out);
  }
  case DataType::String: {
    int64_t count = *elementCount(out.dims);
    if (from.string_data_size() != count)
      return fail(at, fmt::format("found {} strings, expected {}", from.string_data_size(), count));
    for (std::string &text : *from.mutable_string_data())
      out.strings.push_back(std::move(text));
    return;
  }
  default:
    return readNarrowed(at, {from.int32_data().data(), static_cast<size_t>(from.int32_data_size())}, out);
  }
}

/// The elements of a field, in memory as in the list.
template <class List>
void TensorReader::readNumbers(const Location &at, const char *field, const List &list, TensorValue &out) {
  constexpr size_t size = sizeof(typename List::value_type);
  size_t bytes = *rawBytes(out.type, *elementCount(out.dims)), found = static_cast<size_t>(list.size());
  if (found != bytes / size)
    return fail(at, fmt::format("found {} numbers in {}, expected {}", found, field, bytes / size));
  out.elements = Tensor(*storageOf(out.type), out.dims);
  std::memcpy(out.elements.data(), list.data(), bytes);
}

/// int32_data of types with up to 16 bits. An entry is an element, or a byte with elements of 2 or 4 bits.
void TensorReader::readNarrowed(const Location &at, std::span<const int32_t> values, TensorValue &out) {
  int bits = bitsOf(out.type);
  bool isByte = bits == 2 || bits == 4, isWide = bits == 16, hasSign = !isByte && isSigned(out.type);
  auto count = static_cast<size_t>(*elementCount(out.dims));
  size_t needed = isByte ? *rawBytes(out.type, static_cast<int64_t>(count)) : count;
  if (values.size() != needed)
    return fail(at, fmt::format("found {} numbers in int32_data, expected {}", values.size(), needed));
  int range = out.type == DataType::Bool ? 2 : isByte ? 256 : 1 << bits;
  int low = hasSign ? -range / 2 : 0;
  auto owner = std::make_shared<std::string>();
  owner->reserve(values.size() * (isWide ? 2 : 1));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < low || values[i] >= low + range)
      return fail(at, fmt::format("number {} in int32_data is {}, expected {} to {} for {}", i, values[i],
                                  low, low + range - 1, nameOf(out.type)));
    owner->push_back(static_cast<char>(values[i]));
    if (isWide)
      owner->push_back(static_cast<char>(values[i] >> 8));
  }
  // A number of 6 bits has an entry for itself, as in memory.
  if (bits == 6)
    out.elements = Tensor(*storageOf(out.type), out.dims, owner->data(), owner);
  else
    useBytes(at, owner, std::as_bytes(std::span(*owner)), out);
}

void TensorReader::readExternal(const Location &at, const proto::Tensor &from, TensorValue &out) {
  if (out.type == DataType::String)
    return fail(at, "strings are in another file, expected string_data");
  std::optional<std::string_view> location = externalEntry(from, "location");
  if (!location)
    return fail(at, "its data is in another file, but external_data has no location");
  auto file = files.open(std::string(*location));
  if (!file)
    return fail(at, file.diagnostics()[0].message);
  size_t needed = *rawBytes(out.type, *elementCount(out.dims));
  if (auto range = rangeOf(at, **file, from, needed))
    useBytes(at, *file, *range, out);
}

std::optional<std::span<const std::byte>> TensorReader::rangeOf(const Location &at, const MappedFile &file,
                                                                const proto::Tensor &from, size_t needed) {
  bool isNumber = true;
  auto sizeOr = [&](const char *key, size_t otherwise) {
    std::optional<std::string_view> text = externalEntry(from, key);
    if (!text)
      return otherwise;
    size_t value = 0;
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) {
      fail(at, fmt::format("external_data has {} '{}', expected a number of bytes", key, *text));
      isNumber = false;
    }
    return value;
  };
  size_t offset = sizeOr("offset", 0), length = sizeOr("length", needed), size = file.bytes().size();
  if (!isNumber)
    return std::nullopt;
  if (offset > size || length > size - offset) {
    fail(at,
         fmt::format("its {} bytes at {} end after the external file, which has {}", length, offset, size));
    return std::nullopt;
  }
  return file.bytes().subspan(offset, length);
}

} // namespace proa::onnx
