/* A library to preload: it writes down every call that changes files below one folder, and makes one of them fail, end
   early, or end the program.

   POSED_CRASH_FOLDER=PATH   the folder
   POSED_CRASH_LOG=PATH      one line per call: number, process, call, words; bytes as hexadecimal digits
   POSED_CRASH_AT=N          the call with that number, from 1, ...
   POSED_CRASH_DO=ERRNO      ... fails with that number; or `short`: writes half; or `kill`: ends the program before it
   POSED_CRASH_ON=1          that call and all later ones of its kind

   Build: cc -shared -fPIC -O1 -o crash_disk.so crash_disk.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;
static char armed[16];

static const char *folder(void) {
    const char *path = getenv("POSED_CRASH_FOLDER");
    return path && *path ? path : NULL;
}

static int is_inside(const char *path) {
    const char *top = folder();
    size_t length = top ? strlen(top) : 0;
    return top && path && strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* The name of an open file, or NULL if it is not below the folder. */
static const char *name_of(int descriptor, char *name) {
    char link[64];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, name, PATH_MAX - 1);
    if (length < 0) return NULL;
    name[length] = 0;
    /* A file that was removed while open has a word behind its old name. */
    return is_inside(name) && !strchr(name, ' ') ? name : NULL;
}

static void log_line(const char *call, const char *words, const void *bytes, size_t size) {
    const char *path = getenv("POSED_CRASH_LOG");
    static const char digits[] = "0123456789abcdef";
    char *line;
    size_t length, i;
    int file;
    if (!path) return;
    file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    line = malloc(2 * PATH_MAX + 2 * size + 128);
    if (line) {
        length = (size_t)sprintf(line, "%lu %d %s %s ", count, (int)getpid(), call, words);
        for (i = 0; i < size; i++) {
            line[length++] = digits[((const unsigned char *)bytes)[i] >> 4];
            line[length++] = digits[((const unsigned char *)bytes)[i] & 15];
        }
        line[length++] = '\n';
        syscall(SYS_write, file, line, length);
        free(line);
    }
    syscall(SYS_close, file);
}

/* Whether the call is the chosen one. Counts it. */
static int is_chosen(const char *call) {
    const char *at = getenv("POSED_CRASH_AT");
    count++;
    if (*armed) return strcmp(armed, call) == 0;
    if (!at || strtoul(at, NULL, 10) != count) return 0;
    if (getenv("POSED_CRASH_ON")) snprintf(armed, sizeof armed, "%s", call);
    return 1;
}

/* What the chosen call does: 0 as usual, 1 fails with errno, 2 ends early. */
static int interfere(const char *call) {
    const char *what = getenv("POSED_CRASH_DO");
    if (!is_chosen(call) || !what) return 0;
    if (strcmp(what, "kill") == 0) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (strcmp(what, "short") == 0) return 2;
    errno = atoi(what);
    return 1;
}

static int open_file(const char *path, int flags, mode_t mode) {
    int result;
    if (!is_inside(path) || !(flags & (O_CREAT | O_TRUNC)))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&lock);
    if (interfere("open") == 1) {
        result = -1;
    } else {
        struct stat old;
        int existed = stat(path, &old) == 0;
        result = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
        if (result >= 0 && (!existed || flags & O_TRUNC)) log_line(existed ? "empty" : "create", path, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static mode_t mode_of(int flags, va_list words) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(words, mode_t) : 0; }

int open(const char *path, int flags, ...) {
    va_list words;
    mode_t mode;
    va_start(words, flags);
    mode = mode_of(flags, words);
    va_end(words);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list words;
    mode_t mode;
    va_start(words, flags);
    mode = mode_of(flags, words);
    va_end(words);
    return open_file(path, flags, mode);
}

static ssize_t write_part(int descriptor, const void *bytes, size_t size, off_t offset, int has_offset) {
    char name[PATH_MAX], words[PATH_MAX + 32];
    const char *path = name_of(descriptor, name);
    ssize_t result;
    off_t place;
    if (!path)
        return has_offset ? syscall(SYS_pwrite64, descriptor, bytes, size, offset)
                          : syscall(SYS_write, descriptor, bytes, size);
    pthread_mutex_lock(&lock);
    switch (interfere("write")) {
    case 1: pthread_mutex_unlock(&lock); return -1;
    case 2: size = size > 1 ? size / 2 : size; break;
    default: break;
    }
    place = has_offset ? offset : lseek(descriptor, 0, SEEK_CUR);
    result = has_offset ? syscall(SYS_pwrite64, descriptor, bytes, size, offset)
                        : syscall(SYS_write, descriptor, bytes, size);
    if (result > 0) {
        snprintf(words, sizeof words, "%s %lld", path, (long long)place);
        log_line("write", words, bytes, (size_t)result);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t write(int descriptor, const void *bytes, size_t size) { return write_part(descriptor, bytes, size, 0, 0); }

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    return write_part(descriptor, bytes, size, offset, 1);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    return write_part(descriptor, bytes, size, offset, 1);
}

static int synchronize(int descriptor, int (*next)(int)) {
    char name[PATH_MAX];
    const char *path = name_of(descriptor, name);
    int result;
    if (!path) return next(descriptor);
    pthread_mutex_lock(&lock);
    result = interfere("fsync") == 1 ? -1 : next(descriptor);
    if (result == 0) log_line("fsync", path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int descriptor) { return synchronize(descriptor, NEXT(fsync)); }
int fdatasync(int descriptor) { return synchronize(descriptor, NEXT(fdatasync)); }

int ftruncate(int descriptor, off_t size) {
    char name[PATH_MAX], words[PATH_MAX + 32];
    const char *path = name_of(descriptor, name);
    int result;
    if (!path) return NEXT(ftruncate)(descriptor, size);
    pthread_mutex_lock(&lock);
    result = interfere("truncate") == 1 ? -1 : NEXT(ftruncate)(descriptor, size);
    snprintf(words, sizeof words, "%s %lld", path, (long long)size);
    if (result == 0) log_line("truncate", words, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int rename(const char *from, const char *to) {
    char words[2 * PATH_MAX + 2];
    int result;
    if (!is_inside(from) && !is_inside(to)) return NEXT(rename)(from, to);
    pthread_mutex_lock(&lock);
    result = interfere("rename") == 1 ? -1 : NEXT(rename)(from, to);
    snprintf(words, sizeof words, "%s %s", from, to);
    if (result == 0) log_line("rename", words, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int unlink(const char *path) {
    int result;
    if (!is_inside(path)) return NEXT(unlink)(path);
    pthread_mutex_lock(&lock);
    result = interfere("unlink") == 1 ? -1 : NEXT(unlink)(path);
    if (result == 0) log_line("unlink", path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    int result;
    if (!is_inside(path)) return NEXT(mkdir)(path, mode);
    pthread_mutex_lock(&lock);
    result = interfere("mkdir") == 1 ? -1 : NEXT(mkdir)(path, mode);
    if (result == 0) log_line("mkdir", path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}
