// LD_PRELOAD: runs main again and again, each time in a fork, and makes a call fail at a chosen place or kills it there.
//
// Before the first run FAULT_PRELOAD is loaded (the plugin: its libraries take longer than a small run). Then each line
//
//   CALL PLACE NTH KILL      such as "write 7145 2 0": of the writes at place 7145 the second fails; KILL 1: SIGKILL there
//
// on standard input is a run, answered by "STATUS COUNT": the exit code (minus the signal, after one) and how many calls
// were made at that place. With PLACE 0 nothing fails and COUNT lines "CALL PLACE USES" follow, one per place. What the
// run says goes to the file FAULT_OUTPUT, with FAULT_TRACE what led to the place too. A run of more than FAULT_SECONDS is
// ended.
//
// CALL is write, rename, link, open, read, mmap, fsync, ftruncate, mkdir, close, unlink, stat, chmod or thread.
// Calls on files count below the working folder alone (not the system's libraries), all between the begin and the end of
// main. A place is a call and what led to it: the nearest 32 return addresses. They are the same in every fork, and in
// every process without address randomization. Threads count where C++ starts them: OpenBLAS and pthreadpool wait for ever
// for those they do not get, and libgomp ends the program.
#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPlaces = 1 << 16, kDeepest = 32, kInside = 6 };
enum { kShim, kStdcxx, kLibraries };
static const char* const library_names[kLibraries] = {"libfault_shim", "libstdc++"};
static struct { unsigned long begin, end; } libraries[kLibraries];

typedef struct {
  _Atomic unsigned long place;
  atomic_long uses;
  const char* call;
} Use;

static struct {
  atomic_long calls;
  Use uses[kPlaces];
}* seen;  // shared with the process that waits
static unsigned long place;
static long nth;
static int kills;
static char wanted[16];
static char under[4096];
static atomic_int ready;
static __thread int inside;  // backtrace may ask for memory itself

typedef int (*Main)(int, char**, char**);
static Main real_main;

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
  fflush(NULL);
  _exit(code);  // the libraries' own ends take as long as a small run
}

static int find_libraries(struct dl_phdr_info* library, size_t size, void* unused) {
  (void)size, (void)unused;
  for (int i = 0; i < kLibraries; ++i) {
    if (!strstr(library->dlpi_name, library_names[i])) continue;
    libraries[i].begin = library->dlpi_addr;
    for (int k = 0; k < library->dlpi_phnum; ++k) {
      const unsigned long end = library->dlpi_addr + library->dlpi_phdr[k].p_vaddr + library->dlpi_phdr[k].p_memsz;
      if (library->dlpi_phdr[k].p_type == PT_LOAD && end > libraries[i].end) libraries[i].end = end;
    }
  }
  return 0;
}

static int in_library(const void* address, int library) {
  return (unsigned long)address >= libraries[library].begin && (unsigned long)address < libraries[library].end;
}

int from_stdcxx(const void* address) { return in_library(address, kStdcxx); }

static void print_places(void) {
  for (long i = 0; i < kPlaces; ++i)
    if (seen->uses[i].place) printf("%s %lu %ld\n", seen->uses[i].call, seen->uses[i].place, (long)seen->uses[i].uses);
}

static int serve(int argc, char** argv, char** environment) {
  int kill_there = 0;
  char line[80];
  if (getcwd(under, sizeof(under) - 1) == NULL) return 99;
  strcat(under, "/");
  seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void* frame;
  backtrace(&frame, 1);  // loads what it needs
  const char* library = getenv("FAULT_PRELOAD");
  if (library && *library && !dlopen(library, RTLD_NOW | RTLD_LOCAL)) return 99;
  dl_iterate_phdr(find_libraries, NULL);
  while (fgets(line, sizeof(line), stdin) && sscanf(line, "%15s %lu %ld %d", wanted, &place, &nth, &kill_there) == 4) {
    kills = kill_there;
    if (place == 0) memset(seen->uses, 0, sizeof(seen->uses));
    seen->calls = 0;
    const pid_t child = fork();
    if (child == 0) run_once(argc, argv, environment);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 99;
    printf("%d %ld\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), (long)seen->calls);
    if (place == 0) print_places();
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

static __attribute__((noinline)) unsigned long place_of(const char* call) {
  void* frames[kDeepest + kInside];
  inside = 1;
  const int depth = backtrace(frames, kDeepest + kInside);
  inside = 0;
  unsigned long hash = 1469598103934665603UL;
  for (const char* letter = call; *letter; ++letter) hash = (hash ^ (unsigned long)*letter) * 1099511628211UL;
  for (int i = 0, used = 0; i < depth && used < kDeepest; ++i)
    if (!in_library(frames[i], kShim)) hash = (hash ^ (unsigned long)frames[i]) * 1099511628211UL, ++used;
  return hash | 1;
}

static void note_place(const char* call, unsigned long hash) {
  for (unsigned long i = hash % kPlaces;; i = (i + 1) % kPlaces) {
    unsigned long none = 0;
    const int fresh = atomic_compare_exchange_strong(&seen->uses[i].place, &none, hash);
    if (!fresh && none != hash) continue;
    if (fresh) seen->uses[i].call = call;
    if (fresh) seen->calls++;
    seen->uses[i].uses++;
    return;
  }
}

int matters(const char* call) {
  return ready && !inside && (place == 0 || strcmp(call, wanted) == 0);
}

// Whether this call is the one.
int strikes(const char* call, int error) {
  if (!matters(call)) return 0;
  const unsigned long hash = place_of(call);
  if (place == 0) note_place(call, hash);
  if (hash != place || atomic_fetch_add(&seen->calls, 1) + 1 != nth) return 0;
  if (getenv("FAULT_TRACE")) {
    void* frames[kDeepest];
    inside = 1;
    backtrace_symbols_fd(frames, backtrace(frames, kDeepest), 2);
    inside = 0;
  }
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

int path_strikes(const char* call, const char* path, int error) {
  return matters(call) && path_counts(path) && strikes(call, error);
}

int file_strikes(const char* call, int file, int error) {
  return file > 2 && matters(call) && file_counts(file) && strikes(call, error);
}
