#include "translator/onnx/WriteModel.h"

#include "lib/base/support/Files.h"
#include "translator/onnx/TensorReader.h"
#include "translator/onnx/onnx.pb.h"

#include <fmt/format.h>

#include <climits>
#include <filesystem>

namespace proa::onnx {
namespace {

constexpr size_t externalAlignment = 4096;

std::span<const std::byte> bytesOf(const Tensor &tensor) {
  return {static_cast<const std::byte *>(tensor.data()), tensor.bytes()};
}

/// Collects the tensors of the file with external data.
struct ExternalData {
  std::string location; ///< name of the file
  size_t from;          ///< smallest number of bytes
  size_t end = 0;
  std::vector<std::pair<size_t, const Tensor *>> pieces = {}; ///< offset, elements
};

/// Sets a field that has no default value only, so that absent fields stay absent.
#define PROA_SET(to, field, value)                                                                           \
  if (!(value).empty())                                                                                      \
  (to).set_##field(value)

/// Converts a model to messages.
class ModelWriter {
public:
  explicit ModelWriter(ExternalData *external) : external(external) {}

  void model(const Model &from, proto::Model &to) {
    to.set_ir_version(from.irVersion);
    opsets(from.opsetImports, *to.mutable_opset_import());
    PROA_SET(to, producer_name, from.producerName);
    PROA_SET(to, producer_version, from.producerVersion);
    PROA_SET(to, domain, from.domain);
    if (from.modelVersion != 0)
      to.set_model_version(from.modelVersion);
    PROA_SET(to, doc_string, from.docString);
    graph(from.graph, *to.mutable_graph(), /*isMain=*/true);
    entries(from.metadata, *to.mutable_metadata_props());
    for (const TrainingInfo &info : from.trainingInfos)
      trainingInfo(info, *to.add_training_info());
    for (const Function &item : from.functions)
      function(item, *to.add_functions());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

private:
  template <class List> static void entries(const Metadata &from, List &to) {
    for (const auto &[key, value] : from) {
      proto::Entry &entry = *to.Add();
      entry.set_key(key);
      entry.set_value(value);
    }
  }

  template <class List> static void opsets(const std::vector<OpsetImport> &from, List &to) {
    for (const OpsetImport &import : from) {
      proto::OperatorSetId &opset = *to.Add();
      PROA_SET(opset, domain, import.domain);
      opset.set_version(import.version);
      *opset.mutable_unknown_fields() = import.unknownFields;
    }
  }

  template <class List> static void strings(const std::vector<std::string> &from, List &to) {
    for (const std::string &text : from)
      *to.Add() = text;
  }

  void trainingInfo(const TrainingInfo &from, proto::TrainingInfo &to) {
    if (from.initialization)
      graph(*from.initialization, *to.mutable_initialization());
    if (from.algorithm)
      graph(*from.algorithm, *to.mutable_algorithm());
    entries(from.initializationBinding, *to.mutable_initialization_binding());
    entries(from.updateBinding, *to.mutable_update_binding());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

  void function(const Function &from, proto::Function &to) {
    to.set_name(from.name);
    to.set_domain(from.domain);
    PROA_SET(to, overload, from.overload);
    strings(from.inputs, *to.mutable_input());
    strings(from.outputs, *to.mutable_output());
    strings(from.attributes, *to.mutable_attribute());
    for (const Attribute &item : from.defaultedAttributes)
      attribute(item, *to.add_attribute_proto());
    for (const Node &item : from.nodes)
      node(item, *to.add_node());
    opsets(from.opsetImports, *to.mutable_opset_import());
    for (const ValueInfo &info : from.valueInfos)
      valueInfo(info, *to.add_value_info());
    PROA_SET(to, doc_string, from.docString);
    entries(from.metadata, *to.mutable_metadata_props());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

  void graph(const Graph &from, proto::Graph &to, bool isMain = false) {
    PROA_SET(to, name, from.name);
    for (const Node &item : from.nodes)
      node(item, *to.add_node());
    for (const TensorValue &item : from.initializers)
      tensor(item, *to.add_initializer(), /*mayBeExternal=*/isMain);
    for (const SparseTensorValue &item : from.sparseInitializers)
      sparseTensor(item, *to.add_sparse_initializer());
    for (const ValueInfo &info : from.inputs)
      valueInfo(info, *to.add_input());
    for (const ValueInfo &info : from.outputs)
      valueInfo(info, *to.add_output());
    for (const ValueInfo &info : from.valueInfos)
      valueInfo(info, *to.add_value_info());
    for (const QuantizationAnnotation &annotation : from.quantization) {
      proto::TensorAnnotation &item = *to.add_quantization_annotation();
      item.set_tensor_name(annotation.tensor);
      entries(annotation.parameters, *item.mutable_quant_parameter_tensor_names());
      *item.mutable_unknown_fields() = annotation.unknownFields;
    }
    PROA_SET(to, doc_string, from.docString);
    entries(from.metadata, *to.mutable_metadata_props());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

  void node(const Node &from, proto::Node &to) {
    strings(from.inputs, *to.mutable_input());
    strings(from.outputs, *to.mutable_output());
    PROA_SET(to, name, from.name);
    PROA_SET(to, op_type, from.type);
    PROA_SET(to, domain, from.domain);
    PROA_SET(to, overload, from.overload);
    for (const Attribute &item : from.attributes)
      attribute(item, *to.add_attribute());
    PROA_SET(to, doc_string, from.docString);
    entries(from.metadata, *to.mutable_metadata_props());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

  void attribute(const Attribute &from, proto::Attribute &to) {
    PROA_SET(to, name, from.name);
    PROA_SET(to, ref_attr_name, from.reference);
    PROA_SET(to, doc_string, from.docString);
    to.set_type(static_cast<int32_t>(from.kind));
    *to.mutable_unknown_fields() = from.unknownFields;
    std::visit([&](const auto &value) { attributeValue(from.kind, value, to); }, from.value);
  }

  static void attributeValue(AttributeKind, std::monostate, proto::Attribute &) {}
  static void attributeValue(AttributeKind, float value, proto::Attribute &to) { to.set_f(value); }
  static void attributeValue(AttributeKind, int64_t value, proto::Attribute &to) { to.set_i(value); }
  static void attributeValue(AttributeKind, const std::string &value, proto::Attribute &to) {
    to.set_s(value);
  }
  static void attributeValue(AttributeKind, const std::vector<float> &list, proto::Attribute &to) {
    to.mutable_floats()->Add(list.begin(), list.end());
  }
  static void attributeValue(AttributeKind, const std::vector<int64_t> &list, proto::Attribute &to) {
    to.mutable_ints()->Add(list.begin(), list.end());
  }
  static void attributeValue(AttributeKind, const std::vector<std::string> &list, proto::Attribute &to) {
    strings(list, *to.mutable_strings());
  }
  void attributeValue(AttributeKind kind, const std::vector<TensorValue> &list, proto::Attribute &to) {
    for (const TensorValue &item : list)
      tensor(item, kind == AttributeKind::Tensor ? *to.mutable_t() : *to.add_tensors());
  }
  void attributeValue(AttributeKind kind, const std::vector<Graph> &list, proto::Attribute &to) {
    for (const Graph &item : list)
      graph(item, kind == AttributeKind::Graph ? *to.mutable_g() : *to.add_graphs());
  }
  void attributeValue(AttributeKind kind, const std::vector<SparseTensorValue> &list, proto::Attribute &to) {
    for (const SparseTensorValue &item : list)
      sparseTensor(item, kind == AttributeKind::SparseTensor ? *to.mutable_sparse_tensor()
                                                             : *to.add_sparse_tensors());
  }
  void attributeValue(AttributeKind kind, const std::vector<Type> &list, proto::Attribute &to) {
    for (const Type &item : list)
      type(item, kind == AttributeKind::Type ? *to.mutable_tp() : *to.add_type_protos());
  }

  void sparseTensor(const SparseTensorValue &from, proto::SparseTensor &to) {
    tensor(from.values, *to.mutable_values());
    if (from.indices)
      tensor(*from.indices, *to.mutable_indices());
    to.mutable_dims()->Add(from.dims.begin(), from.dims.end());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

  void tensor(const TensorValue &from, proto::Tensor &to, bool mayBeExternal = false) {
    PROA_SET(to, name, from.name);
    to.set_data_type(static_cast<int32_t>(from.type));
    to.mutable_dims()->Add(from.dims.begin(), from.dims.end());
    PROA_SET(to, doc_string, from.docString);
    entries(from.metadata, *to.mutable_metadata_props());
    *to.mutable_unknown_fields() = from.unknownFields;
    strings(from.strings, *to.mutable_string_data());
    size_t bytes = from.elements.bytes();
    if (bytes == 0 || from.type == DataType::String)
      return;
    if (bitsOf(from.type) < 8)
      to.set_raw_data(packed(from.type, from.elements));
    else if (mayBeExternal && external && bytes >= external->from)
      externalTensor(from.elements, to);
    else
      to.set_raw_data(from.elements.data(), bytes);
  }

  void externalTensor(const Tensor &elements, proto::Tensor &to) {
    size_t offset = (external->end + externalAlignment - 1) / externalAlignment * externalAlignment;
    external->pieces.emplace_back(offset, &elements);
    external->end = offset + elements.bytes();
    to.set_data_location(1);
    entries({{"location", external->location},
             {"offset", std::to_string(offset)},
             {"length", std::to_string(elements.bytes())}},
            *to.mutable_external_data());
  }

  static void valueInfo(const ValueInfo &from, proto::ValueInfo &to) {
    PROA_SET(to, name, from.name);
    if (from.type)
      type(*from.type, *to.mutable_type());
    PROA_SET(to, doc_string, from.docString);
    entries(from.metadata, *to.mutable_metadata_props());
    *to.mutable_unknown_fields() = from.unknownFields;
  }

  static void type(const Type &from, proto::Type &to) {
    PROA_SET(to, denotation, from.denotation);
    *to.mutable_unknown_fields() = from.unknownFields;
    const Type *element = from.element.empty() ? nullptr : from.element.data();
    switch (from.kind) {
    case Type::Kind::None:
      return;
    case Type::Kind::Tensor:
      return tensorType(from, *to.mutable_tensor_type());
    case Type::Kind::SparseTensor:
      return tensorType(from, *to.mutable_sparse_tensor_type());
    case Type::Kind::Sequence:
      to.mutable_sequence_type();
      return element ? type(*element, *to.mutable_sequence_type()->mutable_elem_type()) : void();
    case Type::Kind::Optional:
      to.mutable_optional_type();
      return element ? type(*element, *to.mutable_optional_type()->mutable_elem_type()) : void();
    case Type::Kind::Map:
      to.mutable_map_type()->set_key_type(static_cast<int32_t>(from.elementType));
      return element ? type(*element, *to.mutable_map_type()->mutable_value_type()) : void();
    case Type::Kind::Opaque:
      to.mutable_opaque_type()->set_domain(from.opaqueDomain);
      to.mutable_opaque_type()->set_name(from.opaqueName);
      return;
    }
  }

  static void tensorType(const Type &from, proto::TensorType &to) {
    if (from.elementType != DataType::Undefined)
      to.set_elem_type(static_cast<int32_t>(from.elementType));
    if (!from.dims)
      return;
    to.mutable_shape();
    for (const Dim &dim : *from.dims) {
      proto::Dim &item = *to.mutable_shape()->add_dim();
      if (const auto *size = std::get_if<int64_t>(&dim.value))
        item.set_dim_value(*size);
      else if (const auto *name = std::get_if<std::string>(&dim.value))
        item.set_dim_param(*name);
      PROA_SET(item, denotation, dim.denotation);
      *item.mutable_unknown_fields() = dim.unknownFields;
    }
  }

  ExternalData *external;
};

#undef PROA_SET

Result<std::string> serializeMessage(const proto::Model &message, const std::string &name) {
  if (size_t size = message.ByteSizeLong(); size > INT_MAX)
    return errorAt(
        name, fmt::format("the model has {} bytes, expected less than 2 GiB: a protobuf message cannot be "
                          "larger, so that weights must be in a file with external data",
                          size));
  return message.SerializePartialAsString();
}

void writeExternal(const ExternalData &external, FileWriter &file) {
  static constexpr std::byte zeros[externalAlignment] = {};
  size_t end = 0;
  for (const auto &[offset, elements] : external.pieces) {
    file.append(std::span(zeros, offset - end));
    file.append(bytesOf(*elements));
    end = offset + elements->bytes();
  }
}

} // namespace

Result<std::string> serialize(const Model &model) {
  proto::Model message;
  ModelWriter(nullptr).model(model, message);
  return serializeMessage(message, "");
}

Result<void> writeModel(const Model &model, const std::string &path, const WriteOptions &options) {
  ExternalData external{std::filesystem::path(path).filename().string() + ".data",
                        options.externalFrom.value_or(0)};
  proto::Model message;
  ModelWriter(options.externalFrom ? &external : nullptr).model(model, message);
  Result<std::string> bytes = serializeMessage(message, path);
  if (!bytes)
    return bytes.diagnostics();
  FileWriter file(path);
  file.append(std::as_bytes(std::span(*bytes)));
  if (!external.pieces.empty()) {
    FileWriter data((std::filesystem::path(path).parent_path() / external.location).string());
    writeExternal(external, data);
    if (Result<void> written = data.finish(); !written)
      return written;
  }
  return file.finish();
}

} // namespace proa::onnx
