#pragma once

namespace atcav::plugin {

// From now on tensors in this process's memory (not on a GPU) may hold this many bytes together: weights,
// constants that are folded at import, everything between them in a run. The tensor that would be one too
// many is std::runtime_error before it is allocated.
void limit_tensor_memory(double bytes);

}  // namespace atcav::plugin
