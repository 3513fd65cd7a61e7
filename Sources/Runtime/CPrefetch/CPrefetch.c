// What Swift has no word for is all in the header, so that it stands inside the loops that need it.
#include "CPrefetch.h"
