#include "translator/params/Npy.h"

#include "translator/params/MappedTensor.h"
#include "translator/params/NamedDType.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

namespace proa::params {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  bool fortranOrder = false;
  /// Offset of the elements in the file.
  size_t data = 0;
};

// Kind and size in bytes, as NumPy spells them.
constexpr std::array<NamedDType, 14> npyDTypes{{{"b1", DType::Bool},
                                                {"i1", DType::Int8},
                                                {"i2", DType::Int16},
                                                {"i4", DType::Int32},
                                                {"i8", DType::Int64},
                                                {"u1", DType::UInt8},
                                                {"u2", DType::UInt16},
                                                {"u4", DType::UInt32},
                                                {"u8", DType::UInt64},
                                                {"f2", DType::Float16},
                                                {"f4", DType::Float32},
                                                {"f8", DType::Float64},
                                                {"c8", DType::Complex64},
                                                {"c16", DType::Complex128}}};

/// The header is a Python dict of three entries: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
public:
  HeaderParser(std::string_view text, Header &header) : text(text), header(header) {}

  /// Empty, or what is wrong.
  std::string parse() {
    std::string_view descr = quoted(after("'descr':")), order = after("'fortran_order':"),
                     shape = after("'shape':");
    if (!order.starts_with("True") && !order.starts_with("False"))
      return "the header has no 'fortran_order': True or False";
    header.fortranOrder = order.starts_with("True");
    if (!readShape(shape))
      return "the header has no 'shape': a tuple of sizes";
    return readDType(descr);
  }

private:
  std::string_view after(std::string_view key) const {
    size_t at = text.find(key);
    if (at == std::string_view::npos)
      return {};
    size_t value = text.find_first_not_of(' ', at + key.size());
    return value == std::string_view::npos ? std::string_view() : text.substr(value);
  }

  static std::string_view quoted(std::string_view value) {
    size_t end = value.starts_with('\'') ? value.find('\'', 1) : std::string_view::npos;
    return end == std::string_view::npos ? std::string_view() : value.substr(1, end - 1);
  }

  bool readShape(std::string_view value) {
    size_t close = value.find(')');
    if (!value.starts_with('(') || close == std::string_view::npos)
      return false;
    const char *at = value.data() + 1, *end = value.data() + close;
    while (true) {
      while (at != end && (*at == ' ' || *at == ','))
        ++at;
      if (at == end)
        return true;
      int64_t size = 0;
      auto [next, error] = std::from_chars(at, end, size);
      if (error != std::errc() || size < 0)
        return false;
      header.dims.push_back(size);
      at = next;
    }
  }

  std::string readDType(std::string_view descr) {
    if (descr.starts_with('>'))
      return fmt::format("found big-endian numbers ('{}'), expected little-endian ones", descr);
    if (descr.starts_with('<') || descr.starts_with('|') || descr.starts_with('='))
      for (const NamedDType &entry : npyDTypes)
        if (descr.substr(1) == entry.name) {
          header.dtype = entry.dtype;
          return "";
        }
    return fmt::format("found elements of type '{}', expected bools, integers, floats or complex numbers",
                       descr);
  }

  std::string_view text;
  Header &header;
};

/// Empty, or what is wrong.
std::string parseHeader(std::string_view file, Header &header) {
  constexpr size_t versionBytes = 2;
  size_t lengthAt = magic.size() + versionBytes;
  if (!file.starts_with(magic) || file.size() < lengthAt + 2)
    return "this is not a .npy file";
  unsigned major = static_cast<unsigned char>(file[magic.size()]);
  if (major < 1 || major > 3)
    return fmt::format("found format version {}, expected 1, 2 or 3", major);
  size_t lengthBytes = major == 1 ? 2 : 4;
  uint32_t length = 0;
  if (file.size() < lengthAt + lengthBytes)
    return "the file ends in its header";
  std::memcpy(&length, file.data() + lengthAt, lengthBytes);
  header.data = lengthAt + lengthBytes + length;
  if (header.data > file.size())
    return "the file ends in its header";
  return HeaderParser(file.substr(lengthAt + lengthBytes, length), header).parse();
}

/// The tensor in C order of one whose elements lie in Fortran order, the first index running fastest.
Tensor fromFortranOrder(const Tensor &tensor) {
  Tensor out(tensor.dtype(), tensor.dims());
  size_t elementBytes = sizeOf(tensor.dtype());
  size_t rank = tensor.dims().size();
  std::vector<int64_t> index(rank, 0), strides(rank, 1);
  for (size_t i = 1; i < rank; ++i)
    strides[i] = strides[i - 1] * tensor.dims()[i - 1];
  int64_t from = 0;
  for (int64_t element = 0; element < tensor.size(); ++element) {
    std::memcpy(out.as<std::byte>() + static_cast<size_t>(element) * elementBytes,
                tensor.as<std::byte>() + static_cast<size_t>(from) * elementBytes, elementBytes);
    for (size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < tensor.dims()[axis])
        break;
      from -= strides[axis] * tensor.dims()[axis];
      index[axis] = 0;
    }
  }
  return out;
}

} // namespace

Result<Tensor> readNpy(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  std::span<const std::byte> bytes = (*file)->bytes();
  Header header;
  if (std::string wrong = parseHeader({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, header);
      !wrong.empty())
    return errorAt(path, wrong);
  std::optional<size_t> needed = byteCount(header.dtype, header.dims);
  if (size_t found = bytes.size() - header.data; !needed || *needed != found)
    return errorAt(path, fmt::format("{} does not fit the {} bytes of elements",
                                     describe(header.dtype, header.dims), found));
  Result<Tensor> tensor = mappedTensor(*file, header.data, header.dtype, std::move(header.dims));
  if (!tensor)
    return errorAt(path, tensor.diagnostics()[0].message);
  if (header.fortranOrder && tensor->dims().size() > 1)
    return fromFortranOrder(*tensor);
  return tensor;
}

} // namespace proa::params
