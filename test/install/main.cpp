// Runs LeNet through the C++ interface and compares with Paddle's output. Arguments: the model's folder.
#include "../common/tensor_file.h"

#include <proa/Model.h>

#include <iostream>

int main(int argc, char **argv) {
  std::string folder = argv[argc - 1];
  file_tensor image, expected;
  proa::ModelOptions options;
  options.cacheDirectory = "off";
  auto model = proa::Model::open(folder, options);
  if (!model) {
    std::cerr << model.diagnostics().text();
    return 1;
  }
  if (model->feeds().size() != 1 || model->fetches().size() != 1) {
    std::cerr << "expected one feed and one fetch\n";
    return 1;
  }
  if (read_tensor((folder + "/inputs.safetensors").c_str(), model->feeds()[0].name.c_str(), &image) ||
      read_tensor((folder + "/expected.safetensors").c_str(), model->fetches()[0].c_str(), &expected))
    return 1;
  std::vector<int64_t> dims(image.dims, image.dims + image.tensor.rank);
  proa::Tensor input(proa::DType::Float32, dims, image.tensor.data, nullptr);
  auto session = model->session();
  if (!session) {
    std::cerr << session.diagnostics().text();
    return 1;
  }
  auto outputs = session->run({{model->feeds()[0].name, input}});
  if (!outputs) {
    std::cerr << outputs.diagnostics().text();
    return 1;
  }
  proa::Tensor &result = outputs->at(0).tensor;
  proa_tensor got = {static_cast<proa_dtype>(result.dtype()), result.dims().size(), result.dims().data(),
                     result.data()};
  std::cout << "proa " << proa::version() << ": " << result.describe() << "\n";
  return count_differences(&got, &expected.tensor, 1e-4, 1e-5) != 0;
}
