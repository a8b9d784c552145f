#pragma once

// ATCAV_CPU_CLONES before a function compiles it for several processors; the program takes the best
// one for the machine when it starts. For small loops over plain arrays, where Debian's baseline (SSE2, two
// doubles at a time) costs a factor. Sanitizers do not get along with it.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ATCAV_CPU_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ATCAV_CPU_CLONES
#endif
