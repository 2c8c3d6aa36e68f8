#include "lib/runtime/kernels/Attributes.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::runtime {

using nlohmann::json;

const json *Attributes::find(const char *name) const {
  auto entry = request.attributes.find(name);
  return entry == request.attributes.end() || entry->is_null() ? nullptr : &*entry;
}

void Attributes::wrong(const char *name, const char *expected, const json &found) {
  list.add("", fmt::format("attribute '{}' is {}; expected {}", name, found.dump(), expected));
}

bool Attributes::boolean(const char *name, bool otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  if (found->is_boolean())
    return found->get<bool>();
  if (found->is_number_integer())
    return found->get<int64_t>() != 0;
  wrong(name, "a boolean", *found);
  return otherwise;
}

int64_t Attributes::integer(const char *name, int64_t otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  if (found->is_number_integer())
    return found->get<int64_t>();
  if (found->is_boolean())
    return found->get<bool>() ? 1 : 0;
  wrong(name, "an integer", *found);
  return otherwise;
}

double Attributes::real(const char *name, double otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  if (found->is_number())
    return found->get<double>();
  wrong(name, "a number", *found);
  return otherwise;
}

std::string Attributes::text(const char *name, const std::string &otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  if (found->is_string())
    return found->get<std::string>();
  wrong(name, "a string", *found);
  return otherwise;
}

std::vector<int64_t> Attributes::integers(const char *name, std::vector<int64_t> otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  bool good = found->is_array() && std::all_of(found->begin(), found->end(), [](const json &element) {
                return element.is_number_integer();
              });
  if (good)
    return found->get<std::vector<int64_t>>();
  if (found->is_number_integer())
    return {found->get<int64_t>()};
  wrong(name, "integers", *found);
  return otherwise;
}

std::vector<double> Attributes::reals(const char *name, std::vector<double> otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  bool good = found->is_array() && std::all_of(found->begin(), found->end(),
                                               [](const json &element) { return element.is_number(); });
  if (good)
    return found->get<std::vector<double>>();
  if (found->is_number())
    return {found->get<double>()};
  wrong(name, "numbers", *found);
  return otherwise;
}

DType Attributes::dtype(const char *name, DType otherwise) {
  const json *found = find(name);
  if (!found)
    return otherwise;
  if (found->is_string())
    if (std::optional<DType> known = dtypeFromName(found->get<std::string>()))
      return *known;
  wrong(name, "the name of a dtype", *found);
  return otherwise;
}

std::string Attributes::choice(const char *name, std::initializer_list<const char *> allowed) {
  std::string value = text(name, *allowed.begin());
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end())
    return value;
  list.add("",
           fmt::format("attribute '{}' is '{}'; expected one of {}", name, value, fmt::join(allowed, ", ")));
  return *allowed.begin();
}

void Attributes::expectOperands(size_t inputs, size_t outputs) {
  auto check = [&](std::span<const OperandType> operands, size_t wanted, const char *what) {
    for (size_t i = 0; i < wanted; ++i)
      if (i >= operands.size() || !operands[i].present)
        list.add("", fmt::format("{} {} is missing", what, i));
  };
  check(request.inputs, inputs, "input");
  check(request.outputs, outputs, "output");
}

void Attributes::expectDType(size_t input, std::initializer_list<DType> allowed) {
  if (input >= request.inputs.size() || !request.inputs[input].present)
    return;
  DType found = request.inputs[input].dtype;
  if (std::find(allowed.begin(), allowed.end(), found) != allowed.end())
    return;
  std::string names;
  for (DType dtype : allowed)
    names += (names.empty() ? "" : ", ") + std::string(nameOf(dtype));
  list.add("", fmt::format("input {} is {}; expected one of {}", input, nameOf(found), names));
}

Result<size_t> normalizeAxis(int64_t axis, size_t rank) {
  auto signedRank = static_cast<int64_t>(rank);
  if (axis < -signedRank || axis >= signedRank)
    return failure("axis {} is outside of [{}, {})", axis, -signedRank, signedRank);
  return static_cast<size_t>(axis < 0 ? axis + signedRank : axis);
}

Result<std::vector<int64_t>> integersOf(const View &view) {
  std::vector<int64_t> out(static_cast<size_t>(view.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    if (view.dtype == DType::Int64)
      out[i] = view.as<int64_t>()[i];
    else if (view.dtype == DType::Int32)
      out[i] = view.as<int32_t>()[i];
    else
      return failure("expected a tensor of int32 or int64, found {}", nameOf(view.dtype));
  }
  return out;
}

} // namespace proa::runtime
