#define _GNU_SOURCE
#include "websocket.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_SIZE 24
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define FRAME_BYTES (2 + WEBSOCKET_PAYLOAD)
#define BLOCK_BYTES (64 * 1024)

static uint32_t rotate(uint32_t value, int by) {
  return value << by | value >> (32 - by);
}

/* SHA-1 (FIPS 180-4) of one or two blocks: a key and the GUID are 60 bytes. */
static void sha1(const unsigned char *text, size_t size, unsigned char *digest) {
  uint32_t state[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
  unsigned char padded[128] = { 0 };
  memcpy(padded, text, size);
  padded[size] = 0x80;
  uint64_t bits = (uint64_t) size * 8;
  size_t blocks = size + 9 <= 64 ? 1 : 2;
  for (int i = 0; i < 8; i++) padded[blocks * 64 - 1 - i] = (unsigned char) (bits >> (8 * i));
  for (size_t at = 0; at < blocks * 64; at += 64) {
    uint32_t words[80];
    for (int i = 0; i < 16; i++) {
      const unsigned char *four = padded + at + 4 * i;
      words[i] = (uint32_t) four[0] << 24 | (uint32_t) four[1] << 16 | (uint32_t) four[2] << 8 | four[3];
    }
    for (int i = 16; i < 80; i++) words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 80; i++) {
      uint32_t mix = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999 : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
        : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc : (b ^ c ^ d) + 0xca62c1d6;
      uint32_t next = rotate(a, 5) + mix + e + words[i];
      e = d;
      d = c;
      c = rotate(b, 30);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
  for (int i = 0; i < 20; i++) digest[i] = (unsigned char) (state[i / 4] >> (24 - 8 * (i % 4)));
}

static void base64(const unsigned char *bytes, size_t size, char *to) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < size; at += 3) {
    uint32_t three = (uint32_t) bytes[at] << 16 | (at + 1 < size ? bytes[at + 1] << 8 : 0) | (at + 2 < size ? bytes[at + 2] : 0);
    for (int i = 0; i < 4; i++) *to++ = at + (size_t) i <= size ? digits[three >> (18 - 6 * i) & 63] : '=';
  }
  *to = 0;
}

size_t websocket_answer(const char *head, size_t size, char *to) {
  static const char name[] = "\r\nSec-WebSocket-Key: ";
  const char *key = memmem(head, size, name, sizeof name - 1);
  if (key == NULL || key + sizeof name - 1 + KEY_SIZE > head + size) return 0;
  unsigned char digest[20];
  char text[KEY_SIZE + sizeof GUID], accept[32];
  memcpy(text, key + sizeof name - 1, KEY_SIZE);
  memcpy(text + KEY_SIZE, GUID, sizeof GUID);
  sha1((unsigned char *) text, KEY_SIZE + sizeof GUID - 1, digest);
  base64(digest, sizeof digest, accept);
  return (size_t) sprintf(to, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept);
}

void websocket_prepare(struct response_block *block) {
  memset(block, 0, sizeof *block);
  block->size = FRAME_BYTES;
  block->copies = BLOCK_BYTES / FRAME_BYTES;
  block->bytes = malloc(block->copies * FRAME_BYTES);
  memset(block->bytes, 'x', block->copies * FRAME_BYTES);
  for (size_t i = 0; i < block->copies; i++) {
    block->bytes[i * FRAME_BYTES] = (char) 0x81;
    block->bytes[i * FRAME_BYTES + 1] = WEBSOCKET_PAYLOAD;
  }
}
