#include "lib/check/Mutate.h"

#include "translator/import/legacy/LegacyTable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <set>

namespace proa::check {
namespace {

class Mutator {
public:
  Mutator(Mutant &mutant, std::mt19937_64 &random) : mutant(mutant), random(random) {}

  void changeOnce() {
    switch (below(8)) {
    case 0:
    case 1:
      return changeDim();
    case 2:
      return setToOne();
    case 3:
      return changeElementType();
    default:
      return changeAttribute();
    }
  }

private:
  size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); }
  template <class List> auto pick(const List &list) {
    return *std::next(std::begin(list), below(std::size(list)));
  }

  void describe(const std::string &change) {
    mutant.description += (mutant.description.empty() ? "" : "; ") + change;
  }

  /// A tensor of other dims or dtype with elements of `old`: the same ones if the dims are equal, else random
  /// ones.
  Tensor resampled(const Tensor &old, DType dtype, const std::vector<int64_t> &dims) {
    Tensor replacement(dtype, dims);
    std::memset(replacement.data(), 0, replacement.bytes()); // the result if there is nothing to choose from
    size_t size = sizeOf(dtype);
    for (int64_t i = 0; i < replacement.size() && old.size() > 0; ++i) {
      int64_t from = dims == old.dims() ? i : static_cast<int64_t>(below(static_cast<size_t>(old.size())));
      auto *to = static_cast<std::byte *>(replacement.data()) + static_cast<size_t>(i) * size;
      if (dtype == DType::Float64 && old.dtype() == DType::Float32)
        *reinterpret_cast<double *>(to) = old.as<float>()[from];
      else if (dtype == DType::Int32 && old.dtype() == DType::Int64)
        *reinterpret_cast<int32_t *>(to) = static_cast<int32_t>(old.as<int64_t>()[from]);
      else
        std::memcpy(to, static_cast<const std::byte *>(old.data()) + static_cast<size_t>(from) * size, size);
    }
    return replacement;
  }

  void replace(const std::string &name, Tensor replacement) {
    for (legacy::Variable &variable : mutant.program.blocks[0].variables)
      if (variable.name == name) {
        variable.dims = replacement.dims();
        variable.dtype = replacement.dtype();
      }
    mutant.feeds[name] = std::move(replacement);
  }

  void changeDim() {
    std::set<int64_t> sizes;
    for (const auto &[name, tensor] : mutant.feeds)
      sizes.insert(tensor.dims().begin(), tensor.dims().end());
    if (sizes.empty())
      return;
    int64_t from = pick(sizes);
    int64_t to = pick(std::vector<int64_t>{1, 2, 3, 5, 17, from + 1, from + 2, 0});
    for (auto &[name, tensor] : Tensors(mutant.feeds)) {
      std::vector<int64_t> dims = tensor.dims();
      std::replace(dims.begin(), dims.end(), from, to);
      if (dims != tensor.dims() && tensor.lod().empty())
        replace(name, resampled(tensor, tensor.dtype(), dims));
    }
    describe(fmt::format("dim {} of the feeds to {}", from, to));
  }

  void setToOne() {
    std::vector<std::string> names;
    for (const auto &[name, tensor] : mutant.feeds)
      if (!tensor.dims().empty() && tensor.lod().empty())
        names.push_back(name);
    if (names.empty())
      return;
    std::string name = pick(names);
    Tensor old = mutant.feeds[name];
    std::vector<int64_t> dims = old.dims();
    size_t dim = below(dims.size());
    dims[dim] = 1;
    replace(name, resampled(old, old.dtype(), dims));
    describe(fmt::format("dimension {} of {} to 1", dim, name));
  }

  void changeElementType() {
    bool integers = below(4) == 0;
    DType from = integers ? DType::Int64 : DType::Float32, to = integers ? DType::Int32 : DType::Float64;
    bool changed = false;
    for (auto &[name, tensor] : Tensors(mutant.feeds))
      if (tensor.dtype() == from && tensor.lod().empty()) {
        replace(name, resampled(tensor, to, tensor.dims()));
        changed = true;
      }
    if (!changed)
      return;
    for (legacy::Operation &op : mutant.program.blocks[0].operations)
      for (legacy::Attribute &attribute : op.attributes.own())
        if (auto *value = std::get_if<int32_t>(&attribute.value);
            value && attribute.name.ends_with("dtype") && *value == legacy::numberOf(from))
          *value = legacy::numberOf(to);
    describe(fmt::format("{} to {}", nameOf(from), nameOf(to)));
  }

  template <class T> T near(T value) {
    return pick(std::vector<T>{static_cast<T>(value + 1), static_cast<T>(value - 1), static_cast<T>(-value),
                               T(0), T(1), T(2), T(-1)});
  }

  struct Change {
    Mutator &mutator;
    std::string operator()(bool &value) { return fmt::format("{}", value = !value); }
    std::string operator()(int32_t &value) { return fmt::format("{}", value = mutator.near(value)); }
    std::string operator()(int64_t &value) { return fmt::format("{}", value = mutator.near(value)); }
    std::string operator()(float &value) {
      return fmt::format("{}", value = mutator.pick(std::vector<float>{value / 2, -value, 0, 1, 2.5f}));
    }
    template <class T>
      requires std::is_arithmetic_v<T>
    std::string operator()(std::vector<T> &list) {
      if (list.empty())
        return {};
      size_t at = mutator.below(list.size());
      if constexpr (std::is_same_v<T, bool>)
        list[at] = !list[at];
      else if constexpr (std::is_integral_v<T>)
        list[at] = mutator.near(list[at]);
      else
        list[at] = list[at] / 2;
      return fmt::format("[{}]", fmt::join(list, ", "));
    }
    template <class T> std::string operator()(T &) { return {}; }
  };

  void changeAttribute() {
    std::vector<std::pair<legacy::Operation *, legacy::Attribute *>> candidates;
    for (legacy::Operation &op : mutant.program.blocks[0].operations)
      if (op.type != "feed" && op.type != "fetch")
        for (legacy::Attribute &attribute : op.attributes.own())
          if (!import::isHintAttribute(attribute.name) && !attribute.name.ends_with("dtype"))
            candidates.emplace_back(&op, &attribute);
    if (candidates.empty())
      return;
    auto [op, attribute] = pick(candidates);
    if (std::string now = std::visit(Change{*this}, attribute->value); !now.empty())
      describe(fmt::format("{}: {} to {}", op->type, attribute->name, now));
  }

  Mutant &mutant;
  std::mt19937_64 &random;
};

} // namespace

Mutant mutate(const legacy::Program &program, const Tensors &feeds, std::mt19937_64 &random) {
  Mutant mutant{program, feeds, {}};
  Mutator mutator(mutant, random);
  size_t changes = 1 + random() % 2;
  for (size_t i = 0; i < changes; ++i)
    mutator.changeOnce();
  return mutant;
}

} // namespace proa::check
