// Tells the thread sanitizer of the locks that a Mutex of the Synchronization module takes where threads wait for it;
// preloaded by scripts/sanitize. Without this, each such lock is a false report: the fast path is compiled into the
// instrumented programs, but what waits is inside libswiftSynchronization.so and in the kernel (FUTEX_LOCK_PI), which
// the sanitizer does not see.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// In the program, if it is instrumented: other programs that the tests start have none of it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT _Bool try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void unlock(SELF) __asm__(UNLOCK);

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void lock(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))next(LOCK))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT _Bool try_lock(SELF) {
    _Bool is_locked = ((SWIFT _Bool(*)(SELF))next(TRY_LOCK))(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((SWIFT void (*)(SELF))next(UNLOCK))(self);
}
