/* A broadcast: one log of frames, all of the same length, in which each connection has a position. Everything received since the
 * last write to a connection is contiguous, and sent with one write. */
#ifndef BROADCAST_H
#define BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in the log so far: the initial position of a new connection. */
uint64_t broadcast_end(void);

/* Adds the complete frames of a client to the log. Returns how many bytes at the end of `data` belong to an incomplete frame;
 * SIZE_MAX: a frame of a different length, or one that isn't a message. */
size_t broadcast_take(const char *data, size_t size);

/* The contiguous part of the log from `at` on; size 0: nothing yet. False: it was overwritten, because this client reads too
 * slowly. */
bool broadcast_from(uint64_t at, const char **bytes, size_t *size);

/* How many frames end between two positions. */
uint64_t broadcast_frames(uint64_t from, uint64_t to);

#endif
