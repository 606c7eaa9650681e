/* The one response that this server gives, prepared as a block of equal copies, so that k pipelined requests
 * are answered with one write. */
#ifndef RESPONSE_H
#define RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

struct response_block {
  char *bytes;
  size_t size;      /* of one response */
  size_t copies;    /* how many are in `bytes`, one after the other */
  size_t date_at;   /* position of the date in each */
  size_t id_at;     /* position of the request id in each; 0: there is none */
  bool closing;     /* each announces the end of its connection */
};

/* kind: "plain", "chunked", "varying" (a request id in each head) or "closing" (one response on a connection). False for
 * any other. */
bool response_prepare(struct response_block *block, const char *kind, size_t body_size);

/* Updates the date in all copies when a new second has begun, as common servers do; otherwise cheap. */
void response_refresh_date(struct response_block *block);

/* Sets new ids in the first `count` copies of a varying block. */
void response_stamp_ids(struct response_block *block, size_t count);

#endif
