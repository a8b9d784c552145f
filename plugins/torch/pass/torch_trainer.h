#pragma once

#include "plugins/torch/libtorch.h"
#include "stats/sparse_autoencoder.h"

// The training of a sparse autoencoder in ATen, for a GPU. It runs on the CPU as well, which is how it is
// tested where there is no GPU; there atcav's own arithmetic is faster.
namespace atcav::plugin {

// Rows are copied to the device at once where half of what it has free holds them, else batch by batch.
std::shared_ptr<stats::AutoencoderTrainer> start_torch_trainer(const MatrixFRef& rows,
                                                               const stats::SparseAutoencoder& start,
                                                               const at::Device& device);

}  // namespace atcav::plugin
