#include "test/unit/runtime/ConvChoiceCase.h"

namespace proa::runtime {
namespace {

/// channels -> outputs, square images and filters, channels last, the window in the middle.
struct Row {
  int64_t channels, size, outputs, kernel, stride = 1, dilation = 1, groups = 1;
  DataFormat format = DataFormat::NHWC;
  bool isConstant = true;
  bool readsLast = format == DataFormat::NHWC;

  ConvChoiceCase problem() const {
    int64_t padding = dilation * (kernel - 1) / 2;
    return {{.strides = {stride, stride},
             .paddings = {padding, padding},
             .dilations = {dilation, dilation},
             .groups = groups,
             .dataFormat = format},
            readsLast ? std::vector{int64_t(1), size, size, channels}
                      : std::vector{int64_t(1), channels, size, size},
            {outputs, channels / groups, kernel, kernel},
            isConstant,
            readsLast};
  }
};

ConvMethod chosen(const char *machine, const Row &row, LibraryForm form = LibraryForm::Direct) {
  return choiceOf(row.problem(), machineNamed(machine), form).method();
}

TEST(ConvChoice, WinogradForLargeImages) {
  EXPECT_EQ(chosen("avx512", {256, 14, 256, 3}), ConvMethod::Winograd2);
  EXPECT_EQ(chosen("avx2", {256, 14, 256, 3}), ConvMethod::Winograd4); // products take longer there
  for (const char *machine : {"avx2", "avx512"}) {
    EXPECT_EQ(chosen(machine, {64, 56, 64, 3}), ConvMethod::Winograd4);
    EXPECT_EQ(chosen(machine, {15, 56, 64, 3}), ConvMethod::Library);   // few channels
    EXPECT_EQ(chosen(machine, {512, 4, 512, 3}), ConvMethod::Indirect); // reading the filter takes longest
    EXPECT_EQ(chosen(machine, {64, 56, 64, 3, 1, 1, 1, DataFormat::NCHW}), ConvMethod::Library);
  }
  for (auto [machine, other] : {std::pair("avx2", ConvMethod::Indirect), {"avx512", ConvMethod::Library}}) {
    EXPECT_EQ(chosen(machine, {64, 56, 64, 3, 2}), other);    // strided
    EXPECT_EQ(chosen(machine, {64, 56, 64, 3, 1, 2}), other); // dilated
    EXPECT_EQ(chosen(machine, {64, 56, 64, 5}), other);       // 5 x 5
  }
}

// Measured in networks whose filters no cache holds, on an AMD EPYC with AVX-512, and limited to AVX2.
TEST(ConvChoice, IndirectForFewPositions) {
  for (const char *machine : {"avx2", "avx512"}) {
    EXPECT_EQ(chosen(machine, {512, 3, 1024, 3}), ConvMethod::Indirect);
    EXPECT_EQ(chosen(machine, {192, 4, 192, 3}), ConvMethod::Indirect);
  }
  EXPECT_EQ(chosen("avx512", {256, 24, 256, 3, 2}), ConvMethod::Library);
  // Measured on an AMD EPYC (Zen 3, AVX2): oneDNN takes up to 1.2 times as long of several taps.
  EXPECT_EQ(chosen("avx2", {256, 24, 256, 3, 2}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {128, 28, 256, 3, 2}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {64, 56, 128, 3, 2}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {32, 56, 64, 3, 2}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {16, 112, 32, 3, 2}), ConvMethod::Library);
  // Of one tap oneDNN reaches its rate for 16 outputs and more.
  for (int64_t outputs : {16, 24, 32, 64, 160})
    EXPECT_EQ(chosen("avx2", {32, 112, outputs, 1}), ConvMethod::Library) << outputs;
  EXPECT_EQ(chosen("avx2", {256, 56, 64, 1}), ConvMethod::Library);
  EXPECT_EQ(chosen("avx2", {2048, 1, 256, 1}), ConvMethod::Library); // too few
  EXPECT_EQ(chosen("avx512", {1024, 4, 1024, 1}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {256, 6, 512, 3}), ConvMethod::Winograd2);
  EXPECT_EQ(chosen("avx512", {256, 6, 512, 3}), ConvMethod::Library);
  EXPECT_EQ(chosen("avx512", {2048, 8, 256, 3, 1, 12}), ConvMethod::Library); // one tap is read
  EXPECT_EQ(chosen("avx2", {2048, 8, 256, 3, 1, 12}), ConvMethod::Indirect);
}

TEST(ConvChoice, IndirectForTapsOutsideOfTheImage) {
  EXPECT_EQ(chosen("avx2", {512, 16, 256, 3, 1, 24}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {64, 32, 256, 3, 1, 2}), ConvMethod::Indirect); // most taps are inside
  EXPECT_EQ(chosen("avx2", {512, 16, 256, 3, 1, 24, 1, DataFormat::NHWC, false}), ConvMethod::Library);
  EXPECT_EQ(chosen("avx512", {512, 16, 256, 3, 1, 24}), ConvMethod::Library); // which skips them
}

TEST(ConvChoice, IndirectForFewOutputs) {
  EXPECT_EQ(chosen("avx2", {32, 64, 3, 9}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {64, 32, 1, 3}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {64, 32, 5, 3}), ConvMethod::Library); // more outputs
  for (int64_t channels : {16, 32}) // few terms: the lanes of their sums are added as often
    EXPECT_EQ(chosen("avx2", {channels, 15, 4, 1}), ConvMethod::Library) << channels;
  EXPECT_EQ(chosen("avx2", {20, 32, 3, 3}), ConvMethod::Library); // no whole vectors of inputs
  EXPECT_EQ(chosen("avx512", {32, 64, 3, 9}), ConvMethod::Library);
}

TEST(ConvChoice, IndirectWhereTheLibraryWritesWindows) {
  Row few{3, 224, 64, 11, 4};
  EXPECT_EQ(chosen("avx2", few), ConvMethod::Library);
  EXPECT_EQ(chosen("avx2", few, LibraryForm::Windows), ConvMethod::Indirect);
  few.dilation = 2;
  EXPECT_EQ(chosen("avx2", few, LibraryForm::Windows), ConvMethod::Planes);
}

TEST(ConvChoice, GroupsOfFewChannels) {
  for (const char *machine : {"avx2", "avx512"}) {
    for (int64_t ofGroup : {2, 4})
      EXPECT_EQ(chosen(machine, {64, 28, 64, 3, 1, 1, 64 / ofGroup}), ConvMethod::Grouped) << ofGroup;
    EXPECT_EQ(chosen(machine, {64, 28, 64, 3, 1, 2, 64}), ConvMethod::Grouped);
    EXPECT_EQ(chosen(machine, {64, 28, 64, 3, 1, 1, 64}), ConvMethod::Library); // not dilated
    EXPECT_EQ(chosen(machine, {64, 28, 64, 3, 1, 1, 16, DataFormat::NCHW}), ConvMethod::Planes);
  }
  EXPECT_EQ(chosen("avx2", {512, 14, 512, 3, 1, 1, 32}), ConvMethod::Indirect); // 16 of a group
  EXPECT_EQ(chosen("avx512", {512, 14, 512, 3, 1, 1, 32}), ConvMethod::Library);
  EXPECT_EQ(chosen("avx512", {64, 28, 64, 3, 1, 1, 8}), ConvMethod::Grouped);
  EXPECT_EQ(chosen("avx512", {48, 28, 48, 3, 1, 1, 8}), ConvMethod::Planes); // 6 of a group
}

TEST(ConvChoice, PlanesOfFewChannels) {
  for (const char *machine : {"avx2", "avx512"}) {
    auto first = DataFormat::NCHW;
    EXPECT_EQ(chosen(machine, {3, 64, 16, 3, 2, 1, 1, first}), ConvMethod::Planes);
    EXPECT_EQ(chosen(machine, {3, 224, 32, 3, 2}), ConvMethod::Library); // channels last
    EXPECT_EQ(chosen(machine, {9, 224, 32, 3, 2, 1, 1, first}), ConvMethod::Library);
    EXPECT_EQ(chosen(machine, {96, 56, 96, 3, 1, 1, 96, first}), ConvMethod::Planes);
    EXPECT_EQ(chosen(machine, {96, 56, 96, 3, 1, 1, 96}), ConvMethod::Library);
    EXPECT_EQ(chosen(machine, {12, 28, 12, 3, 1, 2, 12}),
              ConvMethod::Planes); // too few for a vector of channels
  }
}

// The faster kernels of the next three tests were measured on an AMD EPYC with AVX-512, and limited to AVX2.
TEST(ConvChoice, FirstConvolutions) {
  auto first = DataFormat::NCHW;
  EXPECT_EQ(chosen("avx512", {3, 224, 32, 3, 2, 1, 1, first}), ConvMethod::Planes);
  EXPECT_EQ(chosen("avx512", {3, 224, 64, 7, 2, 1, 1, first}), ConvMethod::Planes);
  EXPECT_EQ(chosen("avx2", {3, 224, 32, 3, 2, 1, 1, first}), ConvMethod::Planes);
  EXPECT_EQ(chosen("avx2", {3, 224, 64, 7, 2, 1, 1, first}), ConvMethod::Planes);
  EXPECT_EQ(chosen("avx2", {3, 224, 96, 4, 4, 1, 1, first}), ConvMethod::Library); // rows of 56 results
}

// The next two tests were measured on an AMD EPYC with AVX2.
TEST(ConvChoice, PixelsOfWindowsOfOnePixel) {
  auto first = DataFormat::NCHW;
  EXPECT_EQ(chosen("avx2", {256, 56, 64, 1, 1, 1, 1, first}), ConvMethod::Pixels);
  EXPECT_EQ(chosen("avx2", {64, 56, 256, 1, 1, 1, 1, first}), ConvMethod::Pixels);
  EXPECT_EQ(chosen("avx2", {16, 112, 96, 1, 1, 1, 1, first}), ConvMethod::Pixels);
  EXPECT_EQ(chosen("avx2", {960, 7, 160, 1, 1, 1, 1, first}), ConvMethod::Library); // 49 of 64 lanes
  EXPECT_EQ(chosen("avx2", {256, 56, 64, 1, 1, 1, 1, first, false}),
            ConvMethod::Library);                                                   // no constant filter
  EXPECT_EQ(chosen("avx2", {64, 56, 256, 3, 1, 1, 1, first}), ConvMethod::Library); // windows are gathered
}

TEST(ConvChoice, GroupsOfWholeVectors) {
  EXPECT_EQ(chosen("avx2", {32, 28, 64, 3, 1, 1, 4}), ConvMethod::Library);
  EXPECT_EQ(chosen("avx2", {192, 14, 192, 3, 1, 1, 8}), ConvMethod::Library);
  EXPECT_EQ(chosen("avx2", {256, 28, 256, 3, 1, 1, 4}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {240, 14, 240, 1, 1, 1, 3}), ConvMethod::Indirect);
  EXPECT_EQ(chosen("avx2", {64, 28, 64, 3, 1, 1, 8}), ConvMethod::Planes);
}

/// oneDNN computes a vector of channels of a result at least.
TEST(ConvChoice, FewOutputsWithChannelsLast) {
  for (const char *machine : {"avx2", "avx512"}) {
    EXPECT_EQ(chosen(machine, {3, 32, 2, 3}), ConvMethod::Planes);
    EXPECT_EQ(chosen(machine, {3, 224, 4, 11, 4}, LibraryForm::Windows), ConvMethod::Planes);
    EXPECT_EQ(chosen(machine, {3, 64, 16, 3, 2}), ConvMethod::Library);
    EXPECT_EQ(chosen(machine, {4, 15, 16, 3}), ConvMethod::Library);
    EXPECT_EQ(chosen(machine, {2, 16, 2, 3, 1, 1, 2}), ConvMethod::Planes);
    EXPECT_EQ(chosen(machine, {8, 8, 8, 3, 1, 1, 8}), ConvMethod::Library);
  }
  // Measured on an AMD EPYC (AVX2): oneDNN takes 33 us of two images, planes 17.
  EXPECT_EQ(chosen("avx2", {3, 32, 8, 7, 2}), ConvMethod::Planes);
  EXPECT_EQ(chosen("avx2", {3, 32, 64, 7, 2}), ConvMethod::Library); // whole tiles
}

// The faster kernels of the next two tests were measured on an AMD EPYC with AVX-512. oneDNN computes at
// least 16 channels of a result.
TEST(ConvChoice, ImagesWithChannelsFirst) {
  auto chosenFirst = [](int64_t size, int64_t outputs, int64_t kernel, int64_t stride) {
    Row row{3, size, outputs, kernel, stride};
    row.readsLast = false;
    return chosen("avx512", row);
  };
  for (int64_t outputs : {2, 4, 8})
    EXPECT_EQ(chosenFirst(32, outputs, 3, 1), ConvMethod::Planes) << outputs;
  EXPECT_EQ(chosenFirst(224, 4, 11, 4), ConvMethod::Planes);
  EXPECT_EQ(chosenFirst(64, 16, 3, 2), ConvMethod::Library);
  EXPECT_EQ(chosenFirst(64, 16, 4, 4), ConvMethod::Library);
  EXPECT_EQ(chosenFirst(224, 32, 3, 2), ConvMethod::Library);
  EXPECT_EQ(chosenFirst(224, 64, 7, 2), ConvMethod::Library);
  Row one{1, 28, 6, 3}, oneFirst = one; // as fast with channels first
  oneFirst.readsLast = false;
  EXPECT_EQ(choiceOf(oneFirst.problem(), machineNamed("avx512")).text(),
            choiceOf(one.problem(), machineNamed("avx512")).text());
}

TEST(ConvChoice, DepthwiseChannelsFirst) {
  auto chosenFirst = [](int64_t channels, int64_t size, int64_t kernel, int64_t stride) {
    return chosen("avx512", {channels, size, channels, kernel, stride, 1, channels, DataFormat::NCHW});
  };
  EXPECT_EQ(chosenFirst(96, 56, 3, 1), ConvMethod::Planes);
  EXPECT_EQ(chosenFirst(24, 14, 7, 1), ConvMethod::Planes);
  EXPECT_EQ(chosenFirst(96, 56, 3, 2), ConvMethod::Planes);
  EXPECT_EQ(chosenFirst(96, 28, 3, 2), ConvMethod::Library); // transposed in a near cache
  EXPECT_EQ(chosenFirst(64, 28, 5, 1), ConvMethod::Library);
  EXPECT_EQ(chosenFirst(192, 14, 5, 1), ConvMethod::Library);
}

// Measured on an AMD EPYC with AVX-512.
TEST(ConvChoice, SecondKernelsOfTheLibrary) {
  auto isLoop = [](const Row &row, const char *machine = "avx512") {
    return prefersLoop(geometryOf(row.problem()), machineNamed(machine).cpu);
  };
  EXPECT_TRUE(isLoop({3, 64, 16, 3, 2}));
  EXPECT_TRUE(isLoop({4, 15, 16, 3}));
  EXPECT_TRUE(isLoop({8, 7, 32, 3}));
  EXPECT_TRUE(isLoop({24, 32, 32, 3}));
  EXPECT_FALSE(isLoop({32, 64, 64, 3, 2})); // on two threads 129 us, by GEMMs 81
  EXPECT_TRUE(isLoop({128, 14, 16, 3}));
  EXPECT_FALSE(isLoop({3, 224, 32, 3, 2}));  // long rows
  EXPECT_FALSE(isLoop({64, 56, 128, 3, 2})); // many channels
  EXPECT_FALSE(isLoop({64, 4, 64, 3}));      // few columns, and a filter of 147 KiB
  EXPECT_TRUE(isLoop({8, 4, 16, 3}));
  EXPECT_FALSE(isLoop({16, 15, 4, 1})); // one tap
  EXPECT_FALSE(isLoop({4, 15, 16, 3, 1, 2}));
  EXPECT_FALSE(isLoop({3, 64, 16, 3, 2}, "avx2"));
  EXPECT_TRUE(isLoop({96, 56, 96, 3, 1, 1, 96}));
  EXPECT_FALSE(isLoop({960, 7, 960, 3, 1, 1, 960})); // many planes
  EXPECT_FALSE(isLoop({64, 28, 64, 3, 1, 1, 8}));    // groups of several channels
}

TEST(ConvChoice, BlasWithoutTheLibrary) {
  EXPECT_EQ(chosen("avx512", {9, 9, 5, 2}, LibraryForm::None), ConvMethod::Blas);
}

TEST(ConvChoice, FollowsTheFactsOfTheTarget) {
  ConvMachine machine = machineNamed("avx512");
  Row row{64, 56, 64, 3};
  EXPECT_EQ(choiceOf(row.problem(), machine).method(), ConvMethod::Winograd4);
  machine.cpu.memoryBandwidth /= 10; // Winograd's transforms take longer
  EXPECT_EQ(choiceOf(row.problem(), machine).method(), ConvMethod::Library);
}

TEST(ConvChoice, FollowsTheSizesOfTheCaches) {
  ConvMachine machine = machineNamed("avx512");
  auto ofLibrary = [&] {
    Row row{96, 28, 96, 3, 2, 1, 96, DataFormat::NCHW}; // transposed for oneDNN
    for (const ConvEstimate &estimate : choiceOf(row.problem(), machine).estimates)
      if (estimate.method == ConvMethod::Library)
        return estimate.nanoseconds;
    return 0.;
  };
  double near = ofLibrary();
  machine.cpu.l2Bytes = 64 << 10;
  double far = ofLibrary();
  EXPECT_GT(far, near + 1000);
  machine.cpu.l3Bytes = 64 << 10;
  EXPECT_GT(ofLibrary(), far + 1000);
}

// The columns of taps that do not overlap: twice as fast as oneDNN.
TEST(ConvChoice, TransposedWithSeparateTaps) {
  auto chosenFor = [](int64_t kernel, int64_t stride, DataFormat format) {
    ConvChoiceCase c;
    c.attributes.strides = {stride, stride};
    c.attributes.dataFormat = format;
    c.x = format == DataFormat::NHWC ? std::vector<int64_t>{1, 32, 32, 128}
                                     : std::vector<int64_t>{1, 128, 32, 32};
    c.filter = {128, 64, kernel, kernel};
    c.isTransposed = true;
    return choiceOf(c, machineNamed("avx512")).method();
  };
  EXPECT_EQ(chosenFor(2, 2, DataFormat::NCHW), ConvMethod::Columns);
  EXPECT_EQ(chosenFor(3, 2, DataFormat::NCHW), ConvMethod::Library); // they overlap
  EXPECT_EQ(chosenFor(2, 2, DataFormat::NHWC), ConvMethod::Library);
}

TEST(ConvChoice, TextHasEstimatesAndReasons) {
  EXPECT_EQ(
      choiceOf(Row{64, 28, 64, 3, 1, 1, 16}.problem(), machineNamed("avx512")).text(),
      "grouped, 65.2 us estimated; oneDNN 151.1 us; planes 152.3 us; not Winograd 2x2: not a 3x3 filter "
      "of stride 1 on 16 or more channels, last, in float32; not Winograd 4x4: not a 3x3 filter of stride 1 "
      "on 16 or more channels, last, in float32; not indirect: groups of fewer than 4 channels, or to fewer "
      "than 8; not pixels: an image has channels "
      "last");
}

} // namespace
} // namespace proa::runtime
