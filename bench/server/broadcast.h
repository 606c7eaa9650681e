/* What one client says goes out to all: one log of frames, all of one length, and each connection has its place in it. What has
 * come since it was written to last stands there in one piece, and goes out with one write. */
#ifndef BROADCAST_H
#define BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Octets of the log so far: where a connection begins that opens now. */
uint64_t broadcast_end(void);

/* Puts the whole frames of a client into the log. How many octets at the end of `data` belong to a frame that is not whole;
 * SIZE_MAX: a frame of another length than the others, or one that is no message. */
size_t broadcast_take(const char *data, size_t size);

/* What stands in the log from `at` on, as far as it is one piece; of size 0: nothing yet. False: it has been overwritten,
 * because this client reads too slowly. */
bool broadcast_from(uint64_t at, const char **bytes, size_t *size);

/* How many frames end between two places. */
uint64_t broadcast_frames(uint64_t from, uint64_t to);

#endif
