#include "translator/legacy/WriteProgram.h"

#include "lib/base/support/Parallel.h"
#include "translator/legacy/FormatNames.h"
#include "translator/legacy/framework.pb.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace proa::legacy {
namespace {

template <class... Cases> struct Overloaded : Cases... {
  using Cases::operator()...;
};

//===-- Protobuf ----------------------------------------------------------------------------------------===//

void fill(const Variable &variable, proto::VarDesc &out) {
  out.set_name(variable.name);
  out.set_persistable(variable.persistable);
  out.set_need_check_feed(variable.needCheckFeed);
  out.set_is_parameter(variable.isParameter);
  out.set_stop_gradient(variable.stopGradient);
  out.mutable_type()->set_type(static_cast<proto::VarType::Type>(variable.kind));
  if (variable.kind != VariableKind::DenseTensor || !variable.dtype)
    return;
  auto &tensor = *out.mutable_type()->mutable_dense_tensor();
  tensor.set_legacy_lod_level(variable.lodLevel);
  tensor.mutable_tensor()->set_data_type(static_cast<proto::VarType::Type>(numberOf(*variable.dtype)));
  for (int64_t dim : variable.dims)
    tensor.mutable_tensor()->add_dims(dim);
}

void fill(const Scalar &scalar, proto::Scalar &out) {
  out.set_type(static_cast<proto::Scalar::Type>(scalar.value.index() + 1));
  std::visit(Overloaded{[&](bool v) { out.set_b(v); }, [&](int64_t v) { out.set_i(v); },
                        [&](double v) { out.set_r(v); },
                        [&](const Complex &v) {
                          out.mutable_c()->set_r(v.real);
                          out.mutable_c()->set_i(v.imaginary);
                        }},
             scalar.value);
}

void fill(const Attribute &attribute, proto::OpDesc::Attr &out) {
  out.set_name(attribute.name);
  out.set_type(static_cast<proto::AttrType>(attribute.value.index()));
  std::visit(
      Overloaded{[&](int32_t v) { out.set_i(v); }, [&](float v) { out.set_f(v); },
                 [&](const std::string &v) { out.set_s(v); },
                 [&](const std::vector<int32_t> &v) { out.mutable_ints()->Assign(v.begin(), v.end()); },
                 [&](const std::vector<float> &v) { out.mutable_floats()->Assign(v.begin(), v.end()); },
                 [&](const std::vector<std::string> &v) {
                   for (const std::string &s : v)
                     out.add_strings(s);
                 },
                 [&](bool v) { out.set_b(v); },
                 [&](const std::vector<bool> &v) { out.mutable_bools()->Assign(v.begin(), v.end()); },
                 [&](BlockIndex v) { out.set_block_idx(v.index); }, [&](int64_t v) { out.set_l(v); },
                 [&](const BlockIndices &v) {
                   out.mutable_blocks_idx()->Assign(v.indices.begin(), v.indices.end());
                 },
                 [&](const std::vector<int64_t> &v) { out.mutable_longs()->Assign(v.begin(), v.end()); },
                 [&](const std::vector<double> &v) { out.mutable_float64s()->Assign(v.begin(), v.end()); },
                 [&](const VariableName &v) { out.set_var_name(v.name); },
                 [&](const VariableNames &v) {
                   for (const std::string &s : v.names)
                     out.add_vars_name(s);
                 },
                 [&](double v) { out.set_float64(v); },
                 [&](const Scalar &v) { fill(v, *out.mutable_scalar()); },
                 [&](const std::vector<Scalar> &v) {
                   for (const Scalar &scalar : v)
                     fill(scalar, *out.add_scalars());
                 }},
      attribute.value);
}

void fill(const Slot &slot, proto::OpDesc::Var &out) {
  out.set_parameter(slot.name);
  for (const std::string &name : slot.arguments)
    out.add_arguments(name);
}

//===-- JSON --------------------------------------------------------------------------------------------===//

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

template <class List, class Convert> Json list(const List &values, Convert convert) {
  Json out = Json::array();
  for (const auto &value : values)
    out.push_back(convert(value));
  return out;
}

Json textOf(int64_t value) { return std::to_string(value); }

Json json(const Scalar &scalar) {
  Json out{{"type", proto::Scalar::Type_Name(static_cast<proto::Scalar::Type>(scalar.value.index() + 1))}};
  std::visit(
      Overloaded{[&](bool v) { out["b"] = v; }, [&](int64_t v) { out["i"] = textOf(v); },
                 [&](double v) { out["r"] = number(v); },
                 [&](const Complex &v) { out["c"] = {{"r", number(v.real)}, {"i", number(v.imaginary)}}; }},
      scalar.value);
  return out;
}

Json json(const Attribute &attribute) {
  Json out{{"name", attribute.name},
           {"type", proto::AttrType_Name(static_cast<proto::AttrType>(attribute.value.index()))}};
  auto put = [&](const char *field, Json value) { out[field] = std::move(value); };
  auto same = [](const auto &value) { return Json(value); };
  std::visit(
      Overloaded{[&](int32_t v) { put("i", v); }, [&](float v) { put("f", number(v)); },
                 [&](const std::string &v) { put("s", v); },
                 [&](const std::vector<int32_t> &v) { put("ints", list(v, same)); },
                 [&](const std::vector<float> &v) { put("floats", list(v, number)); },
                 [&](const std::vector<std::string> &v) { put("strings", list(v, same)); },
                 [&](bool v) { put("b", v); },
                 [&](const std::vector<bool> &v) { put("bools", list(v, [](bool b) { return Json(b); })); },
                 [&](BlockIndex v) { put("block_idx", v.index); }, [&](int64_t v) { put("l", textOf(v)); },
                 [&](const BlockIndices &v) { put("blocks_idx", list(v.indices, same)); },
                 [&](const std::vector<int64_t> &v) { put("longs", list(v, textOf)); },
                 [&](const std::vector<double> &v) { put("float64s", list(v, number)); },
                 [&](const VariableName &v) { put("var_name", v.name); },
                 [&](const VariableNames &v) { put("vars_name", list(v.names, same)); },
                 [&](double v) { put("float64", number(v)); },
                 [&](const Scalar &v) { put("scalar", json(v)); },
                 [&](const std::vector<Scalar> &v) {
                   put("scalars", list(v, [](const Scalar &s) { return json(s); }));
                 }},
      attribute.value);
  return out;
}

std::string typeName(int32_t code) {
  // Paddle 2.6 knows dense tensors by their older names.
  if (code == proto::VarType::DENSE_TENSOR)
    return "LOD_TENSOR";
  return code == proto::VarType::DENSE_TENSOR_ARRAY
             ? "LOD_TENSOR_ARRAY"
             : proto::VarType::Type_Name(static_cast<proto::VarType::Type>(code));
}

Json json(const Variable &variable) {
  Json type{{"type", typeName(static_cast<int32_t>(variable.kind))}};
  if (variable.kind == VariableKind::DenseTensor && variable.dtype)
    type["lod_tensor"] = {
        {"tensor",
         {{"data_type", typeName(numberOf(*variable.dtype))}, {"dims", list(variable.dims, textOf)}}},
        {"lod_level", variable.lodLevel}};
  return {{"name", variable.name},
          {"type", type},
          {"persistable", variable.persistable},
          {"need_check_feed", variable.needCheckFeed},
          {"is_parameter", variable.isParameter},
          {"stop_gradient", variable.stopGradient}};
}

Json json(const std::vector<Slot> &slots) {
  return list(slots,
              [](const Slot &slot) { return Json{{"parameter", slot.name}, {"arguments", slot.arguments}}; });
}

Json json(const Operation &op) {
  return {{"inputs", json(op.inputs)},
          {"outputs", json(op.outputs)},
          {"type", op.type},
          {"attrs", list(op.attributes, [](const Attribute &attribute) { return json(attribute); })}};
}

/// Writes a list. The values of a large program take ten times the memory of its text, and that takes as much
/// as the program: at most one element's values for each core exist at once, and the texts of a few
/// thousand.
template <class Element> void writeList(const std::vector<Element> &elements, const WriteText &write) {
  constexpr size_t atOnce = 8192, together = 256;
  write("[");
  for (size_t begin = 0; begin < elements.size(); begin += atOnce) {
    std::array<std::string, atOnce / together> texts;
    parallelFor(texts.size(), [&](size_t index) {
      size_t first = begin + index * together;
      for (size_t i = first; i < std::min(first + together, elements.size()); ++i)
        texts[index] += (i == 0 ? "" : ",") + json(elements[i]).dump();
    });
    for (const std::string &text : texts)
      write(text);
  }
  write("]");
}

} // namespace

std::string writeBinary(const Program &program) {
  proto::ProgramDesc out;
  for (const Block &block : program.blocks) {
    proto::BlockDesc &to = *out.add_blocks();
    to.set_idx(block.index);
    to.set_parent_idx(block.parent);
    to.set_forward_block_idx(block.forwardBlock);
    for (const Variable &variable : block.variables)
      fill(variable, *to.add_vars());
    for (const Operation &operation : block.operations) {
      proto::OpDesc &op = *to.add_ops();
      op.set_type(operation.type);
      op.set_is_target(operation.isTarget);
      for (const Slot &slot : operation.inputs)
        fill(slot, *op.add_inputs());
      for (const Slot &slot : operation.outputs)
        fill(slot, *op.add_outputs());
      for (const Attribute &attribute : operation.attributes)
        fill(attribute, *op.add_attrs());
    }
  }
  out.mutable_version()->set_version(program.version);
  for (auto &[name, version] : program.opVersions) {
    auto &pair = *out.mutable_op_version_map()->add_pair();
    pair.set_op_name(name);
    pair.mutable_op_version()->set_version(version);
  }
  return out.SerializeAsString();
}

void writeJson(const Program &program, const WriteText &write) {
  write("{\"blocks\":[");
  for (const Block &block : program.blocks) {
    write(&block == &program.blocks.front() ? "" : ",");
    write(fmt::format("{{\"idx\":{},\"parent_idx\":{},\"vars\":", block.index, block.parent));
    writeList(block.variables, write);
    write(",\"ops\":");
    writeList(block.operations, write);
    write(fmt::format(",\"forward_block_idx\":{}}}", block.forwardBlock));
  }
  Json pairs = Json::array();
  for (auto &[name, version] : program.opVersions)
    pairs.push_back({{"op_name", name}, {"op_version", {{"version", version}}}});
  Json version{{"version", std::to_string(program.version)}}, versions{{"pair", std::move(pairs)}};
  write("],\"version\":" + version.dump() + ",\"op_version_map\":" + versions.dump() + "}\n");
}

std::string writeJson(const Program &program) {
  std::string text;
  writeJson(program, [&](std::string_view piece) { text += piece; });
  return text;
}

} // namespace proa::legacy
