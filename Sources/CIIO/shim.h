#pragma once
#include <errno.h>
#include <iio.h>
