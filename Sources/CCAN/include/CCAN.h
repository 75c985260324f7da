// Raw CAN sockets of Linux (SocketCAN).
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Kinds of received CAN frames: malformed, with data, an error of the bus, a request for data.
enum { POSED_CAN_MALFORMED = 0, POSED_CAN_DATA = 1, POSED_CAN_ERROR = 2, POSED_CAN_REMOTE = 3 };
/// The part of posed_can_open that failed: the socket itself, finding the interface, binding to it (ENETDOWN: it is
/// down).
enum { POSED_CAN_SOCKET = 0, POSED_CAN_INTERFACE = 1, POSED_CAN_BIND = 2 };
/// Largest number of filters.
enum { POSED_CAN_FILTERS = 32 };

/// A received CAN frame: its identifier with the kernel's flags, its data, and the kernel's time of its reception
/// (CLOCK_REALTIME, nanoseconds; 0 without one).
struct posed_can_frame {
    uint32_t id;
    uint8_t kind;
    uint8_t length;
    uint8_t data[64];
    int64_t realtime_ns;
};

/// Opens a raw CAN socket on an interface, non-blocking and close-on-exec, with kernel filters, time stamps, CAN FD and
/// frames about errors of the bus. Returns the descriptor, or -1 with errno; `failed` says which part failed. The
/// corresponding protocol is CAN_RAW.
int posed_can_open(const char *interface, const uint32_t *ids, const uint32_t *masks, size_t count, int *failed);

/// Requests time stamps and the number of dropped frames from a socket whose packets are CAN frames; 0, or -1 with
/// errno.
int posed_can_prepare(int descriptor);

/// Receives up to 32 frames without blocking: their number, or -1 with errno. `dropped` is set to the number of frames
/// for which the socket had no room since it was opened, if the kernel states it. The corresponding C function is
/// recvmmsg.
int posed_can_receive(int descriptor, struct posed_can_frame *frames, size_t capacity, uint32_t *dropped);

/// Sends a frame of 8 bytes without blocking; 0, or -1 with errno.
int posed_can_send(int descriptor, uint32_t id, const uint8_t data[8]);
