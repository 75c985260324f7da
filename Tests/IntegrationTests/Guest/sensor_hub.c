// A HID sensor hub without hardware: announces an accelerometer and a gyro through /dev/uhid and sends their readings.
// The kernel's own hid-sensor-accel-3d and hid-sensor-gyro-3d drivers turn them into two IIO devices.
//
// The motion starts when the first sensor is switched on after both were off, so a reader that connects late misses
// none of it.
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "motion.h"

// Numbers of the HID usage tables, page 0x20 (sensors).
enum {
    usage_page_sensor = 0x20,
    usage_hub = 0x0001,
    usage_accelerometer = 0x0073,
    usage_gyro = 0x0076,
    usage_acceleration_x = 0x0453,
    usage_angular_velocity_x = 0x0457,
    usage_report_interval = 0x030E,
    usage_reporting_state = 0x0316,
    usage_power_state = 0x0319,
    usage_no_events = 0x0840,
    usage_power_undefined = 0x0850,
    unit_meters_per_second_squared = 0x11E0,
    unit_radians_per_second = 0x12F0,
};

// Prefixes of HID's short items, without the two bits that tell their length.
enum {
    item_input = 0x80,
    item_collection = 0xA0,
    item_feature = 0xB0,
    item_end_collection = 0xC0,
    item_usage_page = 0x04,
    item_logical_minimum = 0x14,
    item_logical_maximum = 0x24,
    item_unit_exponent = 0x54,
    item_unit = 0x64,
    item_report_size = 0x74,
    item_report_id = 0x84,
    item_report_count = 0x94,
    item_usage = 0x08,
};
enum { collection_physical = 0, collection_application = 1, collection_logical = 2 };
enum { field_array = 0, field_variable = 2 };
// Four-bit two's complement: readings are whole micro-units.
enum { exponent_micro = 0x0A };

struct descriptor {
    uint8_t bytes[HID_MAX_DESCRIPTOR_SIZE];
    uint16_t size;
};

// One item with the value in 0, 1, 2 or 4 bytes.
static void item(struct descriptor *d, uint8_t prefix, uint32_t value, int bytes) {
    d->bytes[d->size++] = prefix | (bytes == 4 ? 3 : bytes);
    for (int i = 0; i < bytes; i++) d->bytes[d->size++] = (uint8_t)(value >> (8 * i));
}

// A feature that holds one of `count` consecutive usages: an array field of one byte.
static void selection(struct descriptor *d, uint32_t usage, uint32_t first, uint32_t count) {
    item(d, item_usage, usage, 2);
    item(d, item_logical_minimum, 0, 1);
    item(d, item_logical_maximum, count - 1, 1);
    item(d, item_report_size, 8, 1);
    item(d, item_report_count, 1, 1);
    item(d, item_collection, collection_logical, 1);
    for (uint32_t i = 0; i < count; i++) item(d, item_usage, first + i, 2);
    item(d, item_feature, field_array, 1);
    item(d, item_end_collection, 0, 0);
}

static void sensor(struct descriptor *d, uint8_t id, uint32_t usage, uint32_t first_axis, uint32_t unit) {
    item(d, item_usage, usage, 1);
    item(d, item_collection, collection_physical, 1);
    item(d, item_report_id, id, 1);
    // Unit and exponent are global items: without this the interval would be read in the units of the sensor before.
    item(d, item_unit, 0, 1);
    item(d, item_unit_exponent, 0, 1);
    selection(d, usage_reporting_state, usage_no_events, 6);
    selection(d, usage_power_state, usage_power_undefined, 6);
    item(d, item_usage, usage_report_interval, 2);
    item(d, item_logical_minimum, 0, 1);
    item(d, item_logical_maximum, INT32_MAX, 4);
    item(d, item_report_size, 32, 1);
    item(d, item_feature, field_variable, 1);
    item(d, item_logical_minimum, (uint32_t)INT32_MIN, 4);
    item(d, item_unit, unit, 2);
    item(d, item_unit_exponent, exponent_micro, 1);
    for (uint32_t axis = 0; axis < 3; axis++) {
        item(d, item_usage, first_axis + axis, 2);
        item(d, item_input, field_variable, 1);
    }
    item(d, item_end_collection, 0, 0);
}

enum { sensor_count = 2 };
static const char *const names[sensor_count] = {"accelerometer", "gyro"};

struct __attribute__((packed)) feature_report {
    uint8_t id, reporting, power;
    uint32_t interval_milliseconds;
};
struct __attribute__((packed)) input_report {
    uint8_t id;
    int32_t micro[3];
};

struct hub {
    int device, timers[sensor_count];
    struct feature_report features[sensor_count];
    bool on[sensor_count];
    int64_t start_nanoseconds;
    unsigned long long sent[sensor_count];
};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool tell(const struct hub *hub, const struct uhid_event *event) {
    return write(hub->device, event, sizeof *event) == sizeof *event;
}

static struct input_report reading(const struct hub *hub, int index) {
    struct motion_reading m = motion_measured((now() - hub->start_nanoseconds) * 1e-9, hub->sent[index]);
    const double *values = index == 0 ? m.specific_force : m.angular_rate;
    struct input_report report = {.id = index + 1};
    for (int axis = 0; axis < 3; axis++) report.micro[axis] = (int32_t)(values[axis] * 1e6);
    return report;
}

// Runs the timer on whole multiples of the interval since the start, so that both sensors sample together when their
// rates agree.
static void switch_timer(struct hub *hub, int index) {
    int64_t interval = hub->features[index].interval_milliseconds * INT64_C(1000000);
    struct itimerspec timer = {0};
    if (hub->on[index] && interval > 0) {
        int64_t first = now() + interval;
        first -= (first - hub->start_nanoseconds) % interval;
        timer.it_value = (struct timespec){first / 1000000000, first % 1000000000};
        timer.it_interval = (struct timespec){interval / 1000000000, interval % 1000000000};
    }
    timerfd_settime(hub->timers[index], TFD_TIMER_ABSTIME, &timer, NULL);
}

static void take_feature(struct hub *hub, int index, const struct feature_report *feature) {
    // The drivers write the position of the wanted usage in its list, counted from 1: "all events" and "full power" are
    // the second.
    enum { second = 2 };
    bool any_was_on = hub->on[0] || hub->on[1];
    hub->features[index] = *feature;
    hub->on[index] = feature->reporting == second && feature->power == second;
    if (hub->on[index] && !any_was_on) hub->start_nanoseconds = now();
    switch_timer(hub, index);
    printf("sensor-hub: %s reporting %u power %u interval %u ms: %s\n", names[index], feature->reporting,
        feature->power, feature->interval_milliseconds, hub->on[index] ? "on" : "off");
}

static void answer_get(struct hub *hub, const struct uhid_get_report_req *request) {
    struct uhid_event event = {.type = UHID_GET_REPORT_REPLY};
    struct uhid_get_report_reply_req *reply = &event.u.get_report_reply;
    int index = request->rnum - 1;
    reply->id = request->id;
    if (index < 0 || index >= sensor_count) {
        reply->err = EIO;
    } else if (request->rtype == UHID_FEATURE_REPORT) {
        reply->size = sizeof(struct feature_report);
        memcpy(reply->data, &hub->features[index], reply->size);
    } else {
        struct input_report report = reading(hub, index);
        reply->size = sizeof report;
        memcpy(reply->data, &report, sizeof report);
    }
    tell(hub, &event);
}

static void answer_set(struct hub *hub, const struct uhid_set_report_req *request) {
    struct uhid_event event = {.type = UHID_SET_REPORT_REPLY};
    int index = request->rnum - 1;
    event.u.set_report_reply.id = request->id;
    if (index < 0 || index >= sensor_count || request->size < sizeof(struct feature_report)) {
        event.u.set_report_reply.err = EIO;
    } else {
        struct feature_report feature;
        memcpy(&feature, request->data, sizeof feature);
        take_feature(hub, index, &feature);
    }
    tell(hub, &event);
}

static void answer_kernel(struct hub *hub) {
    struct uhid_event event;
    if (read(hub->device, &event, sizeof event) <= 0) return;
    if (event.type == UHID_GET_REPORT) answer_get(hub, &event.u.get_report);
    if (event.type == UHID_SET_REPORT) answer_set(hub, &event.u.set_report);
}

static void send_reading(struct hub *hub, int index) {
    uint64_t expirations;
    if (read(hub->timers[index], &expirations, sizeof expirations) != sizeof expirations) return;
    struct input_report report = reading(hub, index);
    struct uhid_event event = {.type = UHID_INPUT2, .u.input2.size = sizeof report};
    memcpy(event.u.input2.data, &report, sizeof report);
    if (tell(hub, &event)) hub->sent[index]++;
}

static bool announce(const struct hub *hub) {
    struct descriptor d = {.size = 0};
    item(&d, item_usage_page, usage_page_sensor, 1);
    item(&d, item_usage, usage_hub, 1);
    item(&d, item_collection, collection_application, 1);
    sensor(&d, 1, usage_accelerometer, usage_acceleration_x, unit_meters_per_second_squared);
    sensor(&d, 2, usage_gyro, usage_angular_velocity_x, unit_radians_per_second);
    item(&d, item_end_collection, 0, 0);

    struct uhid_event event = {.type = UHID_CREATE2};
    struct uhid_create2_req *create = &event.u.create2;
    strcpy((char *)create->name, "posed emulated sensor hub");
    create->bus = 0x18; // I2C, as such hubs are attached in notebooks
    create->rd_size = d.size;
    memcpy(create->rd_data, d.bytes, d.size);
    return tell(hub, &event);
}

int main(void) {
    struct hub hub = {.device = open("/dev/uhid", O_RDWR | O_CLOEXEC), .start_nanoseconds = now()};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (hub.device < 0 || !announce(&hub)) {
        perror("sensor-hub: cannot use /dev/uhid");
        return 1;
    }
    struct pollfd waits[1 + sensor_count] = {{.fd = hub.device, .events = POLLIN}};
    for (int i = 0; i < sensor_count; i++) {
        hub.features[i] = (struct feature_report){.id = i + 1, .interval_milliseconds = 10};
        hub.timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        waits[1 + i] = (struct pollfd){.fd = hub.timers[i], .events = POLLIN};
    }
    for (;;) {
        if (poll(waits, 1 + sensor_count, -1) < 0) continue;
        for (int i = 0; i < sensor_count; i++)
            if (waits[1 + i].revents & POLLIN) send_reading(&hub, i);
        if (waits[0].revents & POLLIN) answer_kernel(&hub);
    }
}
