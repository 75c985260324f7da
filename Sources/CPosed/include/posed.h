/* The binary frames of posed: the only place where their layout is written. Little-endian. */
#ifndef POSED_H
#define POSED_H
#include <stdint.h>
#define POSED_MAGIC 0x44534f50u
#endif
