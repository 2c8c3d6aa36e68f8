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
        CorpusOp{"ops/expand_v2/basic", "expand_v2", "expand", {"X"}, {"Out"}},
        CorpusOp{"ops/reshape2/basic", "reshape2", "reshape", {"X"}, {"Out"}},
        CorpusOp{"ops/roll/axis", "roll", "roll", {"X"}, {"Out"}},
        CorpusOp{"ops/strided_slice/neg", "strided_slice", "slice", {"Input"}, {"Out"}},
        CorpusOp{"ops/set_value/step", "set_value", "set_value", {"Input", "ValueTensor"}, {"Out"}},
        CorpusOp{"ops/set_value/tensor", "set_value", "set_value", {"Input", "ValueTensor"}, {"Out"}}),
    nameOfCase);

INSTANTIATE_TEST_SUITE_P(
    Order, Corpus,
    ::testing::Values(
        CorpusOp{"ops/cumsum/axis", "cumsum", "cumsum", {"X"}, {"Out"}},
        CorpusOp{"ops/cumsum/excl_rev", "cumsum", "cumsum", {"X"}, {"Out"}},
        CorpusOp{"ops/cumsum/flat", "cumsum", "cumsum", {"X"}, {"Out"}},
        CorpusOp{"ops/cumsum/i64", "cumsum", "cumsum", {"X"}, {"Out"}},
        CorpusOp{"ops/cumprod/axis", "cumprod", "cumprod", {"X"}, {"Out"}, {{"axis", "dim"}}},
        CorpusOp{"ops/cummax/axis", "cummax", "cummax", {"x"}, {"out", "indices"}},
        CorpusOp{"ops/cummin/axis", "cummin", "cummin", {"x"}, {"out", "indices"}},
        CorpusOp{"ops/argsort/desc_sort", "argsort", "argsort", {"X"}, {"Out", "Indices"}},
        CorpusOp{"ops/top_k_v2/basic", "top_k_v2", "topk", {"X"}, {"Out", "Indices"}},
        CorpusOp{"ops/arg_max/axis", "arg_max", "argmax", {"X"}, {"Out"}},
        CorpusOp{"ops/arg_max/flat", "arg_max", "argmax", {"X"}, {"Out"}},
        CorpusOp{"ops/arg_max/keep_i32", "arg_max", "argmax", {"X"}, {"Out"}},
        CorpusOp{"ops/arg_min/axis", "arg_min", "argmin", {"X"}, {"Out"}},
        CorpusOp{"ops/bincount/weights", "bincount", "bincount", {"X", "Weights"}, {"Out"}},
        CorpusOp{"ops/unique/axis", "unique", "unique", {"X"}, {"Out", "Indices", "Index", "Counts"}},
        CorpusOp{"ops/unique/full", "unique", "unique", {"X"}, {"Out", "Indices", "Index", "Counts"}},
        CorpusOp{"ops/unique_consecutive/basic",
                 "unique_consecutive",
                 "unique_consecutive",
                 {"X"},
                 {"Out", "Index", "Counts"}},
        CorpusOp{"ops/unique_with_counts/label_encode__unique_with_counts",
                 "unique_with_counts",
                 "unique_with_counts",
                 {"X"},
                 {"Out", "Index", "Count"}},
        CorpusOp{"ops/pad/2d", "pad", "pad", {"X"}, {"Out"}},
        CorpusOp{"ops/repeat_interleave/int",
                 "repeat_interleave",
                 "repeat_interleave",
                 {"X"},
                 {"Out"},
                 {{"repeats", "Repeats"}, {"axis", "dim"}}},
        CorpusOp{"ops/repeat_interleave/tensor",
                 "repeat_interleave",
                 "repeat_interleave",
                 {"X", "RepeatsTensor"},
                 {"Out"},
                 {{"axis", "dim"}}}),
    nameOfCase);

std::vector<CorpusOp> images() {
  std::vector<CorpusOp> ops;
  for (auto [op, name] : {std::pair("bicubic_interp_v2", "interp_bicubic__down"),
                          {"bicubic_interp_v2", "interp_bicubic__scale_align"},
                          {"bilinear_interp_v2", "interp_bilinear__down"},
                          {"linear_interp_v2", "interp_linear__up"},
                          {"nearest_interp_v2", "interp_nearest__up"}})
    ops.push_back({"ops/" + std::string(op) + "/" + name,
                   op,
                   "interpolate",
                   {"X"},
                   {"Out"},
                   {{"data_format", "data_layout"}}});
  ops.push_back({"ops/yolo_box/basic", "yolo_box", "yolo_box", {"X", "ImgSize"}, {"Boxes", "Scores"}});
  ops.push_back({"ops/multiclass_nms3/op",
                 "multiclass_nms3",
                 "multiclass_nms3",
                 {"BBoxes", "Scores"},
                 {"Out", "Index", "NmsRoisNum"}});
  ops.push_back(
      {"ops/matrix_nms/api", "matrix_nms", "matrix_nms", {"BBoxes", "Scores"}, {"Out", "Index", "RoisNum"}});
  return ops;
}
INSTANTIATE_TEST_SUITE_P(Images, Corpus, ::testing::ValuesIn(images()), nameOfCase);

} // namespace
} // namespace proa::runtime
