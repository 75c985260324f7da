// What the benchmark needs from C: every heap allocation of the process counted, and the fan-out that Linux itself could do.
#pragma once
#include <stdint.h>
#include <sys/types.h>

/// Blocks asked of the heap since the process began, by every library and thread in it; frees are not counted.
uint64_t bench_allocation_count(void);

/// Starts a process that does nothing but send: at each period of an absolute timer it writes one packet of `length` bytes to each of `count` sockets.
/// The first eight bytes are the instant of the round, CLOCK_MONOTONIC nanoseconds. It ends after `packets` rounds.
/// Returns the process, or -1 with errno.
pid_t bench_start_fan_out(const int *sockets, int count, int length, int64_t period_nanoseconds, int packets);

/// Starts a process that writes the scans of a six-axis IMU at rest into the FIFO that stands for its device node, one each period: six 16-bit
/// readings, accelerometer first, and the instant of the writing, CLOCK_MONOTONIC nanoseconds. It ends when it is ended.
/// Returns the process, or -1 with errno.
pid_t bench_start_imu(const char *fifo, int64_t period_nanoseconds);
