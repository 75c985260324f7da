#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int add_descriptors(posix_spawn_file_actions_t *actions, const int *descriptors, int count) {
    int error = 0;
    for (int number = 0; number < count && !error; number++) {
        if (descriptors[number] >= number) {
            error = posix_spawn_file_actions_adddup2(actions, descriptors[number], number);
        } else {
            // A lower number has been replaced by now.
            error = descriptors[number] == -1
                        ? posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_RDWR, 0)
                        : EINVAL;
        }
    }
    return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, count);
}

static int set_attributes(posix_spawnattr_t *attributes, int has_own_group) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    // This process blocks the signals that it reads from a descriptor; the new process must not inherit that.
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (has_own_group ? POSIX_SPAWN_SETPGROUP : 0);
    return error ? error : posix_spawnattr_setflags(attributes, (short)flags);
}

int posed_spawn(const char *path, char *const *arguments, char *const *environment, const int *descriptors, int count,
                int has_own_group, int32_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        pid_t started = -1;
        error = add_descriptors(&actions, descriptors, count);
        if (!error) error = set_attributes(&attributes, has_own_group);
        if (!error) error = posix_spawn(&started, path, &actions, &attributes, arguments, environment);
        *process = started;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int posed_start_program(const char *path, int32_t *process) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    char *const arguments[] = {(char *)path, NULL};
    const int descriptors[] = {ends[1], -1, STDERR_FILENO};
    int error = posed_spawn(path, arguments, environ, descriptors, 3, 0, process);
    close(ends[1]);
    if (!error && fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
        error = errno;
        posed_end_program(*process);
    }
    if (error) {
        close(ends[0]);
        errno = error;
        return -1;
    }
    return ends[0];
}

void posed_end_program(int32_t process) {
    if (process <= 0) return;
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
    }
}
