#define _GNU_SOURCE
#include "response.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The header lines of a small response of a common web framework: each line costs clients time. */
#define HEAD "HTTP/1.1 200 OK\r\nX-Powered-By: bench\r\nContent-Type: text/plain; charset=utf-8\r\n" \
  "ETag: W/\"d-lDpwLQbzRZmu4fjajvn3KWAx1pk\"\r\nConnection: %s\r\nDate: "
#define DATE_SIZE 29
#define ID_DIGITS 16
#define MOST_HEAD 512
#define BLOCK_BYTES (256 * 1024)

static void write_body(char *to, size_t from, size_t size) {
  static const char text[] = "Hello, world!";
  for (size_t i = 0; i < size; i++) to[i] = text[(from + i) % (sizeof text - 1)];
}

static size_t write_chunk(char *to, size_t from, size_t size) {
  if (size == 0) return 0;
  size_t head = (size_t) sprintf(to, "%zx\r\n", size);
  write_body(to + head, from, size);
  memcpy(to + head + size, "\r\n", 2);
  return head + size + 2;
}

/* Two chunks, so that a client has to assemble the body, and the end. */
static size_t write_chunks(char *to, size_t body_size) {
  size_t half = body_size / 2;
  size_t size = write_chunk(to, 0, half);
  size += write_chunk(to + size, half, body_size - half);
  memcpy(to + size, "0\r\n\r\n", 5);
  return size + 5;
}

bool response_prepare(struct response_block *block, const char *kind, size_t body_size) {
  bool chunked = strcmp(kind, "chunked") == 0;
  bool varying = strcmp(kind, "varying") == 0;
  bool closing = strcmp(kind, "closing") == 0;
  if (!chunked && !varying && !closing && strcmp(kind, "plain") != 0) return false;

  memset(block, 0, sizeof *block);
  block->closing = closing;
  char *one = malloc(MOST_HEAD + body_size);
  size_t size = (size_t) sprintf(one, HEAD, closing ? "close" : "keep-alive\r\nKeep-Alive: timeout=5");
  block->date_at = size;
  size += (size_t) sprintf(one + size, "%*s\r\n", DATE_SIZE, "");
  if (varying) {
    size += (size_t) sprintf(one + size, "X-Request-Id: ");
    block->id_at = size;
    size += (size_t) sprintf(one + size, "%0*d\r\n", ID_DIGITS, 0);
  }
  if (chunked) {
    size += (size_t) sprintf(one + size, "Transfer-Encoding: chunked\r\n\r\n");
    size += write_chunks(one + size, body_size);
  } else {
    size += (size_t) sprintf(one + size, "Content-Length: %zu\r\n\r\n", body_size);
    write_body(one + size, 0, body_size);
    size += body_size;
  }

  block->size = size;
  block->copies = size < BLOCK_BYTES ? BLOCK_BYTES / size : 1;
  block->bytes = malloc(block->copies * size);
  for (size_t i = 0; i < block->copies; i++) memcpy(block->bytes + i * size, one, size);
  free(one);
  return true;
}

void response_refresh_date(struct response_block *block) {
  static time_t second;
  time_t now = time(NULL);
  if (now == second) return;
  second = now;
  struct tm parts;
  char date[64];
  strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
  for (size_t i = 0; i < block->copies; i++) memcpy(block->bytes + i * block->size + block->date_at, date, DATE_SIZE);
}

static void write_hex(char *to, uint64_t number) {
  static const char digits[] = "0123456789abcdef";
  for (int i = ID_DIGITS - 1; i >= 0; i--, number >>= 4) to[i] = digits[number & 15];
}

void response_stamp_ids(struct response_block *block, size_t count) {
  static uint64_t number;
  /* An odd factor changes all digits and never repeats an id. */
  for (size_t i = 0; i < count; i++) write_hex(block->bytes + i * block->size + block->id_at, ++number * 0x9e3779b97f4a7c15u);
}
