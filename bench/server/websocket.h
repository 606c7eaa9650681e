/* The part of WebSocket that a server needs to echo messages of one known length: the handshake response, and frames. */
#ifndef WEBSOCKET_H
#define WEBSOCKET_H

#include "response.h"

/* The message that clients send: this many times the letter x. */
#define WEBSOCKET_PAYLOAD 20
/* With a header of two bytes and a mask. */
#define WEBSOCKET_CLIENT_FRAME (2 + 4 + WEBSOCKET_PAYLOAD)
#define WEBSOCKET_ANSWER_BYTES 256

/* Writes the response to a handshake; returns 0 if this request's head is not a handshake. */
size_t websocket_answer(const char *head, size_t size, char *to);

/* The echoed message, as a block of equal copies. */
void websocket_prepare(struct response_block *block);

#endif
