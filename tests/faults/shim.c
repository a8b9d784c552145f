// LD_PRELOAD: makes the k-th call of a kind fail, or kills the program there.
//
//   FAULT_CALL=write|rename|link|open|read|mmap|fsync|ftruncate|mkdir|malloc   which calls are counted
//   FAULT_AT=k        the call that fails, from 1; 0: none, only count
//   FAULT_KILL=1      SIGKILL instead of a failure
//   FAULT_COUNT=FILE  the number of calls is written there at the end
//   FAULT_UNDER=DIR   count open, read, write, mmap only for files below this folder (not the system's libraries)
//
// Counted is what happens between the begin and the end of main. Memory that libcrypto and libgomp ask for is not:
// they end the program when there is none (libcrypto by a null pointer, libgomp with a message of its own).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long at = -1;
static int kills;
static const char* wanted = "";
static const char* under = "";
static int ready;

__attribute__((constructor)) static void begin(void) {
  const char* text = getenv("FAULT_AT");
  at = text ? atol(text) : 0;
  kills = getenv("FAULT_KILL") != NULL;
  if (getenv("FAULT_CALL")) wanted = getenv("FAULT_CALL");
  if (getenv("FAULT_UNDER")) under = getenv("FAULT_UNDER");
}

static void end(void) {
  const char* file = getenv("FAULT_COUNT");
  ready = 0;
  if (!file) return;
  FILE* out = fopen(file, "w");
  if (!out) return;
  fprintf(out, "%ld\n", (long)calls);
  fclose(out);
}

typedef int (*Main)(int, char**, char**);
static Main real_main;

static int main_between(int argc, char** argv, char** environment) {
  ready = 1;
  const int code = real_main(argc, argv, environment);
  end();
  return code;
}

int __libc_start_main(Main program, int argc, char** argv, void (*start)(void), void (*finish)(void),
                      void (*loader)(void), void* stack) {
  int (*real)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = program;
  return real(main_between, argc, argv, start, finish, loader, stack);
}

// Whether this call is the one.
static int strikes(const char* call) {
  if (!ready || strcmp(call, wanted) != 0) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != at) return 0;
  if (kills) kill(getpid(), SIGKILL);
  return 1;
}

static int path_counts(const char* path) {
  return *under == '\0' || *path != '/' || strncmp(path, under, strlen(under)) == 0;
}

static int file_counts(int file) {
  char name[64];
  char path[4096];
  if (*under == '\0') return 1;
  snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(name, path, sizeof(path) - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return path_counts(path);
}

#define REAL(type, name, arguments)               \
  static type(*real) arguments;                   \
  if (!real) real = (type(*) arguments)dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void* data, size_t count) {
  REAL(ssize_t, "write", (int, const void*, size_t));
  if (file > 2 && ready && file_counts(file) && strikes("write")) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, data, count);
}

ssize_t pwrite(int file, const void* data, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite", (int, const void*, size_t, off_t));
  if (ready && strikes("write")) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, data, count, offset);
}

ssize_t read(int file, void* data, size_t count) {
  REAL(ssize_t, "read", (int, void*, size_t));
  if (file > 2 && ready && file_counts(file) && strikes("read")) {
    errno = EIO;
    return -1;
  }
  return real(file, data, count);
}

ssize_t pread(int file, void* data, size_t count, off_t offset) {
  REAL(ssize_t, "pread", (int, void*, size_t, off_t));
  if (ready && strikes("read")) {
    errno = EIO;
    return -1;
  }
  return real(file, data, count, offset);
}

static int open_it(const char* path, int flags, mode_t mode, const char* name) {
  int (*real)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, name);
  if (ready && path_counts(path) && strikes("open")) {
    errno = EMFILE;
    return -1;
  }
  return real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = va_arg(list, mode_t);
  va_end(list);
  return open_it(path, flags, mode, "open");
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = va_arg(list, mode_t);
  va_end(list);
  return open_it(path, flags, mode, "open64");
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t offset) {
  REAL(void*, "mmap", (void*, size_t, int, int, int, off_t));
  if (ready && file >= 0 && file_counts(file) && strikes("mmap")) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return real(where, size, protection, flags, file, offset);
}

int rename(const char* from, const char* to) {
  REAL(int, "rename", (const char*, const char*));
  if (strikes("rename")) {
    errno = EACCES;
    return -1;
  }
  return real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  REAL(int, "linkat", (int, const char*, int, const char*, int));
  if (strikes("link")) {
    errno = EIO;
    return -1;
  }
  return real(from_folder, from, to_folder, to, flags);
}

int fsync(int file) {
  REAL(int, "fsync", (int));
  if (strikes("fsync")) {
    errno = EIO;
    return -1;
  }
  return real(file);
}

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", (int, off_t));
  if (strikes("ftruncate")) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, size);
}

int mkdir(const char* path, mode_t mode) {
  REAL(int, "mkdir", (const char*, mode_t));
  if (strikes("mkdir")) {
    errno = EACCES;
    return -1;
  }
  return real(path, mode);
}

static int memory_strikes(const void* caller) {
  Dl_info info;
  if (!ready || strcmp(wanted, "malloc") != 0) return 0;
  if (dladdr(caller, &info) && info.dli_fname &&
      (strstr(info.dli_fname, "libcrypto") || strstr(info.dli_fname, "libgomp")))
    return 0;
  return strikes("malloc");
}

// dlsym allocates itself, so malloc goes to libc's other name for it.
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* data, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  if (memory_strikes(__builtin_return_address(0))) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  if (memory_strikes(__builtin_return_address(0))) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_calloc(count, size);
}

void* realloc(void* data, size_t size) {
  if (memory_strikes(__builtin_return_address(0))) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_realloc(data, size);
}

int posix_memalign(void** data, size_t alignment, size_t size) {
  if (memory_strikes(__builtin_return_address(0))) return ENOMEM;
  *data = __libc_memalign(alignment, size);
  return *data || size == 0 ? 0 : ENOMEM;
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (memory_strikes(__builtin_return_address(0))) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_memalign(alignment, size);
}
