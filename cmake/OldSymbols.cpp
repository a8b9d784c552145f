// What a wheel binds to instead of newer versions of these symbols, so that it runs with glibc 2.34 and GCC
// 11's C++ library (manylinux_2_34). The linker's --wrap sends calls here (AtcavComponent.cmake).
#include <condition_variable>
#include <mutex>

extern "C" {

__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");  // 2.35 does not set errno
double old_hypot(double x, double y);
double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) { return old_hypot(x, y); }

// 3.4.30 is no point of cancellation.
__asm__(".symver old_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void old_wait(std::condition_variable* self, std::unique_lock<std::mutex>* lock);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* self,
                                                                      std::unique_lock<std::mutex>* lock);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* self,
                                                                      std::unique_lock<std::mutex>* lock) {
  old_wait(self, lock);
}

}  // extern "C"
