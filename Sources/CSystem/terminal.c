#define _GNU_SOURCE
#include "CSystem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int posed_terminal_open(int *terminal, char *name, size_t capacity) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (master < 0) return -1;
    *terminal = -1;
    struct termios settings;
    if (grantpt(master) == 0 && unlockpt(master) == 0 && ptsname_r(master, name, capacity) == 0)
        *terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*terminal >= 0 && tcgetattr(*terminal, &settings) == 0) {
        cfmakeraw(&settings);
        cfsetspeed(&settings, B115200);
        if (tcsetattr(*terminal, TCSANOW, &settings) == 0) return master;
    }
    int problem = errno;
    if (*terminal >= 0) close(*terminal);
    close(master);
    errno = problem;
    return -1;
}

int posed_unread(int terminal) {
    int count = 0;
    return ioctl(terminal, FIONREAD, &count) == 0 ? count : 0;
}

int posed_listen_loopback(uint16_t port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    int yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 16) == 0) return listener;
    int problem = errno;
    close(listener);
    errno = problem;
    return -1;
}
