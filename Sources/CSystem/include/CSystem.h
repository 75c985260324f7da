// The Linux calls that Swift's Glibc module lacks.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

/// Names the calling thread for ps, top and gdb; Linux keeps the first 15 bytes.
void posed_set_thread_name(const char *name);
