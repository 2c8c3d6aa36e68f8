#include "translator/legacy/FormatNames.h"

#include <array>

namespace proa::legacy {
namespace {

struct Entry {
  int32_t code;
  std::string_view name;
};

// The first name of a number is today's; the others were used up to Paddle 2.6.
constexpr std::array<Entry, 38> varTypes{{
    {0, "BOOL"},
    {1, "INT16"},
    {2, "INT32"},
    {3, "INT64"},
    {4, "FP16"},
    {5, "FP32"},
    {6, "FP64"},
    {7, "DENSE_TENSOR"},
    {8, "SELECTED_ROWS"},
    {9, "FEED_MINIBATCH"},
    {10, "FETCH_LIST"},
    {11, "STEP_SCOPES"},
    {12, "LOD_RANK_TABLE"},
    {13, "DENSE_TENSOR_ARRAY"},
    {14, "PLACE_LIST"},
    {15, "READER"},
    {17, "RAW"},
    {18, "TUPLE"},
    {19, "SIZE_T"},
    {20, "UINT8"},
    {21, "INT8"},
    {22, "BF16"},
    {23, "COMPLEX64"},
    {24, "COMPLEX128"},
    {25, "STRING"},
    {26, "STRINGS"},
    {27, "VOCAB"},
    {28, "FEED_LIST"},
    {29, "PSTRING"},
    {30, "SPARSE_COO"},
    {31, "SPARSE_CSR"},
    {32, "FP8_E4M3FN"},
    {33, "FP8_E5M2"},
    {36, "UINT16"},
    {37, "UINT32"},
    {38, "UINT64"},
    {7, "LOD_TENSOR"},
    {13, "LOD_TENSOR_ARRAY"},
}};

constexpr std::array<Entry, attributeTypeCount> attributeTypes{{
    {0, "INT"},
    {1, "FLOAT"},
    {2, "STRING"},
    {3, "INTS"},
    {4, "FLOATS"},
    {5, "STRINGS"},
    {6, "BOOLEAN"},
    {7, "BOOLEANS"},
    {8, "BLOCK"},
    {9, "LONG"},
    {10, "BLOCKS"},
    {11, "LONGS"},
    {12, "FLOAT64S"},
    {13, "VAR"},
    {14, "VARS"},
    {15, "FLOAT64"},
    {16, "SCALAR"},
    {17, "SCALARS"},
}};

constexpr std::array<Entry, 4> scalarTypes{{{1, "BOOLEAN"}, {2, "LONG"}, {3, "FLOAT64"}, {4, "COMPLEX128"}}};

template <size_t N>
std::optional<int32_t> numberIn(const std::array<Entry, N> &entries, std::string_view name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry.code;
  return std::nullopt;
}

template <size_t N> std::string_view nameIn(const std::array<Entry, N> &entries, int64_t code) {
  for (const Entry &entry : entries)
    if (entry.code == code)
      return entry.name;
  return {};
}

} // namespace

std::optional<int32_t> varTypeCode(std::string_view name) { return numberIn(varTypes, name); }
std::string_view varTypeName(int64_t code) { return nameIn(varTypes, code); }

std::optional<VariableKind> variableKindFromCode(int64_t code) {
  constexpr int32_t sizeType = 19;
  if (varTypeName(code).empty() || dtypeFromCode(code) || code == sizeType)
    return std::nullopt;
  return static_cast<VariableKind>(code);
}

std::optional<int32_t> attributeTypeCode(std::string_view name) { return numberIn(attributeTypes, name); }
std::string_view attributeTypeName(int64_t code) { return nameIn(attributeTypes, code); }

std::optional<int32_t> scalarTypeCode(std::string_view name) { return numberIn(scalarTypes, name); }
std::string_view scalarTypeName(int64_t code) { return nameIn(scalarTypes, code); }

} // namespace proa::legacy
