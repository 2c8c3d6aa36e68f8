/// StrategyAttrInterface::changes() for any attribute of the dialect, from the types of its fields.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <tuple>
#include <type_traits>

namespace proa {

/// `Key` is the tuple of the attribute's fields. Optional numbers, optional enums and lists of sizes are
/// choices; fields of other types stay. The verifier of the attribute decides which values are valid.
template <class Attr, class Key> class StrategyChanges {
public:
  static llvm::SmallVector<mlir::Attribute> of(mlir::MLIRContext *context, const Key &key) {
    StrategyChanges changes(context, key);
    forEachField([&](auto field) { changes.changeField<field>(); });
    changes.changePairs();
    return std::move(changes.found);
  }

private:
  template <size_t field> using Field = std::tuple_element_t<field, Key>;
  template <class T> struct OptionalEnum : std::false_type {};
  template <class T> struct OptionalEnum<std::optional<T>> : std::is_enum<T> {};
  template <size_t field>
  static constexpr bool isNumber = std::is_same_v<Field<field>, std::optional<int64_t>>;
  template <size_t field> static constexpr bool isEnum = OptionalEnum<Field<field>>::value;
  template <size_t field>
  static constexpr bool isSizes = std::is_same_v<Field<field>, llvm::ArrayRef<int64_t>>;

  StrategyChanges(mlir::MLIRContext *context, const Key &key)
      : context(context), key(key), quiet(context, [](mlir::Diagnostic &) { return mlir::success(); }) {}

  template <class Visit> static void forEachField(Visit &&visit) {
    [&]<size_t... field>(std::index_sequence<field...>) {
      (visit(std::integral_constant<size_t, field>()), ...);
    }(std::make_index_sequence<std::tuple_size_v<Key>>());
  }

  template <size_t field> void changeField() {
    if constexpr (isNumber<field>)
      changeNumber<field>();
    else if constexpr (isEnum<field>)
      changeEnum<field>();
    else if constexpr (isSizes<field>)
      changeSizes<field>();
  }

  template <size_t field> void changeNumber() {
    const std::optional<int64_t> &own = std::get<field>(key);
    llvm::SmallVector<std::optional<int64_t>> values{1, 2, 4, 8, 16};
    if (own)
      values = {*own + 1, *own - 1, *own * 2, *own / 2, std::nullopt};
    for (std::optional<int64_t> value : values) {
      Key changed = key;
      std::get<field>(changed) = value;
      add(changed);
    }
  }

  template <size_t field> void changeEnum() {
    using Enum = typename Field<field>::value_type;
    for (uint32_t value = 0; !stringifyEnum(static_cast<Enum>(value)).empty(); ++value) {
      Key changed = key;
      forEachField([&](auto other) {
        if constexpr (isNumber<other> || isEnum<other> || isSizes<other>)
          std::get<other>(changed) = {};
      });
      std::get<field>(changed) = static_cast<Enum>(value);
      add(changed);
    }
  }

  /// Factors of one size that lead from any multiple of a unit to its neighbours.
  static constexpr std::pair<int64_t, int64_t> factors[] = {{2, 1}, {1, 2}, {3, 2}, {3, 4}, {4, 3}};

  static std::optional<int64_t> scaled(int64_t size, std::pair<int64_t, int64_t> factor) {
    int64_t product = size * factor.first;
    return product % factor.second == 0 ? std::optional(product / factor.second) : std::nullopt;
  }

  template <size_t field> void changeSizes() {
    for (size_t i = 0; i < std::get<field>(key).size(); ++i)
      for (auto factor : factors) {
        llvm::SmallVector<int64_t> sizes(std::get<field>(key));
        if (std::optional<int64_t> size = scaled(sizes[i], factor)) {
          sizes[i] = *size;
          Key changed = key;
          std::get<field>(changed) = sizes;
          add(changed);
        }
      }
  }

  /// One size of a field and one of a later field, as a tile and the part of it that a warp has.
  void changePairs() {
    forEachField([&](auto first) {
      forEachField([&](auto second) {
        if constexpr (first < second && isSizes<first> && isSizes<second>)
          changePair<first, second>();
      });
    });
  }

  template <size_t first, size_t second> void changePair() {
    for (size_t i = 0; i < std::get<first>(key).size(); ++i)
      for (size_t j = 0; j < std::get<second>(key).size(); ++j)
        for (auto factor : factors) {
          llvm::SmallVector<int64_t> one(std::get<first>(key)), other(std::get<second>(key));
          std::optional<int64_t> size = scaled(one[i], factor), otherSize = scaled(other[j], factor);
          if (!size || !otherSize)
            continue;
          one[i] = *size;
          other[j] = *otherSize;
          Key changed = key;
          std::get<first>(changed) = one;
          std::get<second>(changed) = other;
          add(changed);
        }
  }

  void add(const Key &changed) {
    auto emitError = [&] { return mlir::emitError(mlir::UnknownLoc::get(context)); };
    if (changed == key)
      return;
    Attr attribute = std::apply(
        [&](const auto &...values) { return Attr::getChecked(emitError, context, values...); }, changed);
    if (attribute && !llvm::is_contained(found, attribute))
      found.push_back(attribute);
  }

  mlir::MLIRContext *context;
  const Key &key;
  mlir::ScopedDiagnosticHandler quiet;
  llvm::SmallVector<mlir::Attribute> found;
};

} // namespace proa
