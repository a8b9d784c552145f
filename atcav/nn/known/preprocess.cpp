#include "atcav/nn/preprocess.h"

#include "atcav/nn/model.h"

namespace atcav::nn {

// Pixels are brought to a network's scale only when it is going to see them.
std::vector<float> preprocess(const io::Image& /*image*/, const Preprocess& /*how*/,
                              const ImageFormat& /*format*/, std::string_view /*name*/) {
  throw NeedsNetwork();
}

}  // namespace atcav::nn
