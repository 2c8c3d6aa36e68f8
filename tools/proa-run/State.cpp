#include "tools/proa-run/State.h"

#include "lib/base/support/Suggest.h"
#include "lib/base/tensors/Elements.h"
#include "lib/base/tensors/RandomTensor.h"
#include "translator/params/Npy.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>

namespace proa::tools {
namespace {

using params::Tensors;

/// The run of an entry: "step12/lr" is run 12, other names are run 0.
std::pair<int, std::string> runOf(const std::string &entry) {
  int run = 0;
  constexpr std::string_view word = "step";
  if (!entry.starts_with(word))
    return {0, entry};
  const char *end = entry.data() + entry.size();
  auto [next, error] = std::from_chars(entry.data() + word.size(), end, run);
  if (error != std::errc() || next == end || *next != '/' || run < 0)
    return {0, entry};
  return {run, std::string(next + 1, end)};
}

std::optional<double> numberOf(const std::string &text) {
  if (text == "true" || text == "false")
    return text == "true" ? 1 : 0;
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  bool isNumber = !text.empty() && *end == '\0' && !std::isspace(static_cast<unsigned char>(text.front()));
  return isNumber ? std::optional(value) : std::nullopt;
}

/// A tensor filled with the number; nothing if the type cannot hold it (0.5 as an integer).
std::optional<Tensor> filled(DType dtype, const std::vector<int64_t> &dims, double value) {
  Tensor tensor(dtype, dims);
  bool fits = true;
  visitElements(tensor, [&](auto *elements) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
    T element{};
    if constexpr (std::is_integral_v<T>) {
      fits = value >= static_cast<double>(std::numeric_limits<T>::min()) &&
             value < std::ldexp(1.0, std::numeric_limits<T>::digits);
      element = fits ? static_cast<T>(value) : T();
      fits = fits && static_cast<double>(element) == value;
    } else if constexpr (std::is_same_v<T, Boolean>) {
      fits = value == 0 || value == 1;
      element = T{static_cast<uint8_t>(value != 0)};
    } else if constexpr (std::is_same_v<T, Float8E4M3FN> || std::is_same_v<T, Float8E5M2>) {
      fits = false;
    } else if constexpr (isComplex<T>) {
      element = T(static_cast<typename T::value_type>(value));
    } else {
      element =
          static_cast<T>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value));
    }
    std::fill_n(tensor.as<T>(), tensor.size(), element);
  });
  return fits ? std::optional(tensor) : std::nullopt;
}

/// A tensor filled with the only element of `tensor`.
Tensor repeated(const Tensor &tensor, const std::vector<int64_t> &dims) {
  Tensor result(tensor.dtype(), dims);
  size_t size = sizeOf(tensor.dtype());
  for (int64_t i = 0; i < result.size(); ++i)
    std::memcpy(static_cast<std::byte *>(result.data()) + static_cast<size_t>(i) * size, tensor.data(), size);
  return result;
}

class Reader {
public:
  Reader(const std::vector<TensorInfo> &parameters, std::map<int, Tensors> &byRun)
      : parameters(parameters), byRun(byRun) {
    for (const TensorInfo &info : parameters)
      names.push_back(info.name);
  }

  void read(const std::string &text) {
    size_t equals = text.find('=');
    if (equals == std::string::npos) {
      if (text.ends_with(".safetensors"))
        return readSafetensors(text, "");
      diagnostics.add("--set", "found '" + text + "', expected NAME=VALUE, NAME=FILE or FILE.safetensors");
      return;
    }
    std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    const TensorInfo *info = find(name, "--set");
    if (!info)
      return;
    if (value.ends_with(".npy"))
      readNpy(*info, value);
    else if (value.ends_with(".safetensors"))
      readSafetensors(value, name);
    else
      readNumber(*info, value);
  }

  Diagnostics diagnostics;

private:
  const TensorInfo *find(const std::string &name, const std::string &where) {
    auto found = std::ranges::find(parameters, name, &TensorInfo::name);
    if (found != parameters.end())
      return &*found;
    diagnostics.add(where, "the program has no parameter or state variable '" + name + "'" +
                               didYouMean(name, names));
    return nullptr;
  }

  void add(const TensorInfo &info, const std::string &where, int run, Tensor tensor) {
    bool isOpen = std::ranges::find(info.dims, -1) != info.dims.end();
    bool isRepeated =
        tensor.dtype() == info.dtype && tensor.size() == 1 && tensor.dims() != info.dims && !isOpen;
    if (isRepeated)
      tensor = repeated(tensor, info.dims);
    if (tensor.dtype() == info.dtype && (isOpen || tensor.dims() == info.dims))
      byRun[run].insert_or_assign(info.name, tensor);
    else
      diagnostics.add(where, "'" + info.name + "' is set to " + tensor.describe() + ", expected " +
                                 describe(info.dtype, info.dims) + " or one element of that type");
  }

  void readNumber(const TensorInfo &info, const std::string &text) {
    std::optional<double> value = numberOf(text);
    if (!value)
      return diagnostics.add("--set", "found '" + info.name + "=" + text +
                                          "', expected a number, FILE.npy or FILE.safetensors as the value");
    if (!elementCount(info.dims))
      return diagnostics.add("--set", "the dims of '" + info.name + "' are not known: " +
                                          describe(info.dtype, info.dims) + "; give a file");
    std::optional<Tensor> tensor = filled(info.dtype, info.dims, *value);
    if (!tensor)
      return diagnostics.add("--set", "'" + info.name + "' is " + describe(info.dtype, info.dims) +
                                          ", which cannot hold " + text);
    byRun[0].insert_or_assign(info.name, *tensor);
  }

  void readNpy(const TensorInfo &info, const std::string &file) {
    Result<Tensor> tensor = params::readNpy(file);
    if (tensor)
      add(info, file, 0, *tensor);
    else
      diagnostics.append(tensor.diagnostics());
  }

  /// With a name, only the entries of that variable.
  void readSafetensors(const std::string &file, const std::string &only) {
    Result<Tensors> tensors = params::readSafetensors(file);
    if (!tensors)
      return diagnostics.append(tensors.diagnostics());
    bool isFound = only.empty();
    for (const auto &[entry, tensor] : *tensors) {
      auto [run, name] = runOf(entry);
      if (!only.empty() && name != only)
        continue;
      isFound = true;
      if (const TensorInfo *info = find(name, file))
        add(*info, file, run, tensor);
    }
    if (!isFound)
      diagnostics.add(file, "has no entry '" + only + "' or 'step0/" + only + "'");
  }

  const std::vector<TensorInfo> &parameters;
  std::map<int, Tensors> &byRun;
  std::vector<std::string> names;
};

} // namespace

Result<StateValues> StateValues::read(const std::vector<TensorInfo> &parameters,
                                      const std::vector<std::string> &texts) {
  StateValues values;
  Reader reader(parameters, values.byRun);
  for (const std::string &text : texts)
    reader.read(text);
  if (!reader.diagnostics.empty())
    return reader.diagnostics;
  return values;
}

Result<void> StateValues::apply(Session &session, int run) const {
  auto values = byRun.find(run);
  if (values == byRun.end())
    return {};
  Diagnostics diagnostics;
  for (const auto &[name, tensor] : values->second)
    diagnostics.append(session.setParameter(name, tensor).diagnostics());
  return diagnostics;
}

bool isStateValue(const std::string &argument) {
  size_t equals = argument.find('=');
  return equals != std::string::npos && equals > 0 && argument.find('/') > equals;
}

bool lacksParameters(const Session &session) {
  return std::ranges::any_of(session.model().parameters(),
                             [&](const TensorInfo &info) { return !session.parameter(info.name); });
}

Result<void> setRandomParameters(Session &session, uint64_t seed, bool replaces) {
  Diagnostics diagnostics;
  for (const TensorInfo &info : session.model().parameters()) {
    if (!replaces && session.parameter(info.name))
      continue;
    if (!elementCount(info.dims))
      diagnostics.add(info.name, "has dynamic dims: " + describe(info.dtype, info.dims) +
                                     "; a random value needs them; give --params FILE or --set");
    else
      diagnostics.append(session.setParameter(info.name, randomWeight(info.name, info.dtype, info.dims, seed))
                             .diagnostics());
  }
  return diagnostics;
}

} // namespace proa::tools
