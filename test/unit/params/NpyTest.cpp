#include "translator/params/Npy.h"

#include "ParamsTesting.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::params;
using testing::HasSubstr;

namespace {

std::string npy(const std::string &header, const std::string &data, char major = 1) {
  std::string length = major == 1 ? bytesOf<uint16_t>({static_cast<uint16_t>(header.size())})
                                  : bytesOf<uint32_t>({static_cast<uint32_t>(header.size())});
  return "\x93NUMPY" + std::string{major, '\0'} + length + header + data;
}

class Npy : public testing::Test {
protected:
  Tensor readGood(const std::string &content) {
    auto tensor = readNpy(folder.file("a.npy", content));
    EXPECT_TRUE(tensor) << tensor.diagnostics().text();
    return tensor ? *tensor : Tensor();
  }

  std::string readBad(const std::string &content) {
    auto tensor = readNpy(folder.file("a.npy", content));
    EXPECT_FALSE(tensor);
    return tensor ? "" : tensor.diagnostics().text();
  }

  TemporaryFolder folder;
};

TEST_F(Npy, ReadsWhatNumpyWrites) {
  Tensor tensor = readGood(
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n", bytesOf<float>({1, 2.5})));
  EXPECT_EQ(tensor.describe(), "float32[2, 1]");
  EXPECT_EQ(valuesOf<float>(tensor), (std::vector<float>{1, 2.5}));
  EXPECT_EQ(
      readGood(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n", std::string("\0\1", 2), 2))
          .describe(),
      "bool[2]");
  EXPECT_EQ(
      readGood(npy("{'descr': '<c16', 'fortran_order': False, 'shape': (), }\n", bytesOf<double>({1, 2}), 3))
          .describe(),
      "complex128[]");
}

TEST_F(Npy, FortranOrder) {
  // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]]) is 1 4 2 5 3 6 in memory.
  Tensor tensor = readGood(npy("{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }\n",
                               bytesOf<int64_t>({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(valuesOf<int64_t>(tensor), (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, DamagedFiles) {
  std::string good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", bytesOf<float>({1, 2}));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(readBad(good.substr(0, size)), "") << size;
  EXPECT_THAT(readBad("hello, world"), HasSubstr("this is not a .npy file"));
  EXPECT_THAT(readBad(good + "x"), HasSubstr("float32[2] does not fit the 9 bytes"));
  EXPECT_THAT(readBad(npy("{}", "", 9)), HasSubstr("found format version 9"));
  EXPECT_THAT(readBad(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (), }", "1234")),
              HasSubstr("big-endian numbers ('>f4')"));
  EXPECT_THAT(readBad(npy("{'descr': '|O', 'fortran_order': False, 'shape': (), }", "1234")),
              HasSubstr("elements of type '|O'"));
  EXPECT_THAT(readBad(npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (), }", "1234")),
              HasSubstr("'fortran_order'"));
  EXPECT_THAT(readBad(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234")),
              HasSubstr("'shape'"));
  EXPECT_THAT(
      readBad(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,), }", "1234")),
      HasSubstr("'shape'"));
  EXPECT_THAT(
      readBad(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "1234")),
      HasSubstr("does not fit"));
}

} // namespace
