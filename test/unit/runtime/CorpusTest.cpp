#include "test/unit/runtime/CorpusCase.h"

namespace proa::runtime {
namespace {

class Corpus : public ::testing::TestWithParam<CorpusOp> {};

TEST_P(Corpus, AgreesWithPaddle) { runCorpusOp(GetParam()); }

std::string nameOfCase(const ::testing::TestParamInfo<CorpusOp> &info) {
  std::string name = info.param.folder.substr(4);
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name + (info.param.dims == Dims::Dynamic ? "_dynamic" : "");
}

std::vector<CorpusOp> pools() {
  std::vector<CorpusOp> ops;
  for (const char *name : {"avg", "avg_incl", "max", "max_ceil", "max_pad", "same", "interp_area__down"})
    for (Dims dims : {Dims::Static, Dims::Dynamic})
      ops.push_back({"ops/pool2d/" + std::string(name),
                     "pool2d",
                     "pool2d",
                     {"X"},
                     {"Out"},
                     {{"kernel_size", "ksize"}},
                     1e-6,
                     dims});
  for (const char *name : {"avg", "max"})
    ops.push_back(
        {"ops/pool3d/" + std::string(name), "pool3d", "pool3d", {"X"}, {"Out"}, {{"kernel_size", "ksize"}}});
  for (const char *name : {"adaptive", "basic", "pool2d__adaptive_max"})
    ops.push_back({"ops/max_pool2d_with_index/" + std::string(name),
                   "max_pool2d_with_index",
                   "max_pool2d_with_index",
                   {"X"},
                   {"Out", "Mask"},
                   {{"kernel_size", "ksize"}}});
  ops.push_back({"ops/max_pool3d_with_index/basic",
                 "max_pool3d_with_index",
                 "max_pool3d_with_index",
                 {"X"},
                 {"Out", "Mask"},
                 {{"kernel_size", "ksize"}}});
  return ops;
}
INSTANTIATE_TEST_SUITE_P(Pool, Corpus, ::testing::ValuesIn(pools()), nameOfCase);

INSTANTIATE_TEST_SUITE_P(
    Moves, Corpus,
    ::testing::Values(
        CorpusOp{"ops/gather/axis0", "gather", "gather", {"X", "Index"}, {"Out"}},
        CorpusOp{"ops/gather/axis1", "gather", "gather", {"X", "Index"}, {"Out"}},
        CorpusOp{"ops/gather_nd/basic", "gather_nd", "gather_nd", {"X", "Index"}, {"Out"}},
        CorpusOp{"ops/lookup_table_v2/basic", "lookup_table_v2", "embedding", {"Ids", "W"}, {"Out"}},
        CorpusOp{"ops/lookup_table_v2/padding", "lookup_table_v2", "embedding", {"Ids", "W"}, {"Out"}},
        CorpusOp{"ops/concat/axis1", "concat", "concat", {"X"}, {"Out"}},
        CorpusOp{"ops/concat/bool", "concat", "concat", {"X"}, {"Out"}},
        CorpusOp{"ops/concat/zero_size", "concat", "concat", {"X"}, {"Out"}},
        CorpusOp{"ops/split/num", "split", "split", {"X"}, {"Out"}},
        CorpusOp{"ops/split/sections", "split", "split", {"X"}, {"Out"}},
        CorpusOp{"ops/stack/axis1", "stack", "stack", {"X"}, {"Y"}},
        CorpusOp{"ops/tile/basic", "tile", "tile", {"X"}, {"Out"}},
        CorpusOp{"ops/expand_v2/basic", "expand_v2", "expand", {"X"}, {"Out"}},
        CorpusOp{"ops/transpose2/basic", "transpose2", "transpose", {"X"}, {"Out"}, {{"perm", "axis"}}},
        CorpusOp{"ops/transpose2/i64", "transpose2", "transpose", {"X"}, {"Out"}, {{"perm", "axis"}}},
        CorpusOp{"ops/reshape2/basic", "reshape2", "reshape", {"X"}, {"Out"}},
        CorpusOp{"ops/flip/axes", "flip", "flip", {"X"}, {"Out"}},
        CorpusOp{"ops/roll/axis", "roll", "roll", {"X"}, {"Out"}},
        CorpusOp{"ops/crop_tensor/basic", "crop_tensor", "crop", {"X"}, {"Out"}},
        CorpusOp{"ops/slice/getitem_decrease", "slice", "slice", {"Input"}, {"Out"}},
        CorpusOp{"ops/strided_slice/neg", "strided_slice", "strided_slice", {"Input"}, {"Out"}},
        CorpusOp{"ops/set_value/slice", "set_value", "set_value", {"Input"}, {"Out"}},
        CorpusOp{"ops/set_value/step", "set_value", "set_value", {"Input", "ValueTensor"}, {"Out"}},
        CorpusOp{"ops/set_value/tensor", "set_value", "set_value", {"Input", "ValueTensor"}, {"Out"}}),
    nameOfCase);

} // namespace
} // namespace proa::runtime
