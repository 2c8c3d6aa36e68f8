#include "lib/checkpoint/StateDict.h"

#include "lib/base/support/SharedTensor.h"
#include "lib/base/tensors/Elements.h"
#include "lib/checkpoint/Pickle.h"
#include "lib/checkpoint/Zip.h"
#include "translator/params/MappedTensor.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace proa::checkpoints {
namespace {

using Kind = PickleValue::Kind;
using Owner = std::shared_ptr<const MappedFile>;
using Members = std::map<std::string, std::span<const std::byte>>;

struct NamedStorage {
  std::string_view name;
  DType dtype;
};

/// The storages of torch, and the type codes of NumPy.
constexpr NamedStorage torchStorages[] = {{"torch.FloatStorage", DType::Float32},
                                          {"torch.DoubleStorage", DType::Float64},
                                          {"torch.HalfStorage", DType::Float16},
                                          {"torch.BFloat16Storage", DType::BFloat16},
                                          {"torch.LongStorage", DType::Int64},
                                          {"torch.IntStorage", DType::Int32},
                                          {"torch.ShortStorage", DType::Int16},
                                          {"torch.CharStorage", DType::Int8},
                                          {"torch.ByteStorage", DType::UInt8},
                                          {"torch.BoolStorage", DType::Bool},
                                          {"torch.ComplexFloatStorage", DType::Complex64},
                                          {"torch.ComplexDoubleStorage", DType::Complex128}};
constexpr NamedStorage numpyCodes[] = {
    {"f4", DType::Float32},   {"f8", DType::Float64},    {"f2", DType::Float16}, {"i8", DType::Int64},
    {"i4", DType::Int32},     {"i2", DType::Int16},      {"i1", DType::Int8},    {"u8", DType::UInt64},
    {"u4", DType::UInt32},    {"u2", DType::UInt16},     {"u1", DType::UInt8},   {"b1", DType::Bool},
    {"c8", DType::Complex64}, {"c16", DType::Complex128}};

std::optional<DType> dtypeNamed(std::span<const NamedStorage> table, std::string_view name) {
  for (const NamedStorage &entry : table)
    if (entry.name == name)
      return entry.dtype;
  return std::nullopt;
}

/// Collects the tensors of a value.
class TensorCollector {
public:
  /// `members` are the members of a zip file of torch; null for a pickle of Paddle.
  TensorCollector(Owner owner, const Members *members, std::string prefix, const std::string &where)
      : owner(std::move(owner)), members(members), prefix(std::move(prefix)), where(where) {}

  void add(const std::string &name, const PickleValue &value, int depth = 0) {
    constexpr int deepest = 16;
    if (depth > deepest)
      return wrong(name, "dicts are nested more deeply than expected");
    if (++valueCount > mostValues) {
      if (valueCount == mostValues + 1)
        wrong(name, fmt::format("there are more than {} values", mostValues));
      return;
    }
    if (value.is(Kind::Dict))
      return addDict(name, value, depth);
    if (value.is(Kind::List) && !isNamedTensor(value)) {
      for (size_t i = 0; i < value.items.size() && valueCount <= mostValues; ++i)
        add(fmt::format("{}.{}", name, i), *value.items[i], depth + 1);
      return;
    }
    if (std::optional<Tensor> tensor = tensorOf(name, value))
      tensors.insert_or_assign(name, std::move(*tensor));
  }

  /// None after an error, and for values that are no tensors.
  std::optional<Tensor> tensorOf(const std::string &name, const PickleValue &value) {
    if (value.isCallOf("._rebuild_tensor_v2"))
      return torchTensor(name, value);
    if (value.isCallOf("._rebuild_parameter") && value.item(0))
      return tensorOf(name, *value.items[0]);
    if (value.isCallOf("._reconstruct"))
      return numpyArray(name, value);
    if (value.isCallOf("._frombuffer"))
      return numpyBuffer(name, value);
    if (value.isCallOf("multiarray.scalar") && value.item(1))
      return fromBytes(name, numpyType(value.items[0]), {}, value.items[1]->text);
    if (isNamedTensor(value))
      return tensorOf(name, *value.items[1]);
    if (value.isCallOf("builtins.tuple") && value.item(0) && isNamedTensor(*value.items[0]))
      return tensorOf(name, *value.items[0]->items[1]);
    return scalar(name, value);
  }

  params::Tensors tensors;
  Diagnostics diagnostics;

private:
  /// A pickle can name one dict any number of times.
  static constexpr int64_t mostValues = 100'000;
  int64_t valueCount = 0;

  void wrong(const std::string &name, const std::string &message) {
    diagnostics.add(where, "'" + name + "': " + message);
  }
  std::nullopt_t none(const std::string &name, const std::string &message) {
    wrong(name, message);
    return std::nullopt;
  }

  /// Paddle pickles a tensor as the pair of its name and an array.
  static bool isNamedTensor(const PickleValue &value) {
    return value.is(Kind::List) && value.items.size() == 2 && value.items[0]->is(Kind::Text) &&
           value.items[1]->is(Kind::Object);
  }

  void addDict(const std::string &name, const PickleValue &dict, int depth) {
    for (size_t i = 0; i + 1 < dict.items.size() && valueCount <= mostValues; i += 2) {
      const PickleValue &key = *dict.items[i];
      if (!key.is(Kind::Text) && !key.is(Kind::Integer)) {
        wrong(name, "has a key that is neither a text nor an integer");
        continue;
      }
      std::string text = key.is(Kind::Text) ? std::string(key.text) : std::to_string(key.integer);
      if (text != "StructuredToParameterName@@")
        add(name.empty() ? text : name + "." + text, *dict.items[i + 1], depth + 1);
    }
  }

  std::optional<Tensor> scalar(const std::string &name, const PickleValue &value) {
    if (value.is(Kind::Integer) || value.is(Kind::Bool)) {
      Tensor tensor(value.is(Kind::Bool) ? DType::Bool : DType::Int64, {});
      std::memcpy(tensor.data(), &value.integer, tensor.bytes());
      return tensor;
    }
    if (value.is(Kind::Float)) {
      Tensor tensor(DType::Float64, {});
      *tensor.as<double>() = value.real;
      return tensor;
    }
    if (value.is(Kind::None) || value.is(Kind::Text))
      return std::nullopt; // options of an optimizer
    return none(name, value.callable ? fmt::format("found an object of '{}', expected a tensor or a number",
                                                   value.callable->text)
                                     : "found no tensor and no number");
  }

  std::optional<DType> numpyType(const PickleValue *type) {
    if (!type || !type->isCallOf("numpy.dtype") || !type->item(0))
      return std::nullopt;
    std::vector<const PickleValue *> state =
        type->state ? type->state->items : std::vector<const PickleValue *>();
    bool isBigEndian = state.size() > 1 && state[1]->is(Kind::Text) && state[1]->text == ">";
    return isBigEndian ? std::nullopt : dtypeNamed(numpyCodes, type->items[0]->text);
  }

  /// _reconstruct(ndarray, ...) with the state (version, shape, dtype, is Fortran's order, bytes).
  std::optional<Tensor> numpyArray(const std::string &name, const PickleValue &value) {
    std::vector<int64_t> dims;
    const PickleValue *state = value.state;
    if (!state || state->items.size() != 5 || !state->items[1]->integers(dims) ||
        !state->items[4]->is(Kind::Bytes))
      return none(name, "found an array in another form, expected version, shape, dtype, order and bytes");
    std::optional<Tensor> tensor = fromBytes(name, numpyType(state->items[2]), dims, state->items[4]->text);
    return tensor && state->items[3]->integer ? rowMajor(*tensor) : tensor;
  }

  /// _frombuffer(bytes, dtype, shape, order).
  std::optional<Tensor> numpyBuffer(const std::string &name, const PickleValue &value) {
    std::vector<int64_t> dims;
    if (value.items.size() != 4 || !value.items[2]->integers(dims))
      return none(name, "found an array in another form, expected bytes, dtype, shape and order");
    std::optional<Tensor> tensor = fromBytes(name, numpyType(value.items[1]), dims, value.items[0]->text);
    return tensor && value.items[3]->text == "F" ? rowMajor(*tensor) : tensor;
  }

  std::optional<Tensor> fromBytes(const std::string &name, std::optional<DType> dtype,
                                  const std::vector<int64_t> &dims, std::string_view bytes) {
    if (!dtype)
      return none(name, "found an array of a type without a counterpart, expected little-endian numbers");
    if (params::byteCount(*dtype, dims) != bytes.size())
      return none(name, fmt::format("{} does not fit {} bytes", describe(*dtype, dims), bytes.size()));
    return shared(name, *dtype, dims, std::as_bytes(std::span(bytes)));
  }

  /// A tensor over bytes of the mapped file, or a copy of bytes that were decoded.
  std::optional<Tensor> shared(const std::string &name, DType dtype, const std::vector<int64_t> &dims,
                               std::span<const std::byte> bytes) {
    std::span<const std::byte> file = owner->bytes();
    bool isInFile = bytes.data() >= file.data() && bytes.data() + bytes.size() <= file.data() + file.size();
    std::shared_ptr<const void> keeper = owner;
    if (!isInFile) {
      auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
      bytes = *copy;
      keeper = std::move(copy);
    }
    Result<Tensor> tensor = sharedTensor(std::move(keeper), bytes, dtype, dims);
    if (!tensor)
      return none(name, tensor.diagnostics()[0].message);
    return std::move(*tensor);
  }

  /// The elements of a tensor in column-major order.
  static Tensor rowMajor(const Tensor &tensor) {
    Tensor result(tensor.dtype(), tensor.dims());
    std::vector<int64_t> strides(tensor.dims().size());
    for (size_t d = 0, stride = 1; d < strides.size(); ++d) {
      strides[d] = static_cast<int64_t>(stride);
      stride *= static_cast<size_t>(tensor.dims()[d]);
    }
    gather(tensor.as<std::byte>(), strides, result);
    return result;
  }

  /// Fills a tensor from elements with strides.
  static void gather(const std::byte *source, const std::vector<int64_t> &strides, Tensor &result) {
    size_t size = sizeOf(result.dtype());
    for (int64_t i = 0; i < result.size(); ++i) {
      int64_t rest = i, at = 0;
      for (size_t d = strides.size(); d-- > 0;) {
        at += rest % result.dims()[d] * strides[d];
        rest /= result.dims()[d];
      }
      std::memcpy(result.as<std::byte>() + static_cast<size_t>(i) * size,
                  source + static_cast<size_t>(at) * size, size);
    }
  }

  /// _rebuild_tensor_v2(storage, offset, shape, strides, ...).
  std::optional<Tensor> torchTensor(const std::string &name, const PickleValue &value) {
    std::vector<int64_t> dims, strides;
    if (value.items.size() < 4 || !value.items[0]->is(Kind::Persistent) ||
        !value.items[1]->is(Kind::Integer) || !value.items[2]->integers(dims) ||
        !value.items[3]->integers(strides) || dims.size() != strides.size())
      return none(name, "found a tensor in another form, expected storage, offset, shape and strides");
    const PickleValue &id = *value.items[0]->items[0];
    if (id.items.size() < 3 || !members)
      return none(name, "found a storage in another form, expected (\"storage\", type, key, ...)");
    std::optional<DType> dtype = dtypeNamed(torchStorages, id.items[1]->text);
    auto member = members->find(prefix + "data/" + std::string(id.items[2]->text));
    if (!dtype || member == members->end())
      return none(name, fmt::format("the storage '{}' of '{}' is missing or of an unknown type",
                                    id.items[2]->text, id.items[1]->text));
    return strided(name, *dtype, dims, strides, value.items[1]->integer, member->second);
  }

  std::optional<Tensor> strided(const std::string &name, DType dtype, const std::vector<int64_t> &dims,
                                const std::vector<int64_t> &strides, int64_t offset,
                                std::span<const std::byte> storage) {
    std::optional<size_t> bytes = params::byteCount(dtype, dims);
    int64_t available = static_cast<int64_t>(storage.size() / sizeOf(dtype)), dense = 1;
    int64_t last = offset; // the largest index of an element
    bool isDense = true, isValid = bytes.has_value() && offset >= 0 && offset <= available;
    for (size_t d = dims.size(); isValid && d-- > 0;) {
      isDense = isDense && (dims[d] == 1 || strides[d] == dense);
      dense *= dims[d];
      int64_t reach = 0;
      isValid = strides[d] >= 0 &&
                !__builtin_mul_overflow(strides[d], std::max<int64_t>(dims[d] - 1, 0), &reach) &&
                !__builtin_add_overflow(last, reach, &last);
    }
    if (!isValid || (*bytes > 0 && last >= available))
      return none(name, fmt::format("{} does not fit its storage of {} elements",
                                    dims.empty() ? "a scalar" : describe(dtype, dims), available));
    size_t begin = static_cast<size_t>(offset) * sizeOf(dtype);
    if (isDense || *bytes == 0)
      return shared(name, dtype, dims, storage.subspan(*bytes == 0 ? 0 : begin, *bytes));
    Tensor result(dtype, dims);
    gather(storage.data() + begin, strides, result);
    return result;
  }

  Owner owner;
  const Members *members;
  std::string prefix; ///< folder of the zip file, with its slash
  const std::string &where;
};

/// The member that has the pickle: "NAME/data.pkl".
std::optional<std::string> folderOf(const Members &members) {
  constexpr std::string_view pickle = "data.pkl";
  for (const auto &[name, bytes] : members)
    if (name.ends_with(pickle) &&
        (name.size() == pickle.size() || name[name.size() - pickle.size() - 1] == '/'))
      return name.substr(0, name.size() - pickle.size());
  return std::nullopt;
}

/// Gives `use` the root of the pickle in a zip file of torch.
template <class T, class Use>
Result<T> withTorchPickle(const Owner &owner, std::span<const std::byte> content, const std::string &where,
                          Use use) {
  auto members = readZip(content, where);
  if (!members)
    return members.diagnostics();
  std::optional<std::string> folder = folderOf(*members);
  if (!folder)
    return errorAt(where, "the zip file has no member data.pkl, expected one of torch.save");
  Result<Pickle> pickle = Pickle::read(members->at(*folder + "data.pkl"), where);
  if (!pickle)
    return pickle.diagnostics();
  TensorCollector collector(owner, &*members, *folder, where);
  return use(collector, pickle->root());
}

Result<params::Tensors> tensorsOf(TensorCollector &collector, const PickleValue &root,
                                  const std::string &where) {
  if (!root.is(Kind::Dict))
    return errorAt(where, "found no dict, expected a state dict");
  collector.add("", root);
  if (!collector.diagnostics.empty())
    return collector.diagnostics;
  return std::move(collector.tensors);
}

} // namespace

Result<params::Tensors> readPaddleStateDict(const std::string &path) {
  Result<PickleFile> opened = PickleFile::open(path);
  if (!opened)
    return opened.diagnostics();
  TensorCollector collector(opened->file, nullptr, "", path);
  return tensorsOf(collector, opened->pickle.root(), path);
}

Result<params::Tensors> readTorchStateDict(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  return withTorchPickle<params::Tensors>(
      *file, (*file)->bytes(), path,
      [&](TensorCollector &collector, const PickleValue &root) { return tensorsOf(collector, root, path); });
}

Result<params::Tensors> readTorchBytes(const std::shared_ptr<const MappedFile> &owner,
                                       std::span<const std::byte> content, const std::string &name,
                                       const std::string &where) {
  return withTorchPickle<params::Tensors>(
      owner, content, where,
      [&](TensorCollector &collector, const PickleValue &root) -> Result<params::Tensors> {
        collector.add(name, root);
        return collector.diagnostics.empty() ? Result<params::Tensors>(std::move(collector.tensors))
                                             : collector.diagnostics;
      });
}

} // namespace proa::checkpoints
