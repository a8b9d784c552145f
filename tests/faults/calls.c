// The calls of libc that shim.c lets fail; each otherwise does what it does.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

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

// Used for scratch files, which are below the working folder in these tests.
int mkostemp(char* path, int flags) {
  REAL(int, "mkostemp", (char*, int));
  return path_strikes("open", path, EMFILE) ? -1 : real(path, flags);
}

DIR* fdopendir(int file) {
  REAL(DIR*, "fdopendir", (int));
  return file_strikes("open", file, ENOMEM) ? NULL : real(file);
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

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  REAL(int, "renameat", (int, const char*, int, const char*));
  return strikes("rename", EACCES) ? -1 : real(from_folder, from, to_folder, to);
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

int fstat64(int file, struct stat64* found) {
  REAL(int, "fstat64", (int, struct stat64*));
  return file_strikes("stat", file, EIO) ? -1 : real(file, found);
}

int access(const char* path, int how) {
  REAL(int, "access", (const char*, int));
  return path_strikes("stat", path, EIO) ? -1 : real(path, how);
}

ssize_t readlink(const char* path, char* target, size_t size) {
  REAL(ssize_t, "readlink", (const char*, char*, size_t));
  return path_strikes("stat", path, EIO) ? -1 : real(path, target, size);
}

char* realpath(const char* path, char* resolved) {
  REAL(char*, "realpath", (const char*, char*));
  return path_strikes("stat", path, EIO) ? NULL : real(path, resolved);
}

int fchmod(int file, mode_t mode) {
  REAL(int, "fchmod", (int, mode_t));
  return file_strikes("chmod", file, EPERM) ? -1 : real(file, mode);
}

int utimensat(int folder, const char* path, const struct timespec times[2], int flags) {
  REAL(int, "utimensat", (int, const char*, const struct timespec*, int));
  return path_strikes("chmod", path, EPERM) ? -1 : real(folder, path, times, flags);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* argument) {
  REAL(int, "pthread_create", (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*));
  if (from_stdcxx(__builtin_return_address(0)) && strikes("thread", EAGAIN)) return EAGAIN;
  return real(thread, how, work, argument);
}
