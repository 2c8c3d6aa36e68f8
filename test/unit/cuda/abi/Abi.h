/// Comparison of proa's declarations of NVIDIA's functions with NVIDIA's headers. Each test includes
/// the source file that has proa's declarations, and the header, if it is there; otherwise it is skipped.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace proa::testing {

/// How a value is passed: integers, enumerations and pointers in the same registers.
enum class Passing { Integer, Floating, Memory };

template <class T> constexpr Passing passingOf() {
  return std::is_floating_point_v<T>                ? Passing::Floating
         : std::is_class_v<T> || std::is_union_v<T> ? Passing::Memory
                                                    : Passing::Integer;
}

template <class T>
concept Complete = requires { sizeof(T); } && !std::is_void_v<T> && !std::is_function_v<T>;

/// Why a value of type `Ours` is not passed as one of type `Theirs`; empty if it is.
template <class Ours, class Theirs> std::string differenceOfValues() {
  if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) {
    return std::is_void_v<Ours> == std::is_void_v<Theirs> ? "" : "is void in one of them";
  } else if constexpr (sizeof(Ours) != sizeof(Theirs)) {
    return fmt::format("has {} bytes, expected {}", sizeof(Ours), sizeof(Theirs));
  } else if constexpr (passingOf<Ours>() != passingOf<Theirs>()) {
    return "is passed in other registers";
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using OurTarget = std::remove_pointer_t<Ours>;
    using TheirTarget = std::remove_pointer_t<Theirs>;
    if constexpr (Complete<OurTarget> && Complete<TheirTarget>)
      if (sizeof(OurTarget) != sizeof(TheirTarget))
        return fmt::format("points to {} bytes, expected {}", sizeof(OurTarget), sizeof(TheirTarget));
    return "";
  } else {
    return "";
  }
}

template <class Ours, class Theirs> struct Functions;
template <class OurResult, class... Ours, class TheirResult, class... Theirs>
struct Functions<OurResult (*)(Ours...), TheirResult (*)(Theirs...)> {
  static std::string difference() {
    if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
      return fmt::format("has {} parameters, expected {}", sizeof...(Ours), sizeof...(Theirs));
    } else {
      std::string found;
      int index = 0;
      auto add = [&](const std::string &difference) {
        if (!difference.empty())
          found += fmt::format("parameter {} {}; ", index, difference);
        ++index;
      };
      (add(differenceOfValues<Ours, Theirs>()), ...);
      if (std::string result = differenceOfValues<OurResult, TheirResult>(); !result.empty())
        found += "the result " + result;
      return found;
    }
  }
};

/// Expects that a call of the function that `ours` declares is a call of a function of type `Theirs`.
template <class Theirs, class Ours> void expectFunction(const char *name, Ours) {
  EXPECT_EQ((Functions<Ours, Theirs>::difference()), "") << name;
}

} // namespace proa::testing

/// The member of an `Api` and the function of the header.
#define EXPECT_FUNCTION(member, function)                                                                    \
  ::proa::testing::expectFunction<decltype(&function)>(#function, member)
/// The same with a type of a pointer to a function.
#define EXPECT_FUNCTION_TYPE(member, type) ::proa::testing::expectFunction<type>(#type, member)
/// Fields of equal offsets and sizes.
#define EXPECT_FIELD(ours, ourField, theirs, theirField)                                                     \
  EXPECT_EQ(offsetof(ours, ourField), offsetof(theirs, theirField)) << #theirField;                          \
  EXPECT_EQ(sizeof(ours::ourField), sizeof(theirs::theirField)) << #theirField
/// Enumerators and other constants.
#define EXPECT_VALUE(ours, theirs)                                                                           \
  EXPECT_EQ(static_cast<int64_t>(ours), static_cast<int64_t>(theirs)) << #theirs
