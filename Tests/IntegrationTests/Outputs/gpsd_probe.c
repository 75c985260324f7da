/* What a program written for gpsd sees: reports from a port, by libgps, one line each. usage: gpsd_probe PORT REPORTS
 */
#include <gps.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct gps_data_t data;

int main(int count, char **words) {
    char line[16384];
    long left;
    int attempts = 1000, problem = -1;
    if (count < 3) return 64;
    // gpsd takes a second or two until it listens; on a busy machine longer.
    while (attempts-- > 0 && (problem = gps_open("127.0.0.1", words[1], &data)) != 0) usleep(100000);
    if (problem != 0) return 1;
    gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
    for (left = atol(words[2]); left > 0 && gps_waiting(&data, 60000000);) {
        data.set = 0;
        if (gps_read(&data, line, sizeof line) < 0) return 2;
        if ((data.set & LATLON_SET) && data.fix.mode >= MODE_2D) {
            printf("TPV mode=%d lat=%.8f lon=%.8f speed=%.3f track=%.3f\n", data.fix.mode, data.fix.latitude,
                data.fix.longitude, data.fix.speed, data.fix.track);
            left--;
        }
        if (data.set & ATTITUDE_SET) {
            printf("ATT heading=%.3f pitch=%.3f roll=%.3f\n", data.attitude.heading, data.attitude.pitch,
                data.attitude.roll);
            left--;
        }
        fflush(stdout);
    }
    gps_close(&data);
    return left > 0 ? 3 : 0;
}
