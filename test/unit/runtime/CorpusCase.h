/// Runs one op of a program of the corpus by a library kernel, on its inputs, and compares with Paddle's
/// outputs.
#pragma once

#include "lib/base/support/Files.h"
#include "test/unit/runtime/KernelHarness.h"
#include "translator/legacy/ReadProgram.h"

#include <gtest/gtest.h>

#include <cstring>

namespace proa::runtime {

/// The tensors of a safetensors file.
inline NamedTensors readTensors(const std::string &path) {
  NamedTensors out;
  Result<std::string> content = readFile(path);
  if (!content)
    return out;
  uint64_t headerBytes = 0;
  std::memcpy(&headerBytes, content->data(), sizeof(headerBytes));
  nlohmann::json header = nlohmann::json::parse(content->substr(8, headerBytes));
  const std::map<std::string, DType> dtypes{
      {"F32", DType::Float32}, {"F64", DType::Float64},  {"I64", DType::Int64}, {"I32", DType::Int32},
      {"BOOL", DType::Bool},   {"U8", DType::UInt8},     {"I8", DType::Int8},   {"I16", DType::Int16},
      {"F16", DType::Float16}, {"BF16", DType::BFloat16}};
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__" || !dtypes.contains(entry["dtype"]))
      continue;
    Tensor tensor(dtypes.at(entry["dtype"]), entry["shape"].get<std::vector<int64_t>>());
    std::memcpy(tensor.data(), content->data() + 8 + headerBytes + entry["data_offsets"][0].get<size_t>(),
                tensor.bytes());
    out[name] = tensor;
  }
  return out;
}

inline nlohmann::json toJson(const legacy::AttributeValue &value) {
  return std::visit(
      [](const auto &v) -> nlohmann::json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<legacy::Scalar>>) {
          nlohmann::json list = nlohmann::json::array();
          for (const legacy::Scalar &scalar : v)
            list.push_back(std::holds_alternative<double>(scalar.value)
                               ? nlohmann::json(std::get<double>(scalar.value))
                           : std::holds_alternative<int64_t>(scalar.value)
                               ? nlohmann::json(std::get<int64_t>(scalar.value))
                               : nlohmann::json(1.0));
          return list;
        } else if constexpr (std::is_constructible_v<nlohmann::json, T>) {
          return v;
        } else {
          return nullptr;
        }
      },
      value);
}

/// Mapping of a legacy op to a step.
struct CorpusOp {
  std::string folder;                              ///< "ops/gather/axis0"
  std::string op;                                  ///< legacy type
  std::string kernel;                              ///< name in the library
  std::vector<std::string> inputs, outputs;        ///< slots in the kernel's order; variadic slots expand
  std::map<std::string, std::string> renamed = {}; ///< kernel's attribute -> legacy attribute
  double tolerance = 1e-5;
  Dims dims = Dims::Static;
};

inline void PrintTo(const CorpusOp &op, std::ostream *out) { *out << op.folder; }

inline void expectSame(const Tensor &found, const Tensor &expected, double tolerance) {
  ASSERT_EQ(found.describe(), expected.describe());
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (expected.dtype() == DType::Float32 || expected.dtype() == DType::Float64) {
      bool isFloat = expected.dtype() == DType::Float32;
      double a = isFloat ? double(found.as<float>()[i]) : found.as<double>()[i];
      double b = isFloat ? double(expected.as<float>()[i]) : expected.as<double>()[i];
      bool same =
          a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b));
      ASSERT_TRUE(same) << "element " << i << " of " << expected.describe() << ": " << a << ", Paddle has "
                        << b;
    } else {
      size_t bytes = sizeOf(expected.dtype());
      ASSERT_EQ(0, std::memcmp(found.as<char>() + i * int64_t(bytes),
                               expected.as<char>() + i * int64_t(bytes), bytes))
          << "element " << i << " of " << expected.describe();
    }
  }
}

/// Erases the attributes that the kernel does not have (the legacy op's role, its name scope ...), and
/// dtypes, which legacy ops number.
inline void keepKnownAttributes(KernelCase &c) {
  c.attributes.erase("dtype");
  const KernelEntry *kernel = findLibraryKernel(c.name);
  ASSERT_TRUE(kernel) << c.name;
  auto created = kernel->create(c.attributes, {});
  if (created)
    return;
  const std::string prefix = "unknown attribute '";
  for (const Diagnostic &diagnostic : created.diagnostics())
    if (diagnostic.message.starts_with(prefix))
      c.attributes.erase(
          diagnostic.message.substr(prefix.size(), diagnostic.message.size() - prefix.size() - 1));
}

/// The variable that a cast of the same type or an assign copies.
inline std::string sourceOf(const legacy::Program &program, const std::string &name) {
  for (const legacy::Operation &op : program.blocks[0].operations)
    if ((op.type == "cast" || op.type == "assign") && op.output("Out")->arguments.at(0) == name)
      return op.input("X")->arguments.at(0);
  return name;
}

inline void runCorpusOp(const CorpusOp &test) {
  std::string folder = PROA_CORPUS_DIR "/" + test.folder;
  auto program = legacy::readProgram(folder + "/program.json");
  ASSERT_TRUE(program) << program.diagnostics().text();
  NamedTensors known = readTensors(folder + "/inputs.safetensors"),
               expected = readTensors(folder + "/expected.safetensors");
  known.merge(readTensors(folder + "/params.safetensors"));
  for (const legacy::Operation &op : program->blocks[0].operations) {
    if (op.type != test.op)
      continue;
    KernelCase c{test.kernel, nlohmann::json::object(), {}, {}, {}, test.dims};
    for (const legacy::Attribute &attribute : op.attributes)
      c.attributes[attribute.name] = toJson(attribute.value);
    for (const auto &[ours, theirs] : test.renamed)
      c.attributes[ours] = c.attributes[theirs];
    keepKnownAttributes(c);
    for (const std::string &slot : test.inputs) {
      ASSERT_TRUE(op.input(slot)) << slot;
      for (const std::string &name : op.input(slot)->arguments) {
        std::string source = sourceOf(*program, name);
        ASSERT_TRUE(known.contains(source)) << name << " is not a feed";
        c.inputs.push_back(known[source]);
      }
      if (op.input(slot)->arguments.empty())
        c.inputs.emplace_back(); // absent
    }
    std::vector<Tensor> results;
    size_t position = 0;
    for (const std::string &slot : test.outputs)
      for (const std::string &name : op.output(slot)->arguments) {
        if (expected.contains(name)) {
          results.push_back(expected[name]);
          c.outputs.emplace_back(results.back().dtype(), results.back().dims());
        } else {
          c.absentOutputs.push_back(position); // not fetched
        }
        ++position;
      }
    ASSERT_FALSE(results.empty()) << "no result is fetched";
    auto found = runCase(c);
    ASSERT_TRUE(found) << found.diagnostics().text();
    for (size_t i = 0; i < results.size(); ++i)
      expectSame((*found)[i], results[i], test.tolerance);
    return;
  }
  FAIL() << "no op " << test.op;
}

} // namespace proa::runtime
