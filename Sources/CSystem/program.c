#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int far_end) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_adddup2(actions, far_end, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    // This process blocks the signals that it reads from a descriptor; the new process must not inherit that.
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

int posed_start_program(const char *path, int32_t *process) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawnattr_init(&attributes);
        if (!error) {
            char *arguments[] = {(char *)path, NULL};
            pid_t started = -1;
            error = prepare(&actions, &attributes, ends[1]);
            if (!error) error = posix_spawn(&started, path, &actions, &attributes, arguments, environ);
            *process = started;
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
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
