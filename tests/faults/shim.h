// What the replaced calls (calls.c) ask of the shim (shim.c).
#pragma once
#pragma GCC visibility push(hidden)

// Whether the address is in libstdc++.
int from_stdcxx(const void* address);

// Whether calls of this kind matter in this run.
int matters(const char* call);

// Whether this call fails, with errno set.
int strikes(const char* call, int error);

// Whether it is on a file below the working folder, and fails.
int path_strikes(const char* call, const char* path, int error);
int file_strikes(const char* call, int file, int error);

#pragma GCC visibility pop
