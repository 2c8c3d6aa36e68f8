/// Small programs as IR files with weights.
#pragma once

#include "proa/Model.h"

#include "lib/base/support/Files.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace proa {

inline std::string temporaryFile(const std::string &name) {
  return (std::filesystem::path(testing::TempDir()) / fmt::format("proa-session-{}-{}", ::getpid(), name))
      .string();
}

/// Numbers that depend on `seed`, below 1/16.
inline Tensor numbers(std::vector<int64_t> dims, int64_t seed) {
  Tensor tensor(DType::Float32, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = static_cast<float>((i * 37 + seed * 101) % 19 - 9) / 160;
  return tensor;
}

/// "y" is x after `depth` layers relu(x w) of `width` features; x has any number of rows.
inline std::string layersProgram(int depth, int64_t width) {
  std::string arguments = fmt::format("%x: tensor<?x{}xf32> {{pd.feed = \"x\"}}", width), body, last = "%x";
  for (int i = 0; i < depth; ++i) {
    arguments += fmt::format(", %w{0}: tensor<{1}x{1}xf32> {{pd.param = \"w{0}\"}}", i, width);
    body += fmt::format("  %p{0} = pd.matmul {1}, %w{0} : (tensor<?x{2}xf32>, tensor<{2}x{2}xf32>) -> "
                        "tensor<?x{2}xf32>\n  %r{0} = pd.relu %p{0} : (tensor<?x{2}xf32>) -> "
                        "tensor<?x{2}xf32>\n",
                        i, last, width);
    last = fmt::format("%r{}", i);
  }
  return fmt::format("func.func @main({}) -> (tensor<?x{}xf32> {{pd.fetch = \"y\"}}) {{\n{}  return {} : "
                     "tensor<?x{}xf32>\n}}\n",
                     arguments, width, body, last, width);
}

/// A model of layersProgram with weights in a file.
inline Result<Model> openLayers(int depth, int64_t width, ModelOptions options = {}) {
  std::string program = temporaryFile("layers.mlir");
  EXPECT_TRUE(writeFile(program, layersProgram(depth, width)));
  options.parameters = temporaryFile("layers.safetensors");
  std::map<std::string, Tensor> weights;
  for (int i = 0; i < depth; ++i)
    weights[fmt::format("w{}", i)] = numbers({width, width}, i + 1);
  EXPECT_TRUE(params::writeSafetensors(options.parameters, weights));
  options.cacheDirectory = "off";
  return Model::open(program, std::move(options));
}

/// A counter: "n" grows by x in each run, and "y" is its new value.
inline Result<Model> openCounter(ModelOptions options = {}, const std::string &cache = "off") {
  std::string program = temporaryFile("counter.mlir");
  EXPECT_TRUE(writeFile(program, R"(
func.func @main(%x: tensor<1xf32> {pd.feed = "x"}, %n: tensor<1xf32> {pd.param = "n"})
    -> (tensor<1xf32> {pd.fetch = "y"}, tensor<1xf32> {pd.state = "n"}) {
  %0 = pd.add %n, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %0, %0 : tensor<1xf32>, tensor<1xf32>
})"));
  options.parameters = temporaryFile("counter.safetensors");
  Tensor start(DType::Float32, {1});
  *start.as<float>() = 10;
  EXPECT_TRUE(params::writeSafetensors(options.parameters, {{"n", start}}));
  options.cacheDirectory = cache;
  return Model::open(program, std::move(options));
}

} // namespace proa
