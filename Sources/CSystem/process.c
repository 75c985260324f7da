#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int posed_fork(int32_t *process) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) return -1;
    *process = child;
    if (child > 0) return 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have ended before the line above.
    if (getppid() != parent) _exit(1);
    return 0;
}

int posed_fork_with_socket(int32_t *process, int *end) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    // Packets of a second: the reader of the socket may be held up.
    int size = 1 << 20;
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    int side = posed_fork(process);
    if (side != 0) {
        int error = errno;
        close(ends[1]);
        if (side < 0) close(ends[0]);
        errno = error;
        *end = side < 0 ? -1 : ends[0];
        return side;
    }
    // A terminal and a service manager send these to all processes; the parent says when this one ends.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (ends[1] != STDERR_FILENO + 1) dup2(ends[1], STDERR_FILENO + 1);
    closefrom(STDERR_FILENO + 2);
    *end = STDERR_FILENO + 1;
    return 0;
}

int posed_wait_process(int32_t process, int blocks) {
    int status = 0;
    pid_t ended;
    do ended = waitpid(process, &status, blocks ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    if (ended == 0) return -1;
    if (ended < 0) return 0;
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
