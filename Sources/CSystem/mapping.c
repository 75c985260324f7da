#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// The guarded mappings. They are changed under the lock, and read by the handler without it.
static struct {
    uintptr_t start, end; // `end` is 0 in a free place.
    int is_damaged;
} guarded[POSED_MOST_GUARDED];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction earlier;
static int is_installed;

// Replaces the guarded mapping that contains an address by zeros; whether there is one and that succeeds. All of it:
// one page after the other would need a mapping each, of which a process can have 65530.
static int replace_mapping(uintptr_t address) {
#ifdef SYS_mmap2
    const long call = SYS_mmap2;
#else
    const long call = SYS_mmap;
#endif
    for (int place = 0; place < POSED_MOST_GUARDED; place++) {
        uintptr_t end = __atomic_load_n(&guarded[place].end, __ATOMIC_ACQUIRE);
        uintptr_t start = __atomic_load_n(&guarded[place].start, __ATOMIC_ACQUIRE);
        if (address < start || address >= end) continue;
        // The mapping of the address is in use: a place that another thread changes is another one.
        if (end != __atomic_load_n(&guarded[place].end, __ATOMIC_ACQUIRE)) continue;
        // First the mark: who reads a zero finds it.
        __atomic_store_n(&guarded[place].is_damaged, 1, __ATOMIC_RELEASE);
        // Without the C library, whose function a sanitizer replaces.
        return syscall(call, start, end - start, (long)PROT_READ, (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED), -1L,
                       0L) != -1;
    }
    return 0;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    const int error = errno;
    // A signal of a process has no address.
    const int is_of_kernel = info->si_code > 0;
    if (!is_of_kernel || !replace_mapping((uintptr_t)info->si_addr)) {
        sigaction(SIGBUS, &earlier, NULL);
        // The access is repeated when this function returns, and has its signal again.
        if (!is_of_kernel) raise(number);
    }
    errno = error;
}

static int install(void) {
    if (is_installed) return 1;
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(SIGBUS, NULL, &earlier) == 0 && sigaction(SIGBUS, &action, NULL) == 0;
    return is_installed;
}

int posed_guard_mapping(const void *start, size_t length) {
    int place = -1;
    pthread_mutex_lock(&lock);
    if (install()) {
        place = 0;
        while (place < POSED_MOST_GUARDED && guarded[place].end != 0) place++;
        if (place == POSED_MOST_GUARDED) {
            place = -1;
            errno = EMFILE;
        }
    }
    if (place >= 0) {
        __atomic_store_n(&guarded[place].is_damaged, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&guarded[place].start, (uintptr_t)start, __ATOMIC_RELEASE);
        __atomic_store_n(&guarded[place].end, (uintptr_t)start + length, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return place;
}

int posed_mapping_is_damaged(int number) {
    if (number < 0 || number >= POSED_MOST_GUARDED) return 0;
    return __atomic_load_n(&guarded[number].is_damaged, __ATOMIC_ACQUIRE);
}

void posed_unguard_mapping(int number) {
    if (number < 0 || number >= POSED_MOST_GUARDED) return;
    pthread_mutex_lock(&lock);
    __atomic_store_n(&guarded[number].end, 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
