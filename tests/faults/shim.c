// LD_PRELOAD: runs main again and again, each time in a fork, and makes the k-th call of a kind fail there or kills it.
//
// Before the first run FAULT_PRELOAD is loaded (the plugin: its libraries take longer than a small run). Then each line
//
//   CALL AT KILL      such as "write 3 0": the third write fails; AT 0: none; KILL 1: SIGKILL there instead
//
// on standard input is a run, answered by "STATUS COUNT": the exit code (minus the signal, after one) and how many calls
// of the kind there were. What the run says goes to the file FAULT_OUTPUT. A run of more than FAULT_SECONDS is ended.
//
// CALL is write, rename, link, open, read, mmap, fsync, ftruncate, mkdir, close, unlink, stat, thread or malloc. Calls on
// files count below the working folder alone (not the system's libraries), all between the begin and the end of main.
// CALL place takes places instead of numbers: the allocation and the calls that led to it, six return addresses. AT 0
// writes them to the file FAULT_PLACES, one per line with how often memory was asked for there; with one of them as AT
// the first of these fails.
// Not what other libraries do not survive, as nothing here could change that: threads count where C++ starts them
// (OpenBLAS and pthreadpool wait for ever for those they do not get, libgomp ends the program), memory not where libgomp,
// libcrypto and oneDNN ask for it (the last two use the null pointer).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long* calls;  // shared with the process that waits
static long at;
static int kills;
static char wanted[16];
static char under[4096];
static atomic_int ready;

typedef int (*Main)(int, char**, char**);
static Main real_main;

static void print_places(void);
static void run_once(int argc, char** argv, char** environment) {
  const int output = open(getenv("FAULT_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int nothing = open("/dev/null", O_RDONLY);
  if (output < 0 || nothing < 0) _exit(99);
  dup2(nothing, 0);
  dup2(output, 1);
  dup2(output, 2);
  close(nothing);
  close(output);
  unsetenv("LD_PRELOAD");
  alarm((unsigned)atoi(getenv("FAULT_SECONDS")));
  ready = 1;
  const int code = real_main(argc, argv, environment);
  ready = 0;
  print_places();
  exit(code);
}

static int serve(int argc, char** argv, char** environment) {
  int kill_there = 0;
  char line[80];
  if (getcwd(under, sizeof(under) - 1) == NULL) return 99;
  strcat(under, "/");
  calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void* frame;
  backtrace(&frame, 1);  // loads what it needs
  const char* library = getenv("FAULT_PRELOAD");
  if (library && *library && !dlopen(library, RTLD_NOW | RTLD_LOCAL)) return 99;
  while (fgets(line, sizeof(line), stdin) && sscanf(line, "%15s %ld %d", wanted, &at, &kill_there) == 3) {
    kills = kill_there;
    *calls = 0;
    const pid_t child = fork();
    if (child == 0) run_once(argc, argv, environment);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 99;
    printf("%d %ld\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), (long)*calls);
    fflush(stdout);
  }
  return 0;
}

int __libc_start_main(Main program, int argc, char** argv, void (*start)(void), void (*finish)(void),
                      void (*loader)(void), void* stack) {
  int (*real)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*) = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = program;
  return real(serve, argc, argv, start, finish, loader, stack);
}

// Whether this call is the one.
static int strikes(const char* call, int error) {
  if (!ready || strcmp(call, wanted) != 0) return 0;
  if (atomic_fetch_add(calls, 1) + 1 != at) return 0;
  if (kills) kill(getpid(), SIGKILL);
  errno = error;
  return 1;
}

static int path_counts(const char* path) {
  return *path != '/' || strncmp(path, under, strlen(under)) == 0;
}

static int file_counts(int file) {
  char name[64];
  char path[4096];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  const ssize_t length = readlink(name, path, sizeof(path) - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return *path == '/' && path_counts(path);
}

static int path_strikes(const char* call, const char* path, int error) {
  return ready && path_counts(path) && strikes(call, error);
}

static int file_strikes(const char* call, int file, int error) {
  return ready && file > 2 && strcmp(call, wanted) == 0 && file_counts(file) && strikes(call, error);
}

#define REAL(type, name, arguments)               \
  static type(*real) arguments;                   \
  if (!real) real = (type(*) arguments)dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void* data, size_t count) {
  REAL(ssize_t, "write", (int, const void*, size_t));
  return file_strikes("write", file, ENOSPC) ? -1 : real(file, data, count);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(ssize_t, "writev", (int, const struct iovec*, int));
  return file_strikes("write", file, ENOSPC) ? -1 : real(file, parts, count);
}

ssize_t pwrite(int file, const void* data, size_t count, off_t offset) {
  REAL(ssize_t, "pwrite", (int, const void*, size_t, off_t));
  return file_strikes("write", file, ENOSPC) ? -1 : real(file, data, count, offset);
}

ssize_t read(int file, void* data, size_t count) {
  REAL(ssize_t, "read", (int, void*, size_t));
  return file_strikes("read", file, EIO) ? -1 : real(file, data, count);
}

ssize_t pread(int file, void* data, size_t count, off_t offset) {
  REAL(ssize_t, "pread", (int, void*, size_t, off_t));
  return file_strikes("read", file, EIO) ? -1 : real(file, data, count, offset);
}

struct dirent* readdir(DIR* folder) {
  REAL(struct dirent*, "readdir", (DIR*));
  return file_strikes("read", dirfd(folder), EIO) ? NULL : real(folder);
}

static int open_it(int folder, const char* path, int flags, mode_t mode) {
  REAL(int, "openat", (int, const char*, int, ...));
  return path_strikes("open", path, EMFILE) ? -1 : real(folder, path, flags, mode);
}

#define MODE(mode, flags)    \
  va_list list;              \
  va_start(list, flags);     \
  mode_t mode = va_arg(list, mode_t); \
  va_end(list)

int open(const char* path, int flags, ...) {
  MODE(mode, flags);
  return open_it(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  MODE(mode, flags);
  return open_it(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  MODE(mode, flags);
  return open_it(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* how) {
  REAL(FILE*, "fopen", (const char*, const char*));
  return path_strikes("open", path, EMFILE) ? NULL : real(path, how);
}

FILE* fopen64(const char* path, const char* how) {
  REAL(FILE*, "fopen64", (const char*, const char*));
  return path_strikes("open", path, EMFILE) ? NULL : real(path, how);
}

DIR* opendir(const char* path) {
  REAL(DIR*, "opendir", (const char*));
  return path_strikes("open", path, EMFILE) ? NULL : real(path);
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t offset) {
  REAL(void*, "mmap", (void*, size_t, int, int, int, off_t));
  return file_strikes("mmap", file, ENOMEM) ? MAP_FAILED : real(where, size, protection, flags, file, offset);
}

int rename(const char* from, const char* to) {
  REAL(int, "rename", (const char*, const char*));
  return strikes("rename", EACCES) ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  REAL(int, "linkat", (int, const char*, int, const char*, int));
  return strikes("link", EIO) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int fsync(int file) {
  REAL(int, "fsync", (int));
  return strikes("fsync", EIO) ? -1 : real(file);
}

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", (int, off_t));
  return strikes("ftruncate", ENOSPC) ? -1 : real(file, size);
}

int fallocate(int file, int how, off_t begin, off_t size) {
  REAL(int, "fallocate", (int, int, off_t, off_t));
  return strikes("ftruncate", ENOSPC) ? -1 : real(file, how, begin, size);
}

int mkdir(const char* path, mode_t mode) {
  REAL(int, "mkdir", (const char*, mode_t));
  return strikes("mkdir", EACCES) ? -1 : real(path, mode);
}

// The file is closed all the same, as the system does it.
int close(int file) {
  REAL(int, "close", (int));
  const int fails = file_strikes("close", file, EIO);
  const int closed = real(file);
  if (fails) errno = EIO;
  return fails ? -1 : closed;
}

int unlink(const char* path) {
  REAL(int, "unlink", (const char*));
  return path_strikes("unlink", path, EACCES) ? -1 : real(path);
}

int unlinkat(int folder, const char* path, int flags) {
  REAL(int, "unlinkat", (int, const char*, int));
  return path_strikes("unlink", path, EACCES) ? -1 : real(folder, path, flags);
}

int remove(const char* path) {
  REAL(int, "remove", (const char*));
  return path_strikes("unlink", path, EACCES) ? -1 : real(path);
}

int stat(const char* path, struct stat* found) {
  REAL(int, "stat", (const char*, struct stat*));
  return path_strikes("stat", path, EIO) ? -1 : real(path, found);
}

int lstat(const char* path, struct stat* found) {
  REAL(int, "lstat", (const char*, struct stat*));
  return path_strikes("stat", path, EIO) ? -1 : real(path, found);
}

int fstat(int file, struct stat* found) {
  REAL(int, "fstat", (int, struct stat*));
  return file_strikes("stat", file, EIO) ? -1 : real(file, found);
}

static int called_from(const void* caller, const char* library) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, library);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* argument) {
  REAL(int, "pthread_create", (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*));
  if (called_from(__builtin_return_address(0), "libstdc++") && strikes("thread", EAGAIN)) return EAGAIN;
  return real(thread, how, work, argument);
}

// Return addresses are the same in every fork, and in every process without address randomization.
enum { kPlaces = 1 << 18, kDeepest = 8 };
static _Atomic unsigned long places[kPlaces];
static atomic_long place_uses[kPlaces];
static __thread int inside;  // backtrace may ask for memory itself
static __thread const void* new_caller;  // whoever called operator new

static unsigned long place_hash(void) {
  void* frames[kDeepest];
  inside = 1;
  const int depth = backtrace(frames, kDeepest);
  inside = 0;
  unsigned long hash = 1469598103934665603UL;
  for (int i = 2; i < depth; ++i) hash = (hash ^ (unsigned long)frames[i]) * 1099511628211UL;
  return hash >> 1;
}

static void note_place(unsigned long hash) {
  for (unsigned long i = hash % kPlaces;; i = (i + 1) % kPlaces) {
    unsigned long none = 0;
    if (atomic_compare_exchange_strong(&places[i], &none, hash) || none == hash) {
      place_uses[i]++;
      return;
    }
  }
}

static void print_places(void) {
  const char* path = getenv("FAULT_PLACES");
  FILE* out = path ? fopen(path, "w") : NULL;
  if (!out) return;
  for (long i = 0; i < kPlaces; ++i)
    if (places[i]) fprintf(out, "%lu %ld\n", places[i], (long)place_uses[i]);
  fclose(out);
}

static int memory_strikes(const void* caller) {
  if (!ready || inside) return 0;
  const int by_place = strcmp(wanted, "place") == 0;
  if (!by_place && strcmp(wanted, "malloc") != 0) return 0;
  if (new_caller) caller = new_caller;
  new_caller = NULL;
  if (called_from(caller, "libgomp") || called_from(caller, "libcrypto") || called_from(caller, "libdnnl")) return 0;
  if (!by_place) return strikes("malloc", ENOMEM);
  const unsigned long hash = place_hash();
  if (at == 0) note_place(hash);
  if ((long)hash != at || atomic_fetch_add(calls, 1) != 0) return 0;
  errno = ENOMEM;
  return 1;
}

// dlsym allocates itself, so malloc goes to libc's other name for it.
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* data, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return memory_strikes(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return memory_strikes(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void* realloc(void* data, size_t size) {
  return memory_strikes(__builtin_return_address(0)) ? NULL : __libc_realloc(data, size);
}

int posix_memalign(void** data, size_t alignment, size_t size) {
  if (memory_strikes(__builtin_return_address(0))) return ENOMEM;
  *data = __libc_memalign(alignment, size);
  return *data || size == 0 ? 0 : ENOMEM;
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memory_strikes(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

// For the caller's library: what malloc sees is libstdc++.
void* _Znwm(size_t size) {
  REAL(void*, "_Znwm", (size_t));
  new_caller = __builtin_return_address(0);
  return real(size);
}
