#include "posed.h"
