#pragma once
#include <errno.h>
#include <gps.h>
#include <math.h>

// Exported by libgps (since 3.0) but left out of gps.h. Parses the first report of a line and comes back, whatever the
// line is. gps_unpack, and with it gps_read, calls this in a loop that never ends when a line cannot be parsed: one
// damaged byte in a DEVICES report is enough (3.22). 0, or a positive number that says what is wrong; `end` may be
// null.
extern int libgps_json_unpack(const char *line, struct gps_data_t *data, const char **end);
