/* A standing GPS receiver: NMEA sentences once a second on a pseudo terminal. usage: receiver LINK
 * Its clock goes on where the system's is set later. LINK becomes a link to gpsd's terminal. Never ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void sentence(int terminal, const char *body) {
    char line[128];
    unsigned char sum = 0;
    const char *p;
    int length;
    for (p = body; *p; p++) sum ^= (unsigned char)*p;
    length = snprintf(line, sizeof line, "$%s*%02X\r\n", body, sum);
    if (write(terminal, line, (size_t)length) < 0) perror("receiver");
}

int main(int count, char **words) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
    struct termios mode;
    struct timespec start, uptime;
    if (count != 2 || terminal < 0 || grantpt(terminal) || unlockpt(terminal)) return 1;
    chmod(ptsname(terminal), 0666);
    /* Held open, so that writing does not fail while gpsd has it closed. */
    other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (other < 0 || tcgetattr(other, &mode)) return 1;
    cfmakeraw(&mode);
    tcsetattr(other, TCSANOW, &mode);
    unlink(words[1]);
    if (symlink(ptsname(terminal), words[1])) return 1;
    clock_gettime(CLOCK_REALTIME, &start);
    clock_gettime(CLOCK_BOOTTIME, &uptime);
    start.tv_sec -= uptime.tv_sec;
    for (;;) {
        struct timespec now;
        struct tm utc;
        char stamp[16], date[8], body[112];
        clock_gettime(CLOCK_BOOTTIME, &now);
        now.tv_sec += start.tv_sec;
        gmtime_r(&now.tv_sec, &utc);
        strftime(stamp, sizeof stamp, "%H%M%S.00", &utc);
        strftime(date, sizeof date, "%d%m%y", &utc);
        snprintf(body, sizeof body, "GPRMC,%s,A,4230.378,N,00131.308,E,0.00,0.0,%s,,,A", stamp, date);
        sentence(terminal, body);
        snprintf(body, sizeof body, "GPGGA,%s,4230.378,N,00131.308,E,1,09,0.9,1023.0,M,51.0,M,,", stamp);
        sentence(terminal, body);
        snprintf(body, sizeof body, "GPGST,%s,2.0,2.0,1.5,0,2.0,2.0,3.0", stamp);
        sentence(terminal, body);
        sleep(1);
    }
}
