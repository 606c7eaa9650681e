/* The one response that this server gives, prepared as a block of equal copies, so that k pipelined requests
 * are answered with one write. */
#ifndef RESPONSE_H
#define RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

struct response_block {
  char *bytes;
  size_t size;      /* of one response */
  size_t copies;    /* how many stand in `bytes`, one behind the other */
  size_t date_at;   /* where the date stands in each */
  size_t id_at;     /* where the request id stands in each; 0: there is none */
  bool closing;     /* each says that its connection ends with it */
};

/* kind: "plain", "chunked", "varying" (a request id in each head) or "closing" (one response on a connection). False for
 * another word. */
bool response_prepare(struct response_block *block, const char *kind, size_t body_size);

/* Writes the date into all copies when a new second has begun, as common servers do. Cheap in between. */
void response_refresh_date(struct response_block *block);

/* Gives the first `count` copies of a varying block ids never used before. */
void response_stamp_ids(struct response_block *block, size_t count);

#endif
