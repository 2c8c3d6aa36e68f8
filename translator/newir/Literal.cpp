#include "translator/newir/Model.h"

namespace proa::newir {

const Literal &scalarOf(const Literal &literal) {
  const auto *list = std::get_if<std::vector<Literal>>(&literal.value);
  return list && literal.kind == "1.a_scalar" && list->size() == 2 ? (*list)[1] : literal;
}

std::optional<double> numberOf(const Literal &literal) {
  if (const auto *flag = std::get_if<bool>(&literal.value))
    return *flag;
  if (const auto *integer = std::get_if<int64_t>(&literal.value))
    return static_cast<double>(*integer);
  if (const auto *real = std::get_if<double>(&literal.value))
    return *real;
  const Literal &scalar = scalarOf(literal);
  return &scalar == &literal ? std::nullopt : numberOf(scalar);
}

std::vector<int64_t> integersOf(const Literal &literal) {
  std::vector<int64_t> out;
  if (const auto *list = std::get_if<std::vector<Literal>>(&literal.value))
    for (const Literal &element : *list)
      out.push_back(static_cast<int64_t>(numberOf(element).value_or(0)));
  else if (auto value = numberOf(literal))
    out.push_back(static_cast<int64_t>(*value));
  return out;
}

} // namespace proa::newir
